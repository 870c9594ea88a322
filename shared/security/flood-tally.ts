/** What a count of refusals says: how many they are, and the users whose tokens they are about. Pure. */
import * as z from "zod/mini";
import { encodeJson } from "../json/encode-json.ts";
import type { FloodNumbers } from "./event-item.ts";

/** Of each tally. A new user then replaces the user with the fewest refusals, so the number of users is a lower bound. */
const MAX_USERS = 100;
/** A count names as many users as fit into its item without another write unit, or else into the least number of bytes. */
const MAX_NAMED_USERS = 5;
const LEAST_NAMED_BYTES = 180;
const BYTES_PER_UNIT = 1_024;
/** For numbers that grow. */
const MARGIN_BYTES = 24;
const MAX_ADDRESSES = 2;

/** `addresses`: the first networks of the refusals (terms/ip-address.ts). `lastAt`: the last refusal, epoch ms. */
export const UserFailures = z.object({
  userId: z.string(),
  failures: z.number(),
  addresses: z.array(z.string()),
  lastAt: z.number(),
});
export type UserFailures = z.output<typeof UserFailures>;

/** The part of a count's metadata that grows with its refusals, but for the numbers. */
const Details = z.looseObject({ busiest: z.optional(z.array(UserFailures)) });

/** Of one refusal. `at`: epoch ms. `isRepeated`: not the user's first one from the network. */
export type Refused = {
  userId?: string | undefined;
  isRepeated?: boolean;
  network?: string | undefined;
  at: number;
};

type Users = Map<string, UserFailures>;

const addTo = (users: Users, added: UserFailures): void => {
  const { userId, failures, addresses, lastAt } = added;
  const known = users.get(userId);
  if (known === undefined && users.size >= MAX_USERS) {
    const fewest = [...users.values()].reduce((least, one) => (one.failures < least.failures ? one : least));
    users.delete(fewest.userId);
  }
  users.set(userId, {
    userId,
    failures: (known?.failures ?? 0) + failures,
    addresses: [...new Set([...(known?.addresses ?? []), ...addresses])].slice(0, MAX_ADDRESSES),
    lastAt: Math.max(known?.lastAt ?? 0, lastAt),
  });
};

/** The users with the most refusals, as many as fit, and the others. */
const split = (users: Iterable<UserFailures>, maxBytes: number): { named: UserFailures[]; others: UserFailures[] } => {
  const named: UserFailures[] = [];
  const others: UserFailures[] = [];
  let bytes = 0;
  for (const user of [...users].sort((a, b) => b.failures - a.failures || b.lastAt - a.lastAt)) {
    const size = sizeOf(user);
    const isNamed = named.length < MAX_NAMED_USERS && bytes + size <= maxBytes;
    if (isNamed) bytes += size;
    (isNamed ? named : others).push(user);
  }
  return { named, others };
};

export type FloodTally = {
  addUser(user: UserFailures, isRepeated: boolean): void;
  addOne(refused: Refused): void;
  add(other: FloodTally): void;
  failures(): number;
  /** Of the last refusal, epoch ms; 0 without one. */
  lastAt(): number;
  numbers(): FloodNumbers;
  users: ReadonlyMap<string, UserFailures>;
  /** The users with more than one refusal, who are named. */
  repeated: ReadonlySet<string>;
};

export const createFloodTally = (): FloodTally => {
  let failures = 0;
  let lastAt = 0;
  const users: Users = new Map();
  const repeated = new Set<string>();
  const addUser = (user: UserFailures, isRepeated: boolean): void => {
    addTo(users, user);
    if (isRepeated && repeated.size < MAX_USERS) repeated.add(user.userId);
  };
  return {
    addUser,
    addOne({ userId, isRepeated = false, network = "", at }) {
      failures++;
      lastAt = Math.max(lastAt, at);
      const addresses = network === "" ? [] : [network];
      if (userId !== undefined) addUser({ userId, failures: 1, addresses, lastAt: at }, isRepeated);
    },
    add(other) {
      failures += other.failures();
      lastAt = Math.max(lastAt, other.lastAt());
      for (const user of other.users.values()) addUser(user, other.repeated.has(user.userId));
    },
    failures: () => failures,
    lastAt: () => lastAt,
    numbers: () => ({ failures, users: users.size, lastAt }),
    users,
    repeated,
  };
};

/** How many bytes of names fit into an item. @param bytes of the item without them. */
export const roomFor = (bytes: number): number => BYTES_PER_UNIT - (bytes % BYTES_PER_UNIT) - MARGIN_BYTES;

/** The room for names that must be in a count now. @param room in the item. */
export const urgentRoom = (room: number): number => Math.max(LEAST_NAMED_BYTES, room);

const sizeOf = (user: UserFailures): number => Buffer.byteLength(encodeJson(user));

/**
 * The metadata of a count that also names what a tally is about.
 * @param stored as it is stored.
 * @param room for names, in bytes.
 * @returns with the users that are not named.
 */
export const withDetails = (
  stored: unknown,
  tally: FloodTally,
  room: number,
): { metadata: Record<string, unknown>; unnamed: FloodTally } => {
  const { busiest = [], ...others } = Details.safeParse(stored).data ?? {};
  const users: Users = new Map(busiest.map((user) => [user.userId, user]));
  const unnamed = createFloodTally();
  for (const user of tally.users.values()) {
    if (users.has(user.userId) || tally.repeated.has(user.userId)) addTo(users, user);
    else unnamed.addUser(user, false);
  }
  // Names that are stored keep their room, and their numbers may grow.
  const used = busiest.reduce((sum, user) => sum + sizeOf(user) + MARGIN_BYTES, 0);
  const { named, others: left } = split(users.values(), Math.max(room, used));
  for (const user of left) unnamed.addUser(user, true);
  return { metadata: { ...others, ...(named.length > 0 && { busiest: named }) }, unnamed };
};
