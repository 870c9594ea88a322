/**
 * Applies observations to records. Sync runs and webhooks both use it, at the same time and in any order.
 * docs/sync.md, "Applying observations".
 *
 * Every write is conditional on the version of the record that was read. If the order of two observations is unknown,
 * the object is read at the provider: the answer is newer than everything that was stored before the read. Before that
 * answer, another worker may find the stored record unchanged and write nothing. So the record is marked as questioned
 * before the object is read. Concurrent workers that would have written nothing now write, and their result is not lost.
 */
import { isItemRefused } from "../runtime/call-store.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { writeLog } from "../runtime/log.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { type DecideOptions, decideAnswered, decideApply, type RecordWrite } from "./decide-apply.ts";
import {
  coalesce,
  type ObjectDeleted,
  type ObjectState,
  type Observation,
  type ObservedObject,
  observedAnswer,
} from "./observation.ts";
import { forEachType, type RecordType } from "./record.ts";
import type { RecordKey, StoredRecord } from "./record-item.ts";
import type { RecordStore } from "./record-store.ts";
import { type SetAside, setAside } from "./set-aside.ts";

/** Objects that are applied at once. */
const OBJECTS_AT_ONCE = 25;

/** How often a write is attempted if other writes change the record first. */
const MAX_ATTEMPTS = 12;

/**
 * Reads an object at the provider; at most once per object and attempt. An object that cannot be read is set aside.
 * Undefined if the credentials may not read the type: the record stays as it is until the type's list can be read.
 */
export type Reread = (type: RecordType, id: string) => Promise<ObjectState | ObjectDeleted | SetAside | undefined>;

/** How many records of each type changed; a new time of the last observation is no change. */
export type Written = Record<RecordType, number>;

/** `changed`: the records that `written` counts. `setAside`: the objects that could not be applied; their records stay. */
export type ApplyResult = { written: Written; changed: readonly RecordKey[]; setAside?: readonly SetAside[] };

/** `updatesObservedAt`: true for events; false for lists, where an unchanged object then costs no write. */
export type ApplyOptions = DecideOptions & { reread: Reread };

export type Apply = (
  organizationId: string,
  observations: readonly Observation[],
  options: ApplyOptions,
) => Promise<ApplyResult>;

export type ApplyDependencies = {
  store: Pick<RecordStore, "get" | "getMany" | "put">;
  now: Clock;
  newToken: () => string;
  /** Waits before another attempt, given the number of attempts. */
  pause?: (attempts: number) => Promise<void>;
};

type OwnedKey = RecordKey & { organizationId: string };

/** A record as it was read, and whether it was read strongly. */
type ReadRecord = { stored: StoredRecord | undefined; isCurrent: boolean };

type Applied = "changed" | "unchanged" | SetAside;

/** `isOver: false`: another write came first. Then `observed` includes the provider's answer, if there was one. */
type Attempt = { isOver: true; applied: Applied } | { isOver: false; observed: ObservedObject };

/** A request that a store refuses during the read concerns the circuit or the credentials, not the record. */
const failRead = (cause: unknown): never => {
  if (!isItemRefused(cause)) throw cause;
  throw new DomainError("store_unavailable", "The object could not be read at the provider. Try again.", { cause });
};

const createApplyOne = ({ store, now, newToken, pause = pauseBeforeRetry }: ApplyDependencies) => {
  /** @returns the record after the write; undefined if another write came first. */
  const markQuestioned = async (key: OwnedKey, stored: StoredRecord): Promise<StoredRecord | undefined> => {
    if (stored.isInQuestion) return stored;
    const questioned = { ...stored, isInQuestion: true, version: newToken() };
    return (await store.put(key.organizationId, questioned, stored)) ? questioned : undefined;
  };

  const write = async (
    { organizationId, type, id }: OwnedKey,
    stored: StoredRecord | undefined,
    { content, isChange }: RecordWrite,
    observed: ObservedObject,
  ): Promise<Attempt> => {
    const updatedAt = (isChange ? undefined : stored?.updatedAt) ?? now();
    const record = { type, id, ...content, updatedAt, isInQuestion: false, version: newToken() };
    const isWritten = await store.put(organizationId, record, stored);
    return isWritten ? { isOver: true, applied: isChange ? "changed" : "unchanged" } : { isOver: false, observed };
  };

  const askProvider = async (
    key: OwnedKey,
    observed: ObservedObject,
    stored: StoredRecord | undefined,
    reread: Reread,
  ): Promise<Attempt> => {
    const questioned = stored && (await markQuestioned(key, stored));
    if (stored !== undefined && questioned === undefined) return { isOver: false, observed };
    const read = await reread(key.type, key.id).catch(failRead);
    if (read === undefined) return { isOver: true, applied: "unchanged" };
    if (read.kind === "set_aside") return { isOver: true, applied: read };
    const answer = observedAnswer(read, observed.invoiceId);
    const decision = decideAnswered(questioned, answer);
    if (decision.kind === "write") return write(key, questioned, decision, answer);
    return { isOver: true, applied: "unchanged" };
  };

  const applyOne = async (
    key: OwnedKey,
    given: ObservedObject,
    read: ReadRecord,
    { reread, ...options }: ApplyOptions,
  ): Promise<Applied> => {
    let observed = given;
    let { stored, isCurrent } = read;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const decision = decideApply(stored, observed, options);
      if (decision.kind === "keep") return "unchanged";
      // Read the object at the provider only after a strong read of the record: an eventual read may be outdated.
      if (decision.kind === "write" || isCurrent) {
        const result =
          decision.kind === "write"
            ? await write(key, stored, decision, observed)
            : await askProvider(key, observed, stored, reread);
        if (result.isOver) return result.applied;
        observed = result.observed;
        await pause(attempt);
      }
      stored = await store.get(key.organizationId, key);
      isCurrent = true;
    }
    throw new DomainError("store_unavailable", "Other writes kept changing a record. Try again.");
  };

  return async (...parameters: Parameters<typeof applyOne>): Promise<Applied> => {
    try {
      return await applyOne(...parameters);
    } catch (error) {
      if (!isItemRefused(error)) throw error;
      const [{ type, id }] = parameters;
      writeLog("warn", "The store refuses a record; it is set aside", { type, cause: String(error.cause) });
      return setAside(type, id, "refused");
    }
  };
};

/** The records of objects; undefined if the store refuses a key, and each must be read by itself. */
const readAll = async (
  store: Pick<RecordStore, "getMany">,
  organizationId: string,
  objects: readonly ObservedObject[],
  strongly: boolean,
): Promise<StoredRecord[] | undefined> => {
  try {
    return await store.getMany(organizationId, objects, { strongly });
  } catch (error) {
    if (!isItemRefused(error)) throw error;
    return undefined;
  }
};

/**
 * Applies observations of any objects. Applying them again, or at the same time as others, changes nothing more.
 * Costs half a read unit per object (one with `updatesObservedAt`), and per changed record a write unit for the record
 * and one for each of its indexes. An object that cannot be stored or read takes no other with it.
 * @throws DomainError `store_unavailable`, even if others changed a record at every attempt; errors of `reread`. Some
 *   records may then be written, and all observations can be applied again.
 */
export const createApply = (dependencies: ApplyDependencies): Apply => {
  const applyOne = createApplyOne(dependencies);
  return async (organizationId, observations, options) => {
    const objects = coalesce(observations);
    // A decision to keep a record is safe only on a current one; for lists, the events correct it.
    const isCurrent = options.updatesObservedAt;
    const records = await readAll(dependencies.store, organizationId, objects, isCurrent);
    const stored = new Map(records?.map((record) => [`${record.type}#${record.id}`, record]));
    const written = forEachType(() => 0);
    const changed: RecordKey[] = [];
    const aside: SetAside[] = [];
    await inParallel(objects, OBJECTS_AT_ONCE, async (observed) => {
      const { type, id } = observed;
      const read = { stored: stored.get(`${type}#${id}`), isCurrent: isCurrent && records !== undefined };
      const applied = await applyOne({ organizationId, type, id }, observed, read, options);
      if (applied === "changed") {
        written[type]++;
        changed.push({ type, id });
      } else if (applied !== "unchanged") aside.push(applied);
    });
    return { written, changed, ...(aside.length > 0 && { setAside: aside }) };
  };
};
