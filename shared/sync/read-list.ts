/** A page of a type's list. What is created while the list is read comes by the feed. */

import { ProviderError } from "../provider/provider-error.ts";
import type { ObjectState } from "../records/observation.ts";
import { plusProgress, type Step } from "./run-context.ts";
import { failureOfType } from "./sync-failure.ts";
import type { ActiveRun } from "./sync-item.ts";
import { afterList, type ListPosition } from "./sync-work.ts";

const secondsOf = ({ createdAt }: ObjectState): number => Math.floor(createdAt / 1_000);

/**
 * Up to when the pages after the first go: whatever the first one had, also where objects were created ahead of the
 * answer's own date.
 */
const boundOf = (first: ObjectState): number => Math.max(first.observedAt.to, secondsOf(first));

const isMissing = (error: unknown): boolean => error instanceof ProviderError && error.reason === "missing";

const withFailure = (run: ActiveRun, { type }: ListPosition, error: unknown): ActiveRun => {
  const failures = { ...run.work.failures, [type]: failureOfType(error) };
  return { ...run, work: { ...run.work, failures, at: afterList(type) } };
};

/**
 * Where to go on when the object that the page should start after was deleted: by the time of the last one. Nowhere
 * when that has been tried, and all of a page was created in the same second.
 */
const withoutAfter = (run: ActiveRun, at: ListPosition): ActiveRun | undefined => {
  const { type, lastSeconds: until } = at;
  const isStuck = at.repeats !== undefined && at.until === until;
  if (at.after === undefined || until === undefined || isStuck) return undefined;
  const repeats = (run.work.lists[type]?.pages ?? 1) - 1;
  return { ...run, work: { ...run.work, at: { phase: "list", type, until, lastSeconds: until, repeats } } };
};

export const readList: Step<ListPosition> = async (context, run, at) => {
  const { type, after, until, repeats } = at;
  const list = { organizationId: context.organizationId, runId: run.id, type };
  const { pages, bound } = run.work.lists[type] ?? { pages: 0 };
  try {
    const { items, next } = await context.provider.listObjects(type, { after, createdUntil: until });
    const known = new Set(repeats === undefined ? [] : await context.pageIds.read(list, repeats));
    const fresh = items.filter(({ id }) => !known.has(id));
    const ids = fresh.map(({ id }) => id);
    const links = type === "payments" ? await context.links.of(run.id, ids) : [];
    const [written] = await Promise.all([
      context.apply([...fresh, ...links], "list"),
      context.pageIds.put(list, pages, ids, context.now()),
    ]);
    const [first] = items;
    const last = items.at(-1);
    // An empty list has every object from before the feed was read, which was earlier.
    const newBound = bound ?? first?.observedAt.from ?? run.work.feedStart?.readAt;
    const lastSeconds = last === undefined ? at.lastSeconds : secondsOf(last);
    // Beyond the second in which the list was taken up again, nothing comes twice.
    const isRepeating = repeats !== undefined && lastSeconds === until;
    const lists = {
      ...run.work.lists,
      [type]: { pages: pages + 1, ...(newBound !== undefined && { bound: newBound }) },
    };
    const position: ListPosition = {
      ...{ phase: "list", type, until: until ?? (first && boundOf(first)), lastSeconds },
      ...(next !== undefined && { after: next }),
      ...(isRepeating && { repeats }),
    };
    return {
      ...run,
      progress: plusProgress(run.progress, { [type]: fresh.length }, written),
      work: { ...run.work, lists, at: next === undefined ? afterList(type) : position },
    };
  } catch (error) {
    const goingOn = isMissing(error) ? withoutAfter(run, at) : undefined;
    return goingOn ?? withFailure(run, at, error);
  }
};
