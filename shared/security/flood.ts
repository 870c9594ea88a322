/**
 * Records refusals that anybody can cause: refused tokens and forged webhooks. A flood leaves a bounded number of events,
 * whatever the number of instances and addresses (flood-budget-store.ts). The first five refusals of a network and
 * organization are events one by one, until the network was quiet for a minute. Other refusals are in counts, which all
 * instances share and which grow for a minute: in a count of the network, or if the budget has no slot for that, in the
 * count of all other refusals of the organization.
 *
 * Refusals wait in memory for up to two seconds. The next request of the instance then adds them to the counts.
 * docs/security-events.md, "Floods".
 */
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import type { NoteFailure } from "../runtime/note-failure.ts";
import { eventId, identityOf } from "./event-id.ts";
import { type FloodNumbers, scopeOf } from "./event-item.ts";
import type { FloodBudgetStore, FloodKind, FloodOwner } from "./flood-budget-store.ts";
import {
  type CountEvent,
  createFloodMemory,
  type FloodCount,
  type NetworkRefusals,
  type OwnerRefusals,
  type WaitingRefusals,
} from "./flood-memory.ts";
import type { Recorder } from "./recorder.ts";
import type { NewSecurityEvent } from "./security-event.ts";
import type { SecurityEventStore } from "./security-event-store.ts";

/** How long refusals wait in memory before they are added to a count. */
const COUNT_AFTER_MS = 2_000;
/** The most counts of networks that one request opens, so that no request takes long. */
const NEW_COUNTS_PER_REQUEST = 3;
/** A count event that is missing this long after its time is not recorded, or not this network's. */
const RECORDED_WITHIN_MS = 1_000;
/** The pause after a failure of the store. */
const RETRY_AFTER_MS = 5_000;

const isPowerOfTen = (count: number): boolean => count >= 10 && /^10+$/.test(String(count));

export type FloodDependencies = {
  recorder: Pick<Recorder, "record">;
  budget: Pick<FloodBudgetStore, "claim" | "openCount">;
  events: Pick<SecurityEventStore, "addToCount">;
  noteFailure: NoteFailure;
  now: Clock;
};

/** A count stands for several requests, so its event has no user and no session. */
const countEvent = (
  { userId: _user, sessionId: _session, ipAddress: _address, userAgent: _agent, ...event }: NewSecurityEvent,
  { errorMessage, ...origin }: Pick<NewSecurityEvent, "errorMessage" | "ipAddress" | "userAgent">,
  numbers: FloodNumbers,
): NewSecurityEvent => ({
  ...event,
  ...definedFields(origin),
  ...definedFields({ errorMessage }),
  metadata: { ...event.metadata, ...numbers, isLowerBound: true },
});

/** Of an event, what refusals of all networks and functions have in common. */
const commonFields = ({
  resource: _resource,
  resourceType: _resourceType,
  action: _action,
  errorCode: _code,
  metadata: _metadata,
  ...event
}: NewSecurityEvent): NewSecurityEvent => event;

/** Whether refusals of a network belong to the rest: the network has few of them, or another network has its slot. */
const belongsToRest = (network: NetworkRefusals, at: number): boolean =>
  network.isSingle() || network.openedCount(at)?.isForeign === true;

export type FloodRecorder = ReturnType<typeof createFloodRecorder>;

/** Records the refusals of one kind for one instance of a function. Its calls never throw. */
export const createFloodRecorder = (
  kind: FloodKind,
  { recorder, budget, events, noteFailure, now }: FloodDependencies,
) => {
  const logUncounted = (message: string, owner: OwnerRefusals, error?: unknown): void => {
    const cause = error === undefined ? undefined : String(error);
    writeLog("error", message, { alarm: "refusals_not_counted", kind, failures: owner.failures(), cause });
  };

  const memory = createFloodMemory((owner) => logUncounted("Refused requests were removed from memory", owner));
  const ownerKey = ({ organizationId }: OwnerRefusals): FloodOwner => ({ kind, organizationId });

  const pause = async (message: string, owner: OwnerRefusals, at: number, error: unknown): Promise<void> => {
    owner.pausedUntil = at + RETRY_AFTER_MS;
    logUncounted(message, owner, error);
    await noteFailure(owner.organizationId, "store");
  };

  /** Whether a single event may be recorded now. After a denied claim, the instance waits until one may succeed. */
  const mayRecordSingle = async (owner: OwnerRefusals, at: number): Promise<boolean> => {
    if (at < Math.max(owner.deniedUntil, owner.pausedUntil)) return false;
    try {
      const claim = await budget.claim(ownerKey(owner), at);
      if (!claim.granted) owner.deniedUntil = claim.until;
      return claim.granted;
    } catch (error) {
      await pause("Claiming an event of refused requests failed; they stay in memory", owner, at, error);
      return false;
    }
  };

  const toCountEvent = (owner: OwnerRefusals, waiting: WaitingRefusals | NetworkRefusals, numbers: FloodNumbers) => {
    const counted = "; metadata.failures counts them.";
    if ("total" in waiting) {
      const { network: ipAddress = "", example } = waiting;
      const errorMessage = `More ${kind} from this address were refused${counted}`;
      const { userAgent } = example;
      const origin = definedFields({ ipAddress: ipAddress === "" ? undefined : ipAddress, userAgent });
      return countEvent(example, { errorMessage, ...origin }, numbers);
    }
    const errorMessage = `More ${kind} were refused than are recorded one by one${counted}`;
    return countEvent(commonFields(owner.example), { errorMessage }, numbers);
  };

  /** Adds refusals to a count event. @returns whether the event is stored. */
  const addToCount = async (count: CountEvent, taken: FloodCount): Promise<boolean> => {
    count.added.add(taken);
    const { users } = count.added.numbers();
    const newUsers = users > count.storedUsers ? users : undefined;
    const isStored = await events.addToCount(count.key, taken.numbers().failures, newUsers);
    if (isStored) count.storedUsers = users;
    return isStored;
  };

  /** Records the count event of this minute, or adds to the one that another instance has recorded. */
  const openCount = async (owner: OwnerRefusals, waiting: WaitingRefusals, taken: FloodCount, at: number) => {
    const { organizationId } = owner;
    const { time: timestamp, isNew } = await budget.openCount(ownerKey(owner), waiting.network, at);
    const identity = identityOf("flood", kind, organizationId ?? "", waiting.network ?? "", timestamp);
    const event = toCountEvent(owner, waiting, taken.numbers());
    const id = eventId(timestamp, identity);
    const count = waiting.openCount({ scope: scopeOf({ ...event, id }), id }, timestamp);
    if (!isNew) return addToCount(count, taken);
    count.added.add(taken);
    count.storedUsers = taken.numbers().users;
    await recorder.record(event, { timestamp, identity });
    return true;
  };

  /** Counts the refusals that wait. If their count is not stored, they wait on, or belong to the rest. */
  const count = async (owner: OwnerRefusals, waiting: WaitingRefusals, at: number): Promise<void> => {
    const taken = waiting.take();
    if (taken.numbers().failures === 0) return;
    try {
      const opened = waiting.openedCount(at);
      if (await (opened ? addToCount(opened, taken) : openCount(owner, waiting, taken, at))) return;
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
  };

  const countWaiting = async (owner: OwnerRefusals, at: number): Promise<void> => {
    let opened = 0;
    for (const network of owner.takeTurn()) {
      const isOpen = network.openedCount(at) !== undefined;
      const mayCount = !belongsToRest(network, at) && (isOpen || opened++ < NEW_COUNTS_PER_REQUEST);
      if (mayCount) await count(owner, network, at);
      else owner.rest.add(network.take());
      if (at < owner.pausedUntil) return owner.waitFrom(at);
    }
    await count(owner, owner.rest, at);
  };

  /** Counts refusals that have waited for long enough. Requests that are not refused call it too. */
  const countDue = async (): Promise<void> => {
    const at = now();
    const owner = memory.longestWaiting(COUNT_AFTER_MS, at);
    if (owner !== undefined) await countWaiting(owner, at);
  };

  return {
    countDue,

    /** Records or counts a refusal. @param event of this refusal alone. */
    async record(event: NewSecurityEvent): Promise<void> {
      const at = now();
      const owner = memory.owner(event);
      const network = owner.refused(event, at);
      if (network.isSingle() && (await mayRecordSingle(owner, at))) {
        await recorder.record(event, { timestamp: at });
      } else {
        network.addOne(event.userId);
        owner.waitFrom(at);
        const isCounted = isPowerOfTen(network.total) && !belongsToRest(network, at) && at >= owner.pausedUntil;
        if (isCounted) await count(owner, network, at);
      }
      await countDue();
    },
  };
};
