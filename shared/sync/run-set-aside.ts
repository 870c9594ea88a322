/**
 * Names the objects that a run sets aside: one security event each, at most 20 in a run, and none for an object that an
 * earlier run has named. All are counted. docs/sync.md, "Objects that are set aside".
 */
import type { SetAside } from "../records/set-aside.ts";
import type { Clock } from "../runtime/clock.ts";
import type { SetAsideStore } from "./set-aside-store.ts";
import type { SyncEvents } from "./sync-events.ts";
import type { ActiveRun } from "./sync-item.ts";

/** The most objects that one run names. */
const MAX_NAMED = 20;

type Dependencies = {
  setAsides: Pick<SetAsideStore, "unmarked" | "mark">;
  events: Pick<SyncEvents, "setAside">;
  clock: Clock;
};

/** @returns the run with these objects counted. A repetition after a crash repeats no event. */
export const countSetAside = async (
  { setAsides, events, clock }: Dependencies,
  { organizationId, accountId }: { organizationId: string; accountId: string },
  run: ActiveRun,
  objects: readonly SetAside[],
): Promise<ActiveRun> => {
  if (objects.length === 0) return run;
  const { count, named } = run.work.setAside ?? { count: 0, named: 0 };
  const unmarked = await setAsides.unmarked(organizationId, objects, clock());
  const toName = unmarked.slice(0, Math.max(0, MAX_NAMED - named));
  for (const object of toName) await events.setAside(organizationId, accountId, run, object);
  // Marked after their events: a crash in between repeats the events under the same ids.
  await setAsides.mark(organizationId, unmarked, clock());
  const setAside = { count: count + objects.length, named: named + toName.length };
  return { ...run, work: { ...run.work, setAside } };
};
