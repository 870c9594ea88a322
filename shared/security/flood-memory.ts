/**
 * What an instance remembers of refused requests: bounded, whatever the number of organizations, networks and users. The
 * least recently used entry is removed first. Pure.
 */
import { definedFields } from "../json/defined-fields.ts";
import { MINUTE_MS } from "../terms/hours.ts";
import { networkOf } from "../terms/ip-address.ts";
import type { EventItemKey, StoredCount } from "./event-item.ts";
import type { SlotTimes } from "./flood-budget-store.ts";
import { createFloodTally, type FloodTally, type Refused } from "./flood-tally.ts";
import type { NewSecurityEvent } from "./security-event.ts";

/** The first refusals of a network are events one by one. */
const SINGLE_RECORDS = 5;
const MAX_OWNERS = 100;
const MAX_NETWORKS = 200;
/** Of each network. */
const MAX_USERS = 100;
/** As stored with events. */
const MAX_USER_AGENT_CHARACTERS = 256;

/**
 * A count event, and what this instance has added to it. `time`: epoch ms. `stored`: the parts of its item that grow, as
 * this instance knows them. `unnamed`: refusals that are counted, but whose users are not named. `room`: for names, in
 * bytes. `namedAt`: when this instance opened it or named users last, epoch ms. `isForeign`: another network has its slot.
 */
export type CountEvent = {
  key: EventItemKey;
  time: number;
  added: FloodTally;
  stored: StoredCount;
  unnamed: FloodTally;
  room: number;
  namedAt: number;
  isForeign: boolean;
};

/** Refusals that wait for the same count: of a network, or all others of an owner. */
const createWaiting = (network: string | undefined) => {
  let waiting = createFloodTally();
  return {
    network,
    /** The last count event that this instance has opened. */
    count: undefined as CountEvent | undefined,

    failures: () => waiting.failures(),
    /** Of the last refusal that waits, epoch ms. */
    lastWaitingAt: () => waiting.lastAt(),
    addOne: (refused: Refused) => waiting.addOne(refused),
    add: (tally: FloodTally) => waiting.add(tally),
    take(): FloodTally {
      const taken = waiting;
      waiting = createFloodTally();
      return taken;
    },
    /** @param time of the count event, which takes the refusals of a minute. @param openedAt by this instance. Both in epoch ms. */
    openCount(key: EventItemKey, time: number, openedAt: number): CountEvent {
      this.count = {
        key,
        time,
        added: createFloodTally(),
        stored: { metadata: undefined, users: 0 },
        unnamed: createFloodTally(),
        room: 0,
        namedAt: openedAt,
        isForeign: false,
      };
      return this.count;
    },
    /** The count event for a refusal, unless the event's minute was over by then. @param at of the refusal, epoch ms. */
    openedCount(at: number): CountEvent | undefined {
      return this.count !== undefined && at - this.count.time < MINUTE_MS ? this.count : undefined;
    },
  };
};
export type WaitingRefusals = ReturnType<typeof createWaiting>;

/** The refusals of an owner from one network. `total`, `users`: refusals since the network was quiet for a minute. */
const createNetwork = (network: string, example: NewSecurityEvent) => ({
  ...createWaiting(network),
  total: 0,
  users: new Map<string, number>(),
  /** Whether a user of it was counted at once (flood.ts). */
  isNamed: false,
  lastAt: 0,
  /** The last refusal. */
  example,
  isSingle(): boolean {
    return this.total <= SINGLE_RECORDS;
  },
  addUser(userId: string | undefined): void {
    if (userId === undefined || (this.users.size >= MAX_USERS && !this.users.has(userId))) return;
    this.users.set(userId, (this.users.get(userId) ?? 0) + 1);
  },
});
export type NetworkRefusals = ReturnType<typeof createNetwork>;

/** Returns the value of a key, which becomes the most recently used one. @param onRemove gets each value that is removed. */
export const useEntry = <Value>(
  values: Map<string, Value>,
  key: string,
  { create, max, onRemove }: { create: () => Value; max: number; onRemove: (value: Value) => void },
): Value => {
  const value = values.get(key) ?? create();
  values.delete(key);
  values.set(key, value);
  for (const [oldest, removed] of values) {
    if (values.size <= max) break;
    values.delete(oldest);
    onRemove(removed);
  }
  return value;
};

/** The refusals of an organization, or of no known one; if `caller` is given, only that caller's. */
const createOwner = (example: NewSecurityEvent, caller: string | undefined) => {
  const networks = new Map<string, NetworkRefusals>();
  const rest = createWaiting(undefined);
  let countedAtOnce: number[] = [];
  return {
    organizationId: example.organizationId,
    caller,
    /** The last refusal. */
    example,
    /** When each slot of the budget was used last, as far as this instance knows. */
    slots: {} as SlotTimes,
    /** When the store may be called again after a failure, epoch ms. */
    pausedUntil: 0,
    /** Since when refusals have waited, epoch ms. */
    waitingSince: undefined as number | undefined,
    /** The refusals without a count of their network. */
    rest,

    /** Counts a refusal. @param now epoch ms. */
    refused(event: NewSecurityEvent, now: number): NetworkRefusals {
      this.example = event;
      const name = networkOf(event.ipAddress ?? "");
      const network = useEntry(networks, name, {
        create: () => createNetwork(name, event),
        max: MAX_NETWORKS,
        onRemove: (removed) => rest.add(removed.take()),
      });
      if (now - network.lastAt >= MINUTE_MS) {
        network.total = 0;
        network.users.clear();
        network.isNamed = false;
      }
      network.total++;
      network.addUser(event.userId);
      network.lastAt = now;
      network.example = {
        ...event,
        ...definedFields({ userAgent: event.userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS) }),
      };
      return network;
    },
    waitFrom(now: number): void {
      this.waitingSince ??= now;
    },
    /** Whether refusals may be counted without waiting: this often in any 60 s. */
    countAtOnce(limit: number, now: number): boolean {
      countedAtOnce = countedAtOnce.filter((time) => now - time < MINUTE_MS);
      if (countedAtOnce.length >= limit) return false;
      countedAtOnce.push(now);
      return true;
    },
    /** The number of refusals in memory that no event counts. */
    failures: (): number => [...networks.values()].reduce((sum, one) => sum + one.failures(), rest.failures()),
    /** The networks whose refusals wait, most refusals first. From now on, no refusal has waited. */
    takeTurn(): NetworkRefusals[] {
      this.waitingSince = undefined;
      const waiting = [...networks.values()].filter(({ failures }) => failures() > 0);
      return waiting.sort((a, b) => b.failures() - a.failures());
    },
  };
};
export type OwnerRefusals = ReturnType<typeof createOwner>;

/** @param onLost gets an owner that is removed although refusals of it wait. */
export const createFloodMemory = (onLost: (owner: OwnerRefusals) => void) => {
  const owners = new Map<string, OwnerRefusals>();
  return {
    /** The owner of a refusal. @param caller if each caller is an owner. */
    owner(event: NewSecurityEvent, caller?: string): OwnerRefusals {
      const { organizationId } = event;
      const organization = organizationId === undefined ? "none" : `org ${organizationId}`;
      return useEntry(owners, caller === undefined ? organization : `${organization} ${caller}`, {
        create: () => createOwner(event, caller),
        max: MAX_OWNERS,
        onRemove: (removed) => {
          if (removed.failures() > 0) onLost(removed);
        },
      });
    },
    /** The owner whose refusals have waited longest, if some have waited for this long and may be counted now. */
    longestWaiting(waitedMs: number, now: number): OwnerRefusals | undefined {
      const due = [...owners.values()].filter(
        ({ waitingSince, pausedUntil }) =>
          waitingSince !== undefined && now - waitingSince >= waitedMs && now >= pausedUntil,
      );
      return due.sort((a, b) => (a.waitingSince ?? 0) - (b.waitingSince ?? 0))[0];
    },
  };
};
