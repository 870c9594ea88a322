/**
 * A request violates the organization's settings.
 *
 * Reads: PERMISSION_DENIED because of the caller's address, or because of an id that was issued to another organization.
 *   Each is found when it happens, and marked; the hour finds those that were recorded unmarked.
 * Groups: `address:…`; `user:…` of such an id. Threshold: one. Window: the hour. Deduplication: one finding per subject
 *   and hour.
 * Severity: HIGH: a valid token is used from a place, or for a purpose, that is not allowed.
 * Reason: a token used from another address may be stolen (https://attack.mitre.org/techniques/T1078/).
 */
import { ADDRESS_NOT_ALLOWED, isBlockedAddress, isForeignId } from "../evidence/fact.ts";
import { groupBy, isIn } from "../evidence/windows.ts";
import { type Advice, findingOfHour, findingOfRefusal, listed, type Rule } from "./rule.ts";

const rule = "policy_violation";

const kinds = {
  blocked: {
    subject: "address:",
    title: "Calls from an address that the organization does not allow",
    level: "HIGH",
  },
  foreign: { subject: "user:", title: "A user sent a cursor or a state of another organization", level: "HIGH" },
} as const;

export const policyViolationAdvice: Advice = {
  level: "HIGH",
  action: "Find out who calls from blocked addresses or with foreign ids; if it is a user, correct the IP allowlist.",
};

export const policyViolation = {
  id: rule,
  version: 1,
  kinds,
  thresholds: {},
  judge: ({ facts, hour }) => {
    const violations = facts.filter(
      (fact) => (isBlockedAddress(fact) || isForeignId(fact)) && fact.judgedAtOnce !== true && isIn(hour, fact.at),
    );
    const subjects = groupBy(violations, (fact) =>
      isForeignId(fact) && fact.userId !== undefined
        ? kinds.foreign.subject + fact.userId
        : `${kinds.blocked.subject}${fact.ipAddress}`,
    );
    return [...subjects].map(([subject, evidence]) =>
      findingOfHour(hour, evidence, {
        rule,
        kind: { ...(evidence.some(isForeignId) ? kinds.foreign : kinds.blocked), subject },
        evidence: {
          count: evidence.length,
          users: listed(evidence.map(({ userId }) => userId)),
          threshold: 1,
          windowMs: hour.end - hour.start,
        },
      }),
    );
  },
  judgeRefusal: (refused) => {
    const { errorCode, permission, ipAddress, userId } = refused;
    if (refused.namesOtherOrganization) {
      const subject = userId === undefined ? kinds.blocked.subject : kinds.foreign.subject;
      const evidence = { count: 1, permission, address: ipAddress };
      return findingOfRefusal(refused, {
        rule,
        kind: { ...kinds.foreign, subject },
        id: userId ?? ipAddress,
        evidence,
      });
    }
    if (errorCode !== ADDRESS_NOT_ALLOWED) return undefined;
    const evidence = { count: 1, users: userId === undefined ? [] : [userId] };
    return findingOfRefusal(refused, { rule, kind: kinds.blocked, id: ipAddress, evidence });
  },
} satisfies Rule;
