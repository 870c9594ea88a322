/**
 * What the findings of each account rule say, and what an administrator may set. Apart from the rules, so that reports and
 * the list of rules bundle none of them. Pure.
 */
import type { AccountRule } from "../../security/alerts/finding.ts";
import type { RiskLevel } from "../../terms/risk-levels.ts";
import { minutes, type Thresholds } from "../rules/thresholds.ts";

/** `action`: what to do, in the alert and in the weekly review. */
type AccountKind = { title: string; level: RiskLevel; action: string; thresholds: Thresholds };

const hours = (byDefault: number, max: number) => ({ default: byDefault, min: 1, max, unit: "hours" }) as const;

/** An entry is at most this long before the one that completes its story. */
const windowHours = hours(24, 72);

export const accountKinds = {
  key_made_by_stranger: {
    title: "A key of the account was made by, or shown to, somebody who was not seen for weeks",
    level: "HIGH",
    action: "Ask this person. If it was not them, delete the key at the provider and remove their access.",
    thresholds: {
      /** The first read of an account reaches back 28 days. */
      baselineDays: { default: 28, min: 7, max: 28, unit: "days" },
      /** An actor is known from this long after its first entry of any type. */
      knownAfterHours: hours(24, 168),
    },
  },
  key_seen_then_refused: {
    title: "A key of the account was seen or changed, and our calls were refused soon after",
    level: "CRITICAL",
    action: "Roll all keys of the account, look for users you do not know, and connect again with a new key.",
    thresholds: { windowHours },
  },
  payout_after_access: {
    title: "The settings of payouts were changed soon after a change of access",
    level: "CRITICAL",
    action: "Check the payout destination at the provider at once, and stop payouts if it is not yours.",
    thresholds: { windowHours },
  },
  access_burst: {
    title: "Many changes of access to the account in a short time",
    level: "HIGH",
    action: "Compare users, roles and keys at the provider with what your team has changed.",
    thresholds: {
      changes: { default: 5, min: 3, max: 50, unit: "changes of access" },
      windowMinutes: minutes(60, 10),
      /** From the invitation of an administrator to the removal. */
      administratorHours: windowHours,
    },
  },
  endpoint_tampered: {
    title: "Our webhook endpoint was changed at the provider by others",
    level: "HIGH",
    action: "Find out who did it, and connect again with a new webhook registration. A sync run reads what was missed.",
    thresholds: {
      /** After a request of ours has changed the endpoint, an entry about it counts as ours for this long. */
      ownChangeMinutes: { default: 10, min: 1, max: 60, unit: "minutes" },
    },
  },
} as const satisfies Record<AccountRule, AccountKind>;
