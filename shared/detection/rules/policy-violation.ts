/**
 * Somebody acts against what the organization has settled.
 *
 * Reads: PERMISSION_DENIED because of the address that a call came from. Each is found when it happens, and marked, as is
 *   an id that names another organization; this finds what was recorded unmarked.
 * Group: `address:…`. Threshold: one. Window: the hour. Deduplication: one finding per address and hour.
 * Severity: HIGH: a valid token is used where it may not be.
 * Reason: a token that comes from elsewhere may be a stolen one (https://attack.mitre.org/techniques/T1078/).
 */
import { catalogueEntry } from "../../api/error-catalogue.ts";
import type { Fact } from "../fact.ts";
import { findingOfHour, isIn, listed } from "../make-finding.ts";
import type { Rule } from "../rule.ts";
import { groupBy } from "../sliding-window.ts";

const rule = "policy_violation";

const ADDRESS_REFUSED = String(catalogueEntry("ip_address_not_allowed").number);

/** Whether a request was denied because of its address. */
export const isBlockedAddress = ({ type, errorCode }: Pick<Fact, "type" | "errorCode">): boolean =>
  type === "PERMISSION_DENIED" && errorCode === ADDRESS_REFUSED;

export const BLOCKED_TITLE = "Calls from an address that the organization does not allow";

export const policyViolation: Rule = {
  id: rule,
  version: 1,
  judge: ({ facts, hour }) => {
    const blocked = facts.filter((fact) => isBlockedAddress(fact) && fact.judgedAtOnce !== true && isIn(hour, fact.at));
    return [...groupBy(blocked, ({ ipAddress }) => ipAddress)].map(([address, evidence]) =>
      findingOfHour(hour, evidence, {
        rule,
        subject: `address:${address}`,
        title: BLOCKED_TITLE,
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
