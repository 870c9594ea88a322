/**
 * Somebody, or something, is not let in again and again.
 *
 * Reads: AUTHENTICATION_FAILURE of source `user` (a caller's token) or of operations against the provider (the
 *   connection's credentials), never of source `webhook`, which any stranger could send; a count record weighs what it
 *   stands for. A key that is refused while connecting is a PROVIDER_REQUEST, and is not read.
 * Groups, thresholds, windows:
 *   `user:…`, `address:…`: 5 failures in 15 min. Failures of one address with one user's tokens are that user's alone.
 *   `address:…`: 30 failures of 10 users in 10 min. A count's users may be those named beside it, so not added to them.
 *   `connection`: 3 refusals without a succeeded run between, through any reconnecting, in 28 days.
 * Deduplication: one finding per subject and hour.
 * Severity: HIGH. CRITICAL where a success of the user comes within 15 min after the fifth failure, from an address
 *   that no failure in that window came from: whoever guessed may be in.
 * Reason: guessing and spraying (https://attack.mitre.org/techniques/T1110/, T1110/003); five failures of one user, and
 *   a success after five, are common thresholds of published rules:
 *   https://github.com/elastic/detection-rules/blob/main/rules/integrations/anthropic/credential_access_anthropic_multiple_authentication_failures.toml
 *   https://github.com/elastic/detection-rules/blob/main/rules/windows/credential_access_bruteforce_multiple_logon_failure_followed_by_success.toml
 *   https://github.com/elastic/detection-rules/blob/main/rules/integrations/okta/credential_access_okta_password_spray_single_source.toml
 *   The window is short because a person who mistypes gives up sooner. Two failed connections may be a typing error.
 */
import type { Finding } from "../../security/alerts/finding.ts";
import { carriedRefusals, connectionFindings, isConnectionRefusal } from "./connection-refusals.ts";
import type { Fact } from "./fact.ts";
import { findingOfHour, isIn, listed, recent } from "./make-finding.ts";
import type { Rule, RuleInput } from "./rule.ts";
import { groupBy } from "./sliding-window.ts";
import {
  before,
  endingIn,
  FAILURES,
  type Firings,
  failuresOf,
  findSuspects,
  MANY_USERS,
  SUCCESS_WITHIN_MS,
  weightOf,
  withoutAddress,
} from "./token-failures.ts";

const rule = "repeated_auth_failures";

const isTokenFailure = (fact: Fact): boolean =>
  fact.type === "AUTHENTICATION_FAILURE" && fact.source === "user" && !isConnectionRefusal(fact);

const inOrder = (facts: Iterable<Fact>): Fact[] =>
  [...new Set(facts)].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));

const failureCount = (facts: readonly Fact[]): number =>
  facts.filter(isTokenFailure).reduce((sum, fact) => sum + weightOf(fact), 0);

/** Successes of a user from elsewhere, and the failures that they came after. */
const breachOf = (firings: readonly Firings[], succeeded: readonly Fact[]) => {
  const breaches = [...groupBy(succeeded, ({ ipAddress }) => ipAddress)].flatMap(([address, successes]) => {
    const elsewhere = firings.map((one) => withoutAddress(one, address));
    return successes.flatMap((success) => {
      const failures = elsewhere.flatMap((one) => failuresOf(before(one, success)));
      return failures.length > 0 ? [{ success, failures }] : [];
    });
  });
  return { successes: breaches.map(({ success }) => success), failures: breaches.flatMap(({ failures }) => failures) };
};

const userFinding = (
  hour: RuleInput["hour"],
  user: string,
  firings: readonly Firings[],
  successes: readonly Fact[],
) => {
  const breach = breachOf(firings, successes);
  const ownFailures = firings.flatMap((one) => failuresOf(endingIn(one, hour)));
  const evidence = inOrder([...ownFailures, ...breach.failures, ...breach.successes]);
  if (evidence.length === 0) return [];
  const isBreached = breach.successes.length > 0;
  const details = {
    count: failureCount(evidence),
    threshold: FAILURES.threshold,
    windowMs: FAILURES.windowMs,
    addresses: listed(evidence.filter(isTokenFailure).map(({ ipAddress }) => ipAddress)),
    ...(isBreached && { succeededFrom: listed(breach.successes.map(({ ipAddress }) => ipAddress)) }),
  };
  return [
    findingOfHour(hour, evidence, {
      rule,
      subject: `user:${user}`,
      title: isBreached
        ? "A user's success from elsewhere after repeated authentication failures"
        : "Repeated authentication failures of a user",
      level: isBreached ? "CRITICAL" : "HIGH",
      evidence: details,
    }),
  ];
};

const addressFinding = (
  hour: RuleInput["hour"],
  address: string,
  { several, manyUsers }: { several: Firings; manyUsers: Firings },
) => {
  const spraying = endingIn(manyUsers, hour);
  const windows = [...endingIn(several, hour).windows, ...spraying.windows];
  const evidence = failuresOf({ facts: several.facts, windows });
  if (evidence.length === 0) return [];
  const isSpraying = spraying.windows.length > 0;
  const users = new Set(evidence.flatMap(({ userId }) => (userId === undefined ? [] : [userId])));
  const details = {
    count: failureCount(evidence),
    users: evidence.reduce((most, fact) => Math.max(most, fact.users ?? 0), users.size),
    ...(isSpraying
      ? { threshold: MANY_USERS.failures, usersThreshold: MANY_USERS.users, windowMs: MANY_USERS.windowMs }
      : { threshold: FAILURES.threshold, windowMs: FAILURES.windowMs }),
  };
  return [
    findingOfHour(hour, evidence, {
      rule,
      subject: `address:${address}`,
      title: isSpraying
        ? "Authentication failures of many users from one address"
        : "Repeated authentication failures from an address",
      level: "HIGH",
      evidence: details,
    }),
  ];
};

export const repeatedAuthFailures: Rule = {
  id: rule,
  version: 1,
  carries: (input) => [
    ...carriedRefusals(input),
    // A success may follow a window that lies before the hour.
    ...recent(input.facts.filter(isTokenFailure), input.hour, FAILURES.windowMs + SUCCESS_WITHIN_MS).slice(-80),
  ],
  judge: (input) => {
    const { facts, hour } = input;
    const { users, addresses } = findSuspects(facts.filter(isTokenFailure));
    const succeeded = facts.filter(({ success, source, at }) => success && source === "user" && isIn(hour, at));
    const findings: Finding[] = connectionFindings(input);
    for (const [user, firings] of users) {
      const successes = succeeded.filter(({ userId }) => userId === user);
      findings.push(...userFinding(hour, user, firings, successes));
    }
    for (const [address, suspect] of addresses) findings.push(...addressFinding(hour, address, suspect));
    return findings;
  },
};
