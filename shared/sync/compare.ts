/**
 * Compares the lists of a full run with the stored records, type by type. Objects on one side only are read again first,
 * which corrects a deletion without an event. The remaining differences are reported.
 */
import type { Observation } from "../records/observation.ts";
import type { RecordType } from "../records/record.ts";
import type { SetAside } from "../records/set-aside.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { writeLog } from "../runtime/log.ts";
import { plusProgress, type RunContext, type Step } from "./run-context.ts";
import { failureOf } from "./sync-failure.ts";
import type { ActiveRun } from "./sync-item.ts";
import { type Completeness, MAX_REPORTED_IDS } from "./sync-run.ts";
import { afterComparison, type ComparePosition, type SyncWork } from "./sync-work.ts";

/** The limit of a run. */
const MAX_REREADS = 500;
const REREADS_AT_A_TIME = 25;

/** Records between two checks of the time. */
const STRIDE = 1_000;

type Sides = { listed: Set<string>; stored: number; onlyListed: string[]; onlyStored: string[] };

/** Both sides of a type; undefined if the time is too short to read them. */
const readSides = async (context: RunContext, run: ActiveRun, type: RecordType): Promise<Sides | undefined> => {
  const { organizationId } = context;
  const bound = run.work.lists[type]?.bound;
  const listed = new Set<string>();
  for await (const ids of context.pageIds.readAll({ organizationId, runId: run.id, type })) {
    for (const id of ids) listed.add(id);
    await context.keepLease();
    if (context.isTimeShort()) return undefined;
  }
  const missing = new Set(listed);
  const onlyStored: string[] = [];
  let stored = 0;
  let count = 0;
  for await (const { id, createdAt, deleted } of context.listIds(organizationId, type)) {
    if (++count % STRIDE === 0) {
      await context.keepLease();
      if (context.isTimeShort()) return undefined;
    }
    // On both sides, even if it was deleted after it was listed.
    missing.delete(id);
    if (deleted) continue;
    stored++;
    // The feed has the objects that were created after the list began.
    const isOlder = bound === undefined || createdAt < bound * 1_000;
    if (!listed.has(id) && isOlder) onlyStored.push(id);
  }
  return { listed, stored, onlyListed: [...missing], onlyStored };
};

type RereadResult = { run: ActiveRun; isCut: boolean; count: number };

/** Reads objects again, one after the other, until the time or the limit is reached or the provider fails. */
const rereadObjects = async (
  context: RunContext,
  run: ActiveRun,
  type: RecordType,
  ids: readonly string[],
): Promise<RereadResult> => {
  let current = run;
  let count = 0;
  let isCut = false;
  for (const chunk of chunksOf(ids.slice(0, MAX_REREADS - run.work.rereads), REREADS_AT_A_TIME)) {
    isCut = context.isTimeShort();
    if (isCut) break;
    const observations: Observation[] = [];
    const unreadable: SetAside[] = [];
    try {
      for (const id of chunk) {
        const read = await context.reread(type, id);
        if (read.kind === "set_aside") unreadable.push(read);
        else observations.push(read);
      }
    } catch (error) {
      // The report lists the rest; the run is complete all the same.
      if (failureOf(error) === undefined) throw error;
      count = MAX_REREADS;
    }
    const applied = await context.apply(observations, "feed");
    current = await context.countSetAside(current, [...unreadable, ...applied.setAside]);
    current = {
      ...current,
      progress: plusProgress(current.progress, { [type]: observations.length }, applied.written),
    };
    count += chunk.length;
    if (count >= MAX_REREADS) break;
  }
  const work = { ...current.work, rereads: run.work.rereads + count };
  return { run: { ...current, work }, isCut, count };
};

const reportOf = (
  { listed, stored, onlyListed, onlyStored }: Sides,
  { nameless = 0, setAside = 0 }: NonNullable<SyncWork["lists"][RecordType]> = { pages: 0 },
): Completeness => ({
  listed: listed.size + nameless,
  stored,
  ...(setAside > 0 && { setAside }),
  onlyListed: onlyListed.slice(0, MAX_REPORTED_IDS),
  onlyStored: onlyStored.slice(0, MAX_REPORTED_IDS),
});

const giveUp = (run: ActiveRun): ActiveRun => {
  writeLog("warn", "A full run is too large to compare in one invocation", { runId: run.id });
  return { ...run, work: { ...run.work, isIncomparable: true, at: { phase: "done" } } };
};

export const compare: Step<ComparePosition> = async (context, run, { type }) => {
  const sides = await readSides(context, run, type);
  if (sides === undefined) return context.isFresh ? giveUp(run) : run;
  // Objects that are set aside are listed and not stored. Reading them again would end in the same way.
  const unexplained = await context.withoutSetAside(type, sides.onlyListed);
  const reread = await rereadObjects(context, run, type, [...sides.onlyStored, ...unexplained]);
  if (reread.isCut) return reread.run;
  const healed = reread.count > 0 ? await readSides(context, reread.run, type) : sides;
  if (healed === undefined) return reread.run;
  const completeness = { ...run.work.completeness, [type]: reportOf(healed, run.work.lists[type]) };
  return { ...reread.run, work: { ...reread.run.work, completeness, at: afterComparison(type) } };
};
