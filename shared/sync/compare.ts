/**
 * Compares the lists of a full run with the stored records, type by type. Objects on one side only are read again first,
 * which corrects a deletion without an event. The remaining differences are reported.
 */
import type { Observation } from "../records/observation.ts";
import type { RecordType } from "../records/record.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { writeLog } from "../runtime/log.ts";
import { plusProgress, type RunContext, type Step } from "./run-context.ts";
import { failureOf } from "./sync-failure.ts";
import type { ActiveRun } from "./sync-item.ts";
import { type Completeness, MAX_REPORTED_IDS } from "./sync-run.ts";
import { afterComparison, type ComparePosition } from "./sync-work.ts";

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
    // On both sides, also if it was deleted after it was listed.
    missing.delete(id);
    if (deleted) continue;
    stored++;
    // The feed has the objects that were created after the list began.
    const isOlder = bound === undefined || createdAt < bound * 1_000;
    if (!listed.has(id) && isOlder) onlyStored.push(id);
  }
  return { listed, stored, onlyListed: [...missing], onlyStored };
};

type Reread = { run: ActiveRun; isCut: boolean; count: number };

/** Reads objects again, one after the other, until the time or the limit is reached or the provider fails. */
const rereadObjects = async (
  context: RunContext,
  run: ActiveRun,
  type: RecordType,
  ids: readonly string[],
): Promise<Reread> => {
  let { progress } = run;
  let count = 0;
  let isCut = false;
  for (const chunk of chunksOf(ids.slice(0, MAX_REREADS - run.work.rereads), REREADS_AT_A_TIME)) {
    isCut = context.isTimeShort();
    if (isCut) break;
    const observations: Observation[] = [];
    try {
      for (const id of chunk) observations.push(await context.provider.readObject(type, id));
    } catch (error) {
      // The report lists the rest; the run is complete all the same.
      if (failureOf(error) === undefined) throw error;
      count = MAX_REREADS;
    }
    const written = await context.apply(observations, "feed");
    progress = plusProgress(progress, { [type]: observations.length }, written);
    count += observations.length;
    if (count >= MAX_REREADS) break;
  }
  const work = { ...run.work, rereads: run.work.rereads + count };
  return { run: { ...run, progress, work }, isCut, count };
};

const reportOf = ({ listed, stored, onlyListed, onlyStored }: Sides): Completeness => ({
  listed: listed.size,
  stored,
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
  const reread = await rereadObjects(context, run, type, [...sides.onlyStored, ...sides.onlyListed]);
  if (reread.isCut) return reread.run;
  const healed = reread.count > 0 ? await readSides(context, reread.run, type) : sides;
  if (healed === undefined) return reread.run;
  const completeness = { ...run.work.completeness, [type]: reportOf(healed) };
  return { ...reread.run, work: { ...reread.run.work, completeness, at: afterComparison(type) } };
};
