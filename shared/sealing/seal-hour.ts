/** Seals an hour of an organization: what came since its last version becomes a further one. docs/evidence.md. */
import { type HourLeaf, leavesOfHour, nextVersionOf, summaryOf } from "../evidence/hour-leaves.ts";
import { entryOf } from "../evidence/sealed-log.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { writeLog } from "../runtime/log.ts";
import { organizationIdOf } from "../terms/keys.ts";
import type { EvidenceStore, StoredHour } from "./evidence-store.ts";
import type { Heads } from "./heads.ts";
import type { SaltStore } from "./salt-store.ts";

/** `expiresAt`: when the tables lose the event, epoch ms; undefined if it is of the archive. */
type ReadLeaf = HourLeaf & { expiresAt?: number | undefined };

/**
 * The leaves of the stored events of an hour; undefined if they have expired and no archive holds them. An event may have no salt yet.
 * @param expiresAt of the sealed hour.
 */
export type ReadHour = (scope: string, hour: number, expiresAt?: number) => Promise<readonly ReadLeaf[] | undefined>;

export type SealHourDependencies = {
  evidence: Pick<EvidenceStore, "getHour" | "putVersion">;
  readHour: ReadHour;
  salts: SaltStore;
};

/** `step`: the index of the leaf that first counts the new records. */
type Step = { step: number; heads: Heads };

/** `versions`: new ones. `events`: added. */
export type SealedNow = { versions: number; events: number; isBroken: boolean };

const SALTS_AT_ONCE = 8;

/**
 * The events of an hour, each with a salt. An older version of the service may have recorded one without it, while the
 * deployment was under way; if the hour is sealed by then, the event counts as late.
 */
const readSalted = async (
  { readHour, salts }: SealHourDependencies,
  scope: string,
  hour: number,
  sealed: StoredHour | undefined,
): Promise<readonly ReadLeaf[] | undefined> => {
  const events = await readHour(scope, hour, sealed?.expiresAt);
  const unsalted = events?.filter(({ isSalted }) => !isSalted) ?? [];
  if (unsalted.length === 0) return events;
  await inParallel(unsalted, SALTS_AT_ONCE, ({ id }) => salts.add(scope, id, sealed !== undefined));
  const salted = await readHour(scope, hour, sealed?.expiresAt);
  if (salted?.every(({ isSalted }) => isSalted) === false) throw new Error("Events without a salt cannot be sealed.");
  return salted;
};

/** Whether the stored events are still those that were sealed. */
const isIntact = (events: readonly HourLeaf[], sealed: StoredHour): boolean => {
  const { leaves, missing } = leavesOfHour(events, sealed);
  return missing.length === 0 && leaves.length === sealed.count && summaryOf(leaves).root === sealed.root;
};

/** When the tables lose the first event of an hour, epoch ms. */
const firstExpiry = (events: readonly ReadLeaf[], sealed: StoredHour | undefined): number | undefined => {
  const known = [sealed, ...events].flatMap((one) => one?.expiresAt ?? []);
  return known.length === 0 ? undefined : known.reduce((first, one) => Math.min(first, one));
};

const isSame = (one: StoredHour, other: Pick<StoredHour, "count" | "erased" | "erasedRoot">): boolean =>
  (["count", "erased", "erasedRoot"] as const).every((name) => one[name] === other[name]);

/**
 * Appends the versions that an hour needs: none if nothing has changed, or if what was sealed is no longer there. Further
 * versions of a broken hour would cover up what happened to it.
 * @throws DomainError `store_unavailable`; Error if another worker has sealed the hour.
 */
export const sealHour = async (
  dependencies: SealHourDependencies,
  { scope, hour }: { scope: string; hour: number },
  { step, heads }: Step,
): Promise<SealedNow> => {
  const { evidence } = dependencies;
  const result: SealedNow = { versions: 0, events: 0, isBroken: false };
  let sealed = await evidence.getHour(scope, hour);
  const events = await readSalted(dependencies, scope, hour, sealed);
  if (events === undefined) return result;
  if (sealed !== undefined && !isIntact(events, sealed)) {
    const organizationId = organizationIdOf(scope);
    writeLog("error", "A sealed hour is not what was sealed", { alarm: "sealed_hour_broken", organizationId, hour });
    return { ...result, isBroken: true };
  }
  for (let hasMore = true; hasMore; ) {
    const next = nextVersionOf(events, sealed);
    const summary = summaryOf(next.leaves);
    if (sealed === undefined ? summary.count === 0 : isSame(sealed, summary)) break;
    const version = (sealed?.version ?? 0) + 1;
    const record = entryOf({ organizationId: organizationIdOf(scope), hour, version, ...summary, step });
    const head = heads.next(scope, record, step);
    const previous = { version: sealed?.version, head: heads.get(scope) };
    const stored = { hour, version, ...summary, step, expiresAt: firstExpiry(events, sealed) };
    const isStored = await evidence
      .putVersion({ scope, hour: stored, late: next.late, record, head, previous })
      .catch((error: unknown) => {
        heads.lose();
        throw error;
      });
    if (!isStored) throw new Error("Another worker has sealed the hour.");
    heads.store(scope, head);
    result.versions++;
    result.events += summary.count - (sealed?.count ?? 0);
    sealed = { ...stored, late: [...(sealed?.late ?? []), next.late] };
    hasMore = next.hasMore;
  }
  return result;
};
