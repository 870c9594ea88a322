/** Callers whose tokens are refused, by user and by address: where they are too many. Part of repeated-auth-failures.ts. */
import { MINUTE_MS } from "../../terms/hours.ts";
import type { Fact } from "./fact.ts";
import { isIn } from "./make-finding.ts";
import type { Hour } from "./rule.ts";
import { factsIn, groupBy, heavyWindows, type Range, slide } from "./sliding-window.ts";

export const FAILURES = { threshold: 5, windowMs: 15 * MINUTE_MS } as const;
export const MANY_USERS = { users: 10, failures: 30, windowMs: 10 * MINUTE_MS } as const;
/** A success counts for less than so long after the fifth failure. */
export const SUCCESS_WITHIN_MS = 15 * MINUTE_MS;

/** How many failures a record stands for: one, or those that a flood's count says. */
export const weightOf = ({ failures }: Fact): number => failures ?? 1;

/** Windows with too many failures, in order of their ends. */
export type Firings = { facts: readonly Fact[]; windows: readonly Range[] };

export const endingIn = ({ facts, windows }: Firings, hour: Hour): Firings => ({
  facts,
  windows: windows.filter(({ to }) => isIn(hour, facts[to]?.at ?? hour.end)),
});

export const failuresOf = ({ facts, windows }: Firings): Fact[] => factsIn(facts, windows);

/** Whose tokens a window's failures were of. A count names nobody, but says how many they were. */
const tallyUsers = () => {
  const named = new Map<string, number>();
  const counts: Fact[] = [];
  let weight = 0;
  let unknown = 0;
  /** Of tokens that no signature vouches for nobody knows the user. */
  const isUnknown = ({ userId, failures, users }: Fact) => userId === undefined && (failures === undefined || !users);
  const change = (fact: Fact, by: 1 | -1) => {
    weight += by * weightOf(fact);
    if (isUnknown(fact)) unknown += by;
    if (fact.userId === undefined) return;
    const left = (named.get(fact.userId) ?? 0) + by;
    if (left === 0) named.delete(fact.userId);
    else named.set(fact.userId, left);
  };
  return {
    add: (fact: Fact) => {
      change(fact, 1);
      if (fact.failures !== undefined) counts.push(fact);
    },
    remove: (fact: Fact) => {
      change(fact, -1);
      if (fact.failures !== undefined) counts.shift();
    },
    weight: () => weight,
    /** At least so many: the users of counts may be those who are named. */
    users: () => counts.reduce((most, { users = 0 }) => Math.max(most, users), named.size),
    onlyUser: (): string | undefined => {
      const isOne = named.size === 1 && unknown === 0 && counts.every(({ users = 0 }) => users <= 1);
      return isOne ? named.keys().next().value : undefined;
    },
  };
};

const windowsOf = (
  facts: readonly Fact[],
  windowMs: number,
  judge: (tally: ReturnType<typeof tallyUsers>, range: Range) => void,
): void => {
  const tally = tallyUsers();
  slide(facts, windowMs, tally, (_, range) => judge(tally, range));
};

export type Suspects = {
  /** Of each user; from several addresses, or from one that failed with this user's tokens only. */
  users: Map<string, Firings[]>;
  /** Of each address, windows of one user left out. */
  addresses: Map<string, { several: Firings; manyUsers: Firings }>;
};

/** @param failures of tokens, in order of time. */
export const findSuspects = (failures: readonly Fact[]): Suspects => {
  const users = new Map<string, Firings[]>();
  const accuse = (user: string, firings: Firings) => {
    if (firings.windows.length > 0) users.set(user, [...(users.get(user) ?? []), firings]);
  };
  for (const [user, facts] of groupBy(failures, ({ userId }) => userId)) {
    accuse(user, { facts, windows: heavyWindows(facts, { ...FAILURES, weightOf }) });
  }

  const addresses: Suspects["addresses"] = new Map();
  for (const [address, facts] of groupBy(failures, ({ ipAddress }) => ipAddress)) {
    const several: Range[] = [];
    const ofOneUser = new Map<string, Range[]>();
    windowsOf(facts, FAILURES.windowMs, (tally, range) => {
      if (tally.weight() < FAILURES.threshold) return;
      const user = tally.onlyUser();
      if (user === undefined) several.push(range);
      else ofOneUser.set(user, [...(ofOneUser.get(user) ?? []), range]);
    });
    for (const [user, windows] of ofOneUser) accuse(user, { facts, windows });

    const manyUsers: Range[] = [];
    windowsOf(facts, MANY_USERS.windowMs, (tally, range) => {
      if (tally.weight() >= MANY_USERS.failures && tally.users() >= MANY_USERS.users) manyUsers.push(range);
    });
    addresses.set(address, { several: { facts, windows: several }, manyUsers: { facts, windows: manyUsers } });
  }
  return { users, addresses };
};

/** The windows of firings that no failure from an address is in. */
export const withoutAddress = ({ facts, windows }: Firings, address: string): Firings => {
  const without: Range[] = [];
  let seen = 0;
  let latest = -1;
  for (const range of windows) {
    for (; seen <= range.to; seen++) if (facts[seen]?.ipAddress === address) latest = seen;
    if (latest < range.from) without.push(range);
  }
  return { facts, windows: without };
};

/** The windows that a success comes soon after. */
export const before = ({ facts, windows }: Firings, success: Fact): Firings => ({
  facts,
  windows: windows.filter(({ to }) => {
    const elapsedMs = success.at - (facts[to]?.at ?? Number.POSITIVE_INFINITY);
    return elapsedMs >= 0 && elapsedMs < SUCCESS_WITHIN_MS;
  }),
});
