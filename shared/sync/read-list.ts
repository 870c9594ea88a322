/** Reads a page of a type's list. Objects that are created concurrently are in the feed. */

import { definedFields } from "../json/defined-fields.ts";
import { isUnreadable, ProviderError } from "../provider/provider-error.ts";
import type { ObjectState } from "../records/observation.ts";
import { isOptional } from "../records/record.ts";
import { plusProgress, type Step } from "./run-context.ts";
import { failureOfType } from "./sync-failure.ts";
import type { ActiveRun } from "./sync-item.ts";
import { afterList, type ListPosition } from "./sync-work.ts";

const secondsOf = ({ createdAt }: ObjectState): number => Math.floor(createdAt / 1_000);

/** The upper bound of the pages after the first: all that the first page had, also objects dated after the answer. */
const boundOf = (first: ObjectState): number => Math.max(first.observedAt.to, secondsOf(first));

const isMissing = (error: unknown): boolean => error instanceof ProviderError && error.reason === "missing";

const withFailure = (run: ActiveRun, { type }: ListPosition, error: unknown): ActiveRun => {
  const { work } = run;
  const at = afterList(type, work);
  if (isOptional(type) && isUnreadable(error)) {
    return { ...run, work: { ...work, notRead: [...(work.notRead ?? []), type], at } };
  }
  return { ...run, work: { ...work, failures: { ...work.failures, [type]: failureOfType(error) }, at } };
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

/** A count with more added; undefined for none, which most lists have. */
const sumOf = (before: number | undefined, more: number): number | undefined => (before ?? 0) + more || undefined;

export const readList: Step<ListPosition> = async (context, run, at) => {
  const { type, after, until, repeats } = at;
  const listName = { organizationId: context.organizationId, runId: run.id, type };
  const list = run.work.lists[type] ?? { pages: 0 };
  const { pages, bound } = list;
  try {
    const page = await context.provider.listObjects(type, { after, createdUntil: until });
    const { items, next } = page;
    const repeatedIds = new Set(repeats === undefined ? [] : await context.pageIds.read(listName, repeats));
    const isFresh = ({ id }: { id?: string }): boolean => id === undefined || !repeatedIds.has(id);
    const fresh = items.filter(isFresh);
    const unusable = (page.setAside ?? []).filter(isFresh);
    // An object that is set aside is listed too, so that its record does not count as deleted.
    const ids = [...fresh, ...unusable].flatMap(({ id }) => id ?? []);
    const links = type === "payments" ? await context.links.of(run.id, ids) : [];
    const [applied] = await Promise.all([
      context.apply([...fresh, ...links], "list"),
      context.pageIds.put(listName, pages, ids, context.now()),
    ]);
    const setAside = [...unusable, ...applied.setAside];
    const counted = await context.countSetAside(run, setAside);
    const [first] = items;
    // Without a time of creation, an object counts as the oldest; the list does not continue there.
    const last = items.findLast(({ createdAt }) => createdAt > 0);
    // An empty list is complete up to the time when the feed was read, which was earlier.
    const newBound = bound ?? first?.observedAt.from ?? run.work.feedStart?.readAt;
    const lastSeconds = last === undefined ? at.lastSeconds : secondsOf(last);
    // Objects repeat only within the second at which the list was continued.
    const isRepeating = repeats !== undefined && lastSeconds === until;
    const lists = {
      ...run.work.lists,
      [type]: {
        pages: pages + 1,
        ...definedFields({
          bound: newBound,
          setAside: sumOf(list.setAside, setAside.length),
          nameless: sumOf(list.nameless, unusable.filter(({ id }) => id === undefined).length),
        }),
      },
    };
    const position: ListPosition = {
      phase: "list",
      type,
      until: until ?? (first && boundOf(first)),
      lastSeconds,
      ...definedFields({ after: next }),
      ...(isRepeating && { repeats }),
    };
    return {
      ...counted,
      progress: plusProgress(run.progress, { [type]: fresh.length + unusable.length }, applied.written),
      work: { ...counted.work, lists, at: next === undefined ? afterList(type, run.work) : position },
    };
  } catch (error) {
    const continued = isMissing(error) ? withoutAfter(run, at) : undefined;
    return continued ?? withFailure(run, at, error);
  }
};
