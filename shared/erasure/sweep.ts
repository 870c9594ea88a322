/** The sweep of all places: page by page, what a page names is counted and stored as counted, and then removed. */
import type { Removed } from "./erasure.ts";
import type { Progress, Work } from "./erasure-work.ts";
import { isAfter, type Place, type PlacePage } from "./place.ts";

/** How far an erasure is. */
export type State = { work: Work; removed: Removed };

export type SweepParts = {
  /** Stores the state, and keeps the lease. */
  save(state: State): Promise<void>;
  /** Whether it is time to leave the rest to another invocation. */
  isTimeShort(): boolean;
  /** From which the user failed to authenticate, filled by the places. */
  addresses: ReadonlySet<string>;
};

/** Pages with nothing in them, after which the state is stored all the same. */
const PAGES_BETWEEN_SAVES = 10;

const MAX_ADDRESSES = 100;

/** What came into being after the first sweep began is nothing that it has missed. */
const isOfBefore = ({ timeOf }: Place, key: string, { sweptSince = 0 }: Work): boolean => {
  const time = timeOf?.(key);
  return time === undefined || time < sweptSince;
};

/** The state once a page's keys are counted; those that an attempt before has counted are not counted again. */
const counted = (state: State, place: Place, { keys }: PlacePage, progress: Progress): State => {
  const fresh = keys.filter((key) => isAfter(key, progress.countedTo));
  const countedTo = fresh.at(-1) ?? progress.countedTo;
  return {
    removed: { ...state.removed, [place.counts]: state.removed[place.counts] + fresh.length },
    work: {
      ...state.work,
      isDirty: state.work.isDirty || fresh.some((key) => isOfBefore(place, key, state.work)),
      progress: { ...progress, ...(countedTo !== undefined && { countedTo }) },
    },
  };
};

/**
 * Sweeps from where the state says to the end.
 * @returns the state as it is then, and whether the end was reached.
 */
export const sweep = async (
  places: readonly Place[],
  state: State,
  { save, isTimeShort, addresses }: SweepParts,
): Promise<{ state: State; isDone: boolean }> => {
  let current = state;
  const store = async (): Promise<void> => {
    const work = { ...current.work, addresses: [...addresses].slice(-MAX_ADDRESSES) };
    current = { ...current, work };
    await save(current);
  };
  const begun = places.findIndex(({ name }) => name === state.work.progress?.place);
  for (const place of places.slice(Math.max(0, begun))) {
    let progress = current.work.progress?.place === place.name ? current.work.progress : { place: place.name };
    let pages = 0;
    for (;;) {
      current = { ...current, work: { ...current.work, progress } };
      if (isTimeShort()) {
        await store();
        return { state: current, isDone: false };
      }
      const page = await place.read(progress.after);
      if (page.keys.length > 0) {
        current = counted(current, place, page, progress);
        progress = current.work.progress ?? progress;
        await store();
        await page.remove();
      } else if (++pages % PAGES_BETWEEN_SAVES === 0) await store();
      if (page.next === undefined) break;
      progress = { ...progress, after: page.next };
    }
  }
  const { progress: _, ...work } = current.work;
  return { state: { ...current, work: { ...work, addresses: [...addresses].slice(-MAX_ADDRESSES) } }, isDone: true };
};
