/**
 * Authentication fails again and again: of callers' tokens (this file), or of the connection's credentials
 * (rejected-credentials.ts). Both are findings of one rule.
 *
 * Reads: AUTHENTICATION_FAILURE of source `user` (a caller's token); never of source `webhook`, which any stranger can
 *   send. A count of a flood weighs as many failures as it counts, and for each user whom it names that user's failures.
 * Groups, thresholds, windows:
 *   `user:…`, `address:…`: 5 failures in 15 min. Failures of one address with one user's tokens are the user's only.
 *   IPv6 addresses of one /64 are one address, as in the counts; the subject is then the /64.
 *   `address:…`: 30 failures of 10 users in 10 min. A count's users may be those named beside it, so they are not added.
 * Deduplication: one finding per subject and hour.
 * Severity: HIGH. CRITICAL if the user succeeds within 15 min after the fifth failure from an address without a failure
 *   in that window: the attacker may be in. A count has the first networks of a user's failures and the time of the last.
 * Reason: guessing and spraying (https://attack.mitre.org/techniques/T1110/, T1110/003); five failures of one user, and a
 *   success after five, are common thresholds of published rules:
 *   https://github.com/elastic/detection-rules/blob/main/rules/integrations/anthropic/credential_access_anthropic_multiple_authentication_failures.toml
 *   https://github.com/elastic/detection-rules/blob/main/rules/windows/credential_access_bruteforce_multiple_logon_failure_followed_by_success.toml
 *   https://github.com/elastic/detection-rules/blob/main/rules/integrations/okta/credential_access_okta_password_spray_single_source.toml
 *   The window is short because a person who mistypes gives up sooner.
 */
import type { Finding } from "../../security/alerts/finding.ts";
import { MINUTE_MS } from "../../terms/hours.ts";
import { networkOf } from "../../terms/ip-address.ts";
import { type Fact, inOrder } from "../evidence/fact.ts";
import {
  factsIn,
  groupBy,
  type Hour,
  heavyWindows,
  isIn,
  type Range,
  recent,
  slide,
  type Windows,
  windowsEndingIn,
} from "../evidence/windows.ts";
import { carriedRejections, connectionFindings, connectionKind, isRejection, rule } from "./rejected-credentials.ts";
import { type Advice, findingOfHour, listed, type Rule } from "./rule.ts";
import { minutes, type ThresholdValues, valuesOf } from "./thresholds.ts";

const thresholds = {
  failures: { default: 5, min: 2, max: 50, unit: "failures" },
  windowMinutes: minutes(15, 5),
  // A success counts for less than this long after the last of these failures.
  successMinutes: minutes(15, 5),
  sprayedFailures: { default: 30, min: 10, max: 1_000, unit: "failures" },
  sprayedUsers: { default: 10, min: 3, max: 100, unit: "users" },
  sprayedMinutes: minutes(10, 5),
  rejections: { default: 3, min: 2, max: 20, unit: "rejections of the connection's credentials" },
} as const;

const limitsOf = (set: ThresholdValues | undefined) => {
  const values = valuesOf(thresholds, set);
  return {
    failures: { threshold: values.failures, windowMs: values.windowMinutes * MINUTE_MS },
    successWithinMs: values.successMinutes * MINUTE_MS,
    spraying: {
      users: values.sprayedUsers,
      failures: values.sprayedFailures,
      windowMs: values.sprayedMinutes * MINUTE_MS,
    },
    rejections: values.rejections,
  };
};
type Limits = ReturnType<typeof limitsOf>;

const MAX_CARRIED_FAILURES = 80;

const kinds = {
  user: { subject: "user:", title: "Repeated authentication failures of a user", level: "HIGH" },
  breach: {
    subject: "user:",
    title: "A call from another address succeeded after repeated authentication failures of a user",
    level: "CRITICAL",
  },
  address: { subject: "address:", title: "Repeated authentication failures from an address", level: "HIGH" },
  spraying: {
    subject: "address:",
    title: "Authentication failures of many users from one address",
    level: "HIGH",
  },
  connection: connectionKind,
} as const;

const isTokenFailure = (fact: Fact): boolean =>
  fact.type === "AUTHENTICATION_FAILURE" && fact.source === "user" && !isRejection(fact);

/** The failures that a fact stands for: one, or those of a flood's count. */
const weightOf = ({ failures }: Fact): number => failures ?? 1;

const countFailures = (facts: readonly Fact[]): number =>
  facts.filter(isTokenFailure).reduce((sum, fact) => sum + weightOf(fact), 0);

/** Counts the failures in a window, and the users that they are of. A flood's count has a number of users, but no names. */
const tallyUsers = () => {
  const named = new Map<string, number>();
  const counts: Fact[] = [];
  let weight = 0;
  let unknown = 0;
  /** The user of a token without a valid signature is unknown. */
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
    /** The least number of users: those of counts may be the named ones. */
    users: () => counts.reduce((most, { users = 0 }) => Math.max(most, users), named.size),
    /** The user whose tokens all failures are of, if there is one. */
    onlyUser: (): string | undefined => {
      const isOne = named.size === 1 && unknown === 0 && counts.every(({ users = 0 }) => users <= 1);
      return isOne ? named.keys().next().value : undefined;
    },
  };
};

/** The failures by user: those of one token, and of each count those of the users whom it names. */
const failuresByUser = (failures: readonly Fact[]): Map<string, Fact[]> => {
  const named = failures.flatMap((fact) =>
    (fact.busiest ?? []).map((user) => ({
      ...fact,
      userId: user.userId,
      failures: user.failures,
      at: user.lastAt,
      busiest: [user],
    })),
  );
  const byUser = groupBy([...failures, ...named], ({ userId }) => userId);
  return new Map([...byUser].map(([user, facts]) => [user, inOrder(facts)]));
};

type AddressWindows = { failing: Windows; spraying: Windows };

const networkOfFact = ({ ipAddress }: Fact): string | undefined => ipAddress && networkOf(ipAddress);

/** Whether failures of one user came from a network. A count names the networks of the user's failures. */
const isFrom = (fact: Fact, network: string): boolean =>
  networkOfFact(fact) === network || (fact.busiest?.some(({ addresses }) => addresses.includes(network)) ?? false);

/** The address of failures from one network, or the network if they came from several of its addresses. */
const addressOf = (network: string, facts: readonly Fact[]): string => {
  const [first, ...others] = new Set(facts.map(({ ipAddress }) => ipAddress));
  return first !== undefined && others.length === 0 ? first : network;
};

/** The windows with too many failures, per user and per address. @param failures in order of time. */
const findSuspects = (failures: readonly Fact[], limits: Limits) => {
  const users = new Map<string, Windows[]>();
  const addresses = new Map<string, AddressWindows>();
  const addUser = (user: string, windows: Windows) => {
    if (windows.ranges.length > 0) users.set(user, [...(users.get(user) ?? []), windows]);
  };
  for (const [user, facts] of failuresByUser(failures)) {
    addUser(user, heavyWindows(facts, { ...limits.failures, weightOf }));
  }
  for (const [network, facts] of groupBy(failures, networkOfFact)) {
    const failing: Range[] = [];
    const ofOneUser = new Map<string, Range[]>();
    const tally = tallyUsers();
    slide(facts, limits.failures.windowMs, tally, (_, range) => {
      if (tally.weight() < limits.failures.threshold) return;
      const user = tally.onlyUser();
      if (user === undefined) failing.push(range);
      else ofOneUser.set(user, [...(ofOneUser.get(user) ?? []), range]);
    });
    for (const [user, ranges] of ofOneUser) addUser(user, { facts, ranges });

    const spraying: Range[] = [];
    const wide = tallyUsers();
    slide(facts, limits.spraying.windowMs, wide, (_, range) => {
      const isSpraying = wide.weight() >= limits.spraying.failures && wide.users() >= limits.spraying.users;
      if (isSpraying) spraying.push(range);
    });
    const windows = { failing: { facts, ranges: failing }, spraying: { facts, ranges: spraying } };
    addresses.set(addressOf(network, facts), windows);
  }
  return { users, addresses };
};

const addressesOf = ({ ipAddress, busiest = [] }: Fact) =>
  ipAddress === undefined ? busiest.flatMap(({ addresses }) => addresses) : [ipAddress];

/** The windows without a failure from the network. */
const withoutNetwork = ({ facts, ranges }: Windows, network: string): Windows => {
  const without: Range[] = [];
  let next = 0;
  let latest = -1;
  for (const range of ranges) {
    for (; next <= range.to; next++) {
      const fact = facts[next];
      if (fact !== undefined && isFrom(fact, network)) latest = next;
    }
    if (latest < range.from) without.push(range);
  }
  return { facts, ranges: without };
};

/** The windows that the success follows in time. */
const beforeSuccess = ({ facts, ranges }: Windows, success: Fact, { successWithinMs }: Limits): Windows => ({
  facts,
  ranges: ranges.filter(({ to }) => {
    const elapsedMs = success.at - (facts[to]?.at ?? Number.POSITIVE_INFINITY);
    return elapsedMs >= 0 && elapsedMs < successWithinMs;
  }),
});

/** The successes of a user from elsewhere, and the failures that they followed. */
const breachOf = (windows: readonly Windows[], succeeded: readonly Fact[], limits: Limits) => {
  const breaches = [...groupBy(succeeded, networkOfFact)].flatMap(([network, successes]) => {
    const elsewhere = windows.map((one) => withoutNetwork(one, network));
    return successes.flatMap((success) => {
      const failures = elsewhere.flatMap((one) => factsIn(beforeSuccess(one, success, limits)));
      return failures.length > 0 ? [{ success, failures }] : [];
    });
  });
  return { successes: breaches.map(({ success }) => success), failures: breaches.flatMap(({ failures }) => failures) };
};

type Suspect = { user: string; windows: readonly Windows[]; succeeded: readonly Fact[] };

const userFindings = (hour: Hour, { user, windows, succeeded }: Suspect, limits: Limits): Finding[] => {
  const breach = breachOf(windows, succeeded, limits);
  const failures = windows.flatMap((one) => factsIn(windowsEndingIn(one, hour)));
  const evidence = inOrder([...failures, ...breach.failures, ...breach.successes]);
  if (evidence.length === 0) return [];
  const isBreach = breach.successes.length > 0;
  const details = {
    count: countFailures(evidence),
    ...limits.failures,
    addresses: listed(evidence.filter(isTokenFailure).flatMap(addressesOf)),
    ...(isBreach && { succeededFrom: listed(breach.successes.map(({ ipAddress }) => ipAddress)) }),
  };
  return [
    findingOfHour(hour, evidence, { rule, kind: isBreach ? kinds.breach : kinds.user, id: user, evidence: details }),
  ];
};

const addressFindings = (
  hour: Hour,
  address: string,
  { failing, spraying }: AddressWindows,
  limits: Limits,
): Finding[] => {
  const sprayed = windowsEndingIn(spraying, hour).ranges;
  const evidence = factsIn({ ...failing, ranges: [...windowsEndingIn(failing, hour).ranges, ...sprayed] });
  if (evidence.length === 0) return [];
  const isSpraying = sprayed.length > 0;
  const users = new Set(evidence.flatMap(({ userId }) => userId ?? []));
  const details = {
    count: countFailures(evidence),
    users: evidence.reduce((most, fact) => Math.max(most, fact.users ?? 0), users.size),
    ...(isSpraying
      ? {
          threshold: limits.spraying.failures,
          usersThreshold: limits.spraying.users,
          windowMs: limits.spraying.windowMs,
        }
      : limits.failures),
  };
  const kind = isSpraying ? kinds.spraying : kinds.address;
  return [findingOfHour(hour, evidence, { rule, kind, id: address, evidence: details })];
};

export const repeatedAuthFailuresAdvice: Advice = {
  level: "HIGH",
  action:
    "Ask the users concerned whether it was them, renew their credentials, and restrict calls to known addresses by the IP allowlist.",
};

export const repeatedAuthFailures = {
  id: rule,
  version: 3,
  kinds,
  thresholds,
  carries: (input, set) => {
    const { failures, successWithinMs, spraying } = limitsOf(set);
    // A success in the next hour may follow a window that ended before it.
    const reachMs = Math.max(failures.windowMs + successWithinMs, spraying.windowMs);
    return [
      ...carriedRejections(input),
      ...recent(input.facts.filter(isTokenFailure), input.hour, reachMs).slice(-MAX_CARRIED_FAILURES),
    ];
  },
  judge: (input, set) => {
    const { facts, hour } = input;
    const limits = limitsOf(set);
    const { users, addresses } = findSuspects(facts.filter(isTokenFailure), limits);
    const succeeded = facts.filter(({ success, source, at }) => success && source === "user" && isIn(hour, at));
    const ofUser = groupBy(succeeded, ({ userId }) => userId);
    return [
      ...connectionFindings(input, limits.rejections),
      ...[...users].flatMap(([user, windows]) =>
        userFindings(hour, { user, windows, succeeded: ofUser.get(user) ?? [] }, limits),
      ),
      ...[...addresses].flatMap(([address, windows]) => addressFindings(hour, address, windows, limits)),
    ];
  },
} satisfies Rule;
