/**
 * Somebody acts against what the organization has settled.
 *
 * Reads: PERMISSION_DENIED because of the address that a call came from, or of an id that names another organization.
 *   Each is found when it happens, and marked; this finds what was recorded unmarked.
 * Groups: `address:…`; `user:…` of such an id. Threshold: one. Window: the hour. Deduplication: one finding per subject
 *   and hour.
 * Severity: HIGH: a valid token is used where, or for what, it may not be.
 * Reason: a token that comes from elsewhere may be a stolen one (https://attack.mitre.org/techniques/T1078/).
 */
import { catalogueEntry } from "../../terms/error-catalogue.ts";
import type { Fact } from "./fact.ts";
import { findingOfHour, isIn, listed } from "./make-finding.ts";
import type { Rule } from "./rule.ts";
import { groupBy } from "./sliding-window.ts";

const rule = "policy_violation";

const ADDRESS_REFUSED = String(catalogueEntry("ip_address_not_allowed").number);

/** Whether a request was denied because of its address. */
export const isBlockedAddress = ({ type, errorCode }: Pick<Fact, "type" | "errorCode">): boolean =>
  type === "PERMISSION_DENIED" && errorCode === ADDRESS_REFUSED;

/** Whether a cursor or a state was refused that another organization had been given: no other refusal is CRITICAL. */
export const isForeignId = ({ type, source, riskLevel }: Fact): boolean =>
  type === "PERMISSION_DENIED" && source === "user" && riskLevel === "CRITICAL";

export const BLOCKED_TITLE = "Calls from an address that the organization does not allow";
export const FOREIGN_TITLE = "A user sent what was given to another organization";

const subjectOf = (fact: Fact): string =>
  isForeignId(fact) && fact.userId !== undefined ? `user:${fact.userId}` : `address:${fact.ipAddress}`;

export const policyViolation: Rule = {
  id: rule,
  version: 1,
  judge: ({ facts, hour }) => {
    const violations = facts.filter(
      (fact) => (isBlockedAddress(fact) || isForeignId(fact)) && fact.judgedAtOnce !== true && isIn(hour, fact.at),
    );
    return [...groupBy(violations, subjectOf)].map(([subject, evidence]) =>
      findingOfHour(hour, evidence, {
        rule,
        subject,
        title: evidence.some(isForeignId) ? FOREIGN_TITLE : BLOCKED_TITLE,
        level: "HIGH",
        evidence: {
          count: evidence.length,
          users: listed(evidence.map(({ userId }) => userId)),
          threshold: 1,
          windowMs: hour.end - hour.start,
        },
      }),
    );
  },
};
