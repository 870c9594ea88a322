/** Reads a page of a type's list. Objects that are created meanwhile are in the feed. */

import { definedFields } from "../json/defined-fields.ts";
import { ProviderError } from "../provider/provider-error.ts";
import type { ObjectState } from "../records/observation.ts";
import { plusProgress, type Step } from "./run-context.ts";
import { failureOfType } from "./sync-failure.ts";
import type { ActiveRun } from "./sync-item.ts";
import { afterList, type ListPosition } from "./sync-work.ts";

const secondsOf = ({ createdAt }: ObjectState): number => Math.floor(createdAt / 1_000);

/** The upper bound of the pages after the first: all that the first page had, also objects dated after the answer. */
const boundOf = (first: ObjectState): number => Math.max(first.observedAt.to, secondsOf(first));

const isMissing = (error: unknown): boolean => error instanceof ProviderError && error.reason === "missing";

const withFailure = (run: ActiveRun, { type }: ListPosition, error: unknown): ActiveRun => {
  const failures = { ...run.work.failures, [type]: failureOfType(error) };
  return { ...run, work: { ...run.work, failures, at: afterList(type) } };
};

/**
 * Where to continue if the object that the page starts after was deleted: at the time of the last object. Undefined if that
 * was tried, and all objects of a page were created in the same second.
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
    const repeatedIds = new Set(repeats === undefined ? [] : await context.pageIds.read(list, repeats));
    const fresh = items.filter(({ id }) => !repeatedIds.has(id));
    const ids = fresh.map(({ id }) => id);
    const links = type === "payments" ? await context.links.of(run.id, ids) : [];
    const [written] = await Promise.all([
      context.apply([...fresh, ...links], "list"),
      context.pageIds.put(list, pages, ids, context.now()),
    ]);
    const [first] = items;
    const last = items.at(-1);
    // An empty list is complete up to the time when the feed was read, which was earlier.
    const newBound = bound ?? first?.observedAt.from ?? run.work.feedStart?.readAt;
    const lastSeconds = last === undefined ? at.lastSeconds : secondsOf(last);
    // Objects repeat only within the second at which the list was continued.
    const isRepeating = repeats !== undefined && lastSeconds === until;
    const lists = {
      ...run.work.lists,
      [type]: { pages: pages + 1, ...definedFields({ bound: newBound }) },
    };
    const position: ListPosition = {
      ...{ phase: "list", type, until: until ?? (first && boundOf(first)), lastSeconds },
      ...definedFields({ after: next }),
      ...(isRepeating && { repeats }),
    };
    return {
      ...run,
      progress: plusProgress(run.progress, { [type]: fresh.length }, written),
      work: { ...run.work, lists, at: next === undefined ? afterList(type) : position },
    };
  } catch (error) {
    const continued = isMissing(error) ? withoutAfter(run, at) : undefined;
    return continued ?? withFailure(run, at, error);
  }
};
