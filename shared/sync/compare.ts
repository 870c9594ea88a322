/**
 * Compares the lists of a full run with the stored records, type by type, and a large type range by range of ids, so that
 * neither side must fit into memory. Objects on one side only are read again first, which corrects a deletion without an
 * event. The remaining differences are reported.
 */
import type { Observation } from "../records/observation.ts";
import type { RecordType } from "../records/record.ts";
import type { SetAside } from "../records/set-aside.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { writeLog } from "../runtime/log.ts";
import { plusProgress, type RunContext, type Step } from "./run-context.ts";
import { compareIds, createSmallestIds } from "./smallest-ids.ts";
import { failureOf } from "./sync-failure.ts";
import type { ActiveRun } from "./sync-item.ts";
import { type Completeness, MAX_REPORTED_IDS } from "./sync-run.ts";
import { afterComparison, type ComparePosition, type SyncWork } from "./sync-work.ts";

/** The limit of a run. */
const MAX_REREADS = 500;
const REREADS_AT_A_TIME = 25;

/** Records between two checks of the time. */
const STRIDE = 1_000;

/** The most ids of a range on each side. To find the listed ones, up to twice as many are held: 168 MB. */
const MAX_IDS = 500_000;

/** The ids after `after`, up to and including `upTo`; undefined for no bound. */
type Range = { after: string | undefined; upTo?: string | undefined };

/** Both sides of a range. `upTo`: the end of the range if more ids follow. */
type Sides = { listed: number; stored: number; onlyListed: string[]; onlyStored: string[]; upTo: string | undefined };

const isWithin = (id: string, { after, upTo }: Range): boolean =>
  (after === undefined || compareIds(id, after) > 0) && (upTo === undefined || compareIds(id, upTo) <= 0);

/**
 * Both sides of a type; undefined if the time is too short to read them.
 * @param range if it has no end, it is cut after `maxIds` ids of either side.
 */
const readSides = async (
  context: RunContext,
  run: ActiveRun,
  type: RecordType,
  range: Range,
  maxIds: number,
): Promise<Sides | undefined> => {
  const { organizationId } = context;
  const bound = run.work.lists[type]?.bound;
  const smallest = createSmallestIds(maxIds);
  for await (const ids of context.pageIds.readAll({ organizationId, runId: run.id, type })) {
    for (const id of ids) if (isWithin(id, range)) smallest.add(id);
    await context.keepLease();
    if (context.isTimeShort()) return undefined;
  }
  const { ids: listed, last } = smallest.take();
  const isCut = range.upTo === undefined;
  let upTo = range.upTo ?? last;
  const missing = new Set(listed);
  const onlyStored: string[] = [];
  let stored = 0;
  let count = 0;
  let lastId: string | undefined;
  for await (const { id, createdAt, deleted } of context.listIds(organizationId, type, { ...range, upTo })) {
    if (isCut && count === maxIds) {
      upTo = lastId;
      break;
    }
    lastId = id;
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
  const inRange = (ids: Set<string>) =>
    upTo === last ? [...ids] : [...ids].filter((id) => isWithin(id, { ...range, upTo }));
  return { listed: inRange(listed).length, stored, onlyListed: inRange(missing), onlyStored, upTo };
};

/** The first of these ids that are not set aside. Objects that are set aside cannot be stored, so no reread helps. */
const unexplainedOf = async (
  context: RunContext,
  type: RecordType,
  onlyListed: readonly string[],
): Promise<string[]> => {
  const unexplained: string[] = [];
  for (const chunk of chunksOf(onlyListed, STRIDE)) {
    if (unexplained.length >= MAX_REREADS) break;
    unexplained.push(...(await context.withoutSetAside(type, chunk)));
  }
  return unexplained;
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
  for (const chunk of chunksOf(ids.slice(0, Math.max(0, MAX_REREADS - run.work.rereads)), REREADS_AT_A_TIME)) {
    isCut = context.isTimeShort();
    if (isCut) break;
    const observations: Observation[] = [];
    const unreadable: SetAside[] = [];
    try {
      for (const id of chunk) {
        const read = await context.reread(type, id);
        if (read?.kind === "set_aside") unreadable.push(read);
        else if (read !== undefined) observations.push(read);
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

const nothing: Completeness = { listed: 0, stored: 0, onlyListed: [], onlyStored: [] };

const plusSides = (before: Completeness, { listed, stored, onlyListed, onlyStored }: Sides): Completeness => ({
  listed: before.listed + listed,
  stored: before.stored + stored,
  onlyListed: [...before.onlyListed, ...onlyListed.slice(0, MAX_REPORTED_IDS)].slice(0, MAX_REPORTED_IDS),
  onlyStored: [...before.onlyStored, ...onlyStored.slice(0, MAX_REPORTED_IDS)].slice(0, MAX_REPORTED_IDS),
});

const reportOf = (
  { listed, ...sums }: Completeness,
  { nameless = 0, setAside = 0 }: NonNullable<SyncWork["lists"][RecordType]> = { pages: 0 },
): Completeness => ({ ...sums, listed: listed + nameless, ...(setAside > 0 && { setAside }) });

const giveUp = (run: ActiveRun): ActiveRun => {
  writeLog("warn", "A full run is too large to compare in one invocation", { runId: run.id });
  return { ...run, work: { ...run.work, completeness: {}, isIncomparable: true, at: { phase: "done" } } };
};

/** @param maxIds of a range. A step compares one range. */
export const createCompare =
  (maxIds: number): Step<ComparePosition> =>
  async (context, run, { type, after }) => {
    const sides = await readSides(context, run, type, { after }, maxIds);
    if (sides === undefined) return context.isFresh ? giveUp(run) : run;
    const unexplained = await unexplainedOf(context, type, sides.onlyListed);
    const reread = await rereadObjects(context, run, type, [...sides.onlyStored, ...unexplained]);
    if (reread.isCut) return reread.run;
    const range = { after, upTo: sides.upTo };
    const healed = reread.count > 0 ? await readSides(context, reread.run, type, range, maxIds) : sides;
    if (healed === undefined) return reread.run;
    // The last range has grown beyond the limit if this is not undefined too.
    const { upTo } = healed;
    const { work } = reread.run;
    const sums = plusSides((after !== undefined && work.completeness[type]) || nothing, healed);
    const isLast = upTo === undefined;
    const completeness = { ...work.completeness, [type]: isLast ? reportOf(sums, work.lists[type]) : sums };
    const at = isLast ? afterComparison(type, work) : { phase: "compare" as const, type, after: upTo };
    return { ...reread.run, work: { ...work, completeness, at } };
  };

export const compare = createCompare(MAX_IDS);
