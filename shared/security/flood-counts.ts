/**
 * Counts of refusals: events that take the refusals of a minute and that all instances share. An instance opens a count, or
 * adds to the count of another one. However long refusals waited, their own time decides which count has them, and dates it.
 * If the store fails, refusals stay in memory. docs/security-events.md, "Floods".
 */
import { encodeJson } from "../json/encode-json.ts";
import { writeLog } from "../runtime/log.ts";
import type { NoteFailure } from "../runtime/note-failure.ts";
import { startOfHour } from "../terms/hours.ts";
import { eventId, identityOf } from "./event-id.ts";
import { type FloodNumbers, type StoredCount, scopeOf, storedCountOf } from "./event-item.ts";
import type { FloodBudgetStore, FloodKind, FloodOwner } from "./flood-budget-store.ts";
import type { CountEvent, OwnerRefusals, WaitingRefusals } from "./flood-memory.ts";
import { createFloodTally, type FloodTally, roomFor, urgentRoom, withDetails } from "./flood-tally.ts";
import type { Recorder } from "./recorder.ts";
import { sanitiseMetadata } from "./redaction/redact-and-cut.ts";
import type { NewSecurityEvent } from "./security-event.ts";
import type { SecurityEventStore } from "./security-event-store.ts";

/** A count event that is missing this long after its time is not recorded, or not this network's. */
const RECORDED_WITHIN_MS = 1_000;
/** The attributes that the recorder and the store add to an event. */
const KEYS_BYTES = 420;
/** The pause after a failure of the store. */
const RETRY_AFTER_MS = 5_000;
/** An instance names users in the count of all other refusals at most this often, and in any count if it is urgent. */
const NAMED_AFTER_MS = 6_000;
/** An addition whose known parts are out of date is sent again with the stored ones, and then without names. */
const NAMING_ATTEMPTS = 2;

export type FloodDependencies = {
  recorder: Pick<Recorder, "record">;
  budget: Pick<FloodBudgetStore, "claim" | "openCount">;
  events: Pick<SecurityEventStore, "addToCount">;
  noteFailure: NoteFailure;
};

/** What the event of a count says, without its numbers. */
export type DescribeCount = (owner: OwnerRefusals, waiting: WaitingRefusals) => NewSecurityEvent;

/** The bytes of a count's item without the names in it, about: the organization is in the keys of table and indexes too. */
const bytesOf = (event: NewSecurityEvent): number =>
  Buffer.byteLength(encodeJson({ ...event })) + KEYS_BYTES + 5 * Buffer.byteLength(event.organizationId ?? "");

/** Equals no stored metadata, so a change of it is refused, and the store answers with the stored one. */
const NOT_KNOWN = "";

type Naming = { isUrgent: boolean; isRest: boolean };

const numbersOf = (taken: FloodTally) => ({ failures: taken.failures(), lastAt: taken.lastAt() });

const isSame = (one: StoredCount, other: StoredCount): boolean =>
  one.metadata === other.metadata && one.users === other.users;

/** The growing parts of a count's item after an addition, with the users that it has no room for. */
const grow = ({ stored, added, unnamed, room }: CountEvent, taken: FloodTally, isUrgent: boolean) => {
  const tally = createFloodTally();
  for (const one of [unnamed, taken]) tally.add(one);
  const { metadata, unnamed: others } = withDetails(
    JSON.parse(stored.metadata || "{}"),
    tally,
    isUrgent ? urgentRoom(room) : room,
  );
  const isNaming = metadata.busiest !== undefined;
  const next: StoredCount = {
    metadata: isNaming ? encodeJson(sanitiseMetadata(metadata)) : (stored.metadata ?? NOT_KNOWN),
    users: Math.max(stored.users, added.numbers().users),
  };
  return { next, unnamed: others };
};

/** The counts of one kind, for one instance of a function. Its calls never throw. */
export const createFloodCounts = (
  kind: FloodKind,
  { recorder, budget, events, noteFailure }: FloodDependencies,
  describeCount: DescribeCount,
) => {
  const ownerKey = ({ organizationId, caller }: OwnerRefusals): FloodOwner => ({ kind, organizationId, caller });

  const logUncounted = (message: string, owner: OwnerRefusals, error?: unknown): void => {
    const cause = error === undefined ? undefined : String(error);
    writeLog("error", message, { alarm: "refusals_not_counted", kind, failures: owner.failures(), cause });
  };

  const pause = async (message: string, owner: OwnerRefusals, at: number, error: unknown): Promise<void> => {
    owner.pausedUntil = at + RETRY_AFTER_MS;
    logUncounted(message, owner, error);
    await noteFailure(owner.organizationId, "store");
  };

  /** Adds refusals to a count event. @returns whether the event is stored. */
  const addToCount = async (
    count: CountEvent,
    taken: FloodTally,
    at: number,
    { isUrgent, isRest }: Naming,
  ): Promise<boolean> => {
    count.added.add(taken);
    const isNaming = isUrgent || (isRest && at - count.namedAt >= NAMED_AFTER_MS);
    for (let attempt = 0; isNaming && attempt < NAMING_ATTEMPTS; attempt++) {
      const { next, unnamed } = grow(count, taken, isUrgent);
      if (isSame(next, count.stored)) break;
      const change = { known: count.stored, next };
      const { isAdded, stored } = await events.addToCount(count.key, numbersOf(taken), change);
      if (stored === undefined) return false;
      count.stored = stored;
      if (!isAdded) continue;
      count.unnamed = unnamed;
      count.namedAt = at;
      return true;
    }
    const { isAdded } = await events.addToCount(count.key, numbersOf(taken));
    if (isAdded) count.unnamed.add(taken);
    return isAdded;
  };

  const toEvent = (owner: OwnerRefusals, waiting: WaitingRefusals, numbers: FloodNumbers): NewSecurityEvent => {
    const event = describeCount(owner, waiting);
    return { ...event, metadata: { ...event.metadata, ...numbers, isLowerBound: true } };
  };

  /** Records a count event, dated at the last refusal, or adds to the one that another instance has recorded. */
  const openCount = async (
    owner: OwnerRefusals,
    waiting: WaitingRefusals,
    taken: FloodTally,
    at: number,
    isUrgent: boolean,
  ) => {
    const { organizationId } = owner;
    const { time: timestamp, isNew } = await budget.openCount(ownerKey(owner), waiting.network, taken.lastAt(), at);
    const identity = identityOf("flood", kind, organizationId ?? "", waiting.network ?? owner.caller ?? "", timestamp);
    const event = toEvent(owner, waiting, taken.numbers());
    const id = eventId(timestamp, identity);
    const count = waiting.openCount({ scope: scopeOf({ ...event, id }), id }, timestamp, at);
    count.room = roomFor(bytesOf(event));
    if (!isNew) return addToCount(count, taken, at, { isUrgent, isRest: waiting === owner.rest });
    count.added.add(taken);
    const firstRoom = isUrgent ? urgentRoom(count.room) : waiting === owner.rest ? count.room : 0;
    const { metadata, unnamed } = withDetails(event.metadata, taken, firstRoom);
    count.unnamed = unnamed;
    const recorded = await recorder.record({ ...event, metadata }, { timestamp, identity });
    if (recorded !== undefined) count.stored = storedCountOf(recorded);
    return true;
  };

  const add = async (
    owner: OwnerRefusals,
    waiting: WaitingRefusals,
    taken: FloodTally,
    at: number,
    isUrgent: boolean,
  ) => {
    const opened = waiting.openedCount(taken.lastAt());
    // An event of a past hour may be sealed, so it must not change.
    if (opened === undefined || opened.time < startOfHour(at)) return openCount(owner, waiting, taken, at, isUrgent);
    return addToCount(opened, taken, at, { isUrgent, isRest: waiting === owner.rest });
  };

  return {
    logUncounted,

    /** Whether a single event may be recorded now. @param user whose token was refused, if known. */
    async mayRecordSingle(owner: OwnerRefusals, user: string | undefined, at: number): Promise<boolean> {
      if (at < owner.pausedUntil) return false;
      try {
        const { isGranted, times } = await budget.claim(ownerKey(owner), user, owner.slots, at);
        owner.slots = times;
        return isGranted;
      } catch (error) {
        await pause("Claiming an event of refused requests failed; they stay in memory", owner, at, error);
        return false;
      }
    },

    /**
     * Counts the refusals that wait. If their count is not stored, they wait on, or belong to the rest.
     * @param isUrgent whether the count must name their users now.
     */
    async count(owner: OwnerRefusals, waiting: WaitingRefusals, at: number, isUrgent = false): Promise<void> {
      const taken = waiting.take();
      if (taken.failures() === 0) return;
      try {
        if (await add(owner, waiting, taken, at, isUrgent)) return;
      } catch (error) {
        waiting.add(taken);
        owner.waitFrom(at);
        return pause("Counting refused requests failed; they stay in memory", owner, at, error);
      }
      const missing = waiting.count;
      if (waiting !== owner.rest && missing !== undefined && at - missing.time >= RECORDED_WITHIN_MS) {
        missing.isForeign = true;
        owner.rest.add(taken);
      } else waiting.add(taken);
      owner.waitFrom(at);
    },
  };
};
