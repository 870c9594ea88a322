/** What the names of the API mean to a security administrator: rules, statuses and subjects of alerts. Pure. */
import type { Alert } from "../../api/types.ts";
import { inWords } from "../../words/format.ts";

type RuleWords = {
  name: string;
  /** What the rule finds. */
  means: string;
  /** What to do about it. */
  todo: string;
};

/** The rules as docs/detection.md describes them, and those that no detection raises. */
export const rules: Readonly<Record<string, RuleWords>> = {
  repeated_auth_failures: {
    name: "Repeated authentication failures",
    means:
      "Many invalid or expired tokens were refused in a short time: somebody may be guessing or using stolen tokens. At level critical, one of them then succeeded from a new address.",
    todo: "Ask the user whether these calls were theirs. If not, revoke the user's tokens at your identity provider. To keep the address out, allow only your own networks in Settings.",
  },
  unusual_api_usage: {
    name: "Unusual API usage",
    means: "Far more calls were made in an hour than in the weeks before.",
    todo: "Confirm with the users concerned that they made these calls. If not, revoke their tokens.",
  },
  rate_limit_violations: {
    name: "Rate limit exceeded",
    means: "The provider's rate limit was exceeded several times, or requests had to wait long to stay within it.",
    todo: "Start fewer syncs by hand, or ask the provider for a higher limit.",
  },
  permission_escalation: {
    name: "Permission escalation",
    means:
      "A user tried what the role does not allow: several different things, a change of the settings or the circuit breaker, or data of another organization.",
    todo: "Ask the user what they were looking for, and check which role they need. Revoke their tokens if they did not do it.",
  },
  abnormal_sync_frequency: {
    name: "Abnormal sync frequency",
    means: "Far more syncs were started in an hour than in the weeks before.",
    todo: "Find out who or what starts the syncs, and whether webhooks get lost.",
  },
  sync_silence: {
    name: "No successful sync",
    means: "No sync has succeeded for two intervals, so the records are out of date.",
    todo: "Look at the latest syncs and at the connection to the provider. Connect the account again if need be.",
  },
  system_errors: {
    name: "System errors",
    means: "The service's own database or event bus failed several times within minutes.",
    todo: "Tell the operators of the service. Nothing is wrong with your account.",
  },
  policy_violation: {
    name: "Policy violation",
    means:
      "A call came from an address that your allowlist does not contain, or used an identifier of another organization.",
    todo: "Find out who calls from there. If it is one of your users, add the network to the allowlist.",
  },
  performance_degradation: {
    name: "Slow provider",
    means: "The provider answers many times more slowly than in the weeks before.",
    todo: "Watch how fast the provider answers. If it stays slow, report it to the provider.",
  },
  card_testing: {
    name: "Card testing",
    means:
      "Far more payments failed in an hour than in the weeks before: somebody may be trying stolen cards. At level critical, some of them then succeeded.",
    todo: "Block it at the provider: Radar rules, and a CAPTCHA or rate limit at your checkout. Refund the small payments that succeeded. This is found after the hour and prevents nothing.",
  },
  refund_burst: {
    name: "Burst of refunds",
    means: "Far more was refunded in an hour than in the weeks before, by number or by amount.",
    todo: "See at the provider who made these refunds, cancel those that are pending, and limit who may refund. This is found after the hour and prevents nothing.",
  },
  dispute_rise: {
    name: "Rise of disputes",
    means: "The disputes of seven days are more than 0.75 % of the payments: card networks fine merchants for this.",
    todo: "Answer the disputes before their deadline, and block at the provider, by Radar rules, what the disputed payments have in common.",
  },
  early_fraud_warning: {
    name: "Early fraud warning",
    means: "The card's issuer reports a payment as fraud. Most of these are disputed unless they are refunded first.",
    todo: "Refund the payment before it is disputed, do not deliver, and block the card or the customer at the provider by Radar lists and rules.",
  },
  event_threshold: {
    name: "Serious event",
    means: "One event was serious enough to raise an alert by itself.",
    todo: "Open the newest event to see what happened, to whom, and from which address.",
  },
  connection_key: {
    name: "Provider key",
    means: "The stored live key may do more than this service needs, or is older than a year.",
    todo: "Make a restricted key at the provider with the permissions that Connection lists, and store it there.",
  },
  key_made_by_stranger: {
    name: "Key made by a stranger",
    means: "A key of the account was made or shown to somebody who had done nothing in the account for 28 days.",
    todo: "Ask this person. If it was not them, delete the key at the provider and remove their access.",
  },
  key_seen_then_refused: {
    name: "Key seen, then refused",
    means: "A key of the account was viewed or changed, and within a day the provider refused our calls.",
    todo: "Roll all keys of the account, look for users you do not know, and connect again with a new key.",
  },
  payout_after_access: {
    name: "Payouts after a change of access",
    means: "Where payouts go was changed within a day after a change of users, roles, single sign-on or keys.",
    todo: "Check the payout destination at the provider at once, and stop payouts if it is not yours.",
  },
  access_burst: {
    name: "Burst of access changes",
    means: "Access to the account was changed many times in an hour, or given and taken away within a day.",
    todo: "Compare users, roles and keys at the provider with what your team has changed.",
  },
  endpoint_tampered: {
    name: "Webhook endpoint changed",
    means: "Our webhook endpoint was changed, disabled or deleted at the provider by others.",
    todo: "Find out who did it, and connect again with a new webhook registration.",
  },
  notifications_paused: {
    name: "Notifications paused",
    means: "A destination of notifications was paused by the service: alerts do not reach it any more.",
    todo: "Open Notifications, look at the deliveries of the paused destination, mend its receiver, and resume it.",
  },
  notifications_silenced: {
    name: "Notifications silenced",
    means: "A user paused, deleted, moved or narrowed a destination of notifications, or its recipient unsubscribed.",
    todo: "Open the newest event to see who did that, and ask them. If it was not wanted, undo the change, and revoke the user's tokens.",
  },
  detection_rule_off: {
    name: "Detection rule off",
    means: "A user switched a detection rule off: it finds nothing until it is switched on again.",
    todo: "Open the event to see who did that, and ask them. Switch the rule on again if it was not wanted; this alert is then resolved.",
  },
  evidence_incomplete: {
    name: "Evidence incomplete",
    means:
      "On this day, not as many events are recorded as are counted, sealed and archived: events were lost or added.",
    todo: "The message names the first hour. Ask the operators of the service who wrote to its tables; the alert is resolved in the night in which the sums are equal again.",
  },
  alerts_muted: {
    name: "Alerts muted",
    means: "A user muted alerts of level high or critical: they are raised, but not sent until the mute ends.",
    todo: "Open the mute to see which alerts, until when and why. End it if it was not wanted; this alert is then resolved.",
  },
  manual: {
    name: "Raised by hand",
    means: "A person in your organization raised this alert.",
    todo: "Read the message and the events. The history shows who looks after it.",
  },
};

/** A property of the record itself: a name of the API may be "constructor". */
export const ownOf = <Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** What the rules of an organization's own begin with, before their id. */
export const OWN_RULE = "custom_";

/** The id of an own rule; undefined for all others. */
export const ownRuleId = (rule: string): string | undefined =>
  rule.startsWith(OWN_RULE) ? rule.slice(OWN_RULE.length) : undefined;

/** A rule of a later version of the service has its name only. The title of an own rule's alert is the rule's name. */
export const ruleName = (rule: string): string =>
  ownRuleId(rule) === undefined ? (ownOf(rules, rule)?.name ?? inWords(rule)) : "Own rule";

export const statusNames: Readonly<Record<Alert["status"], string>> = {
  open: "Open",
  acknowledged: "Acknowledged",
  resolved: "Resolved",
};

/** What a resolved alert turned out to be. */
export const causeNames: Readonly<Record<NonNullable<Alert["cause"]>, string>> = {
  true_alarm: "True alarm",
  false_alarm: "False alarm",
  test: "Test",
};

export type Cause = NonNullable<Alert["cause"]>;

export const causeOptions: readonly (readonly [Cause | "", string])[] = [
  ["", "Not said"],
  ...(Object.entries(causeNames) as [Cause, string][]),
];

const fixedSubjects: Readonly<Record<string, string>> = {
  age: "The age of the key",
  connection: "The connection",
  disputes: "Disputes",
  organization: "The whole organization",
  payments: "Payments",
  provider: "The provider",
  refunds: "Refunds",
  system: "The service itself",
  unrestricted: "What the key may do",
  webhooks: "Webhooks",
  "limit:provider": "The provider's rate limit",
  "limit:pace": "The service's own rate limit",
  "trigger:manual": "Syncs started by hand",
  "trigger:webhook_gap": "Syncs after lost webhooks",
};

/** `filters`: the events of the same user or address. `destinationId`: a destination of notifications. `muteId`: a mute. */
export type Subject = {
  text: string;
  destinationId?: string;
  muteId?: string;
  filters?: { userId: string } | { ipAddress: string };
};

/** The group that an own rule found. Those beyond the busiest 200 are counted together. */
const ownSubject = (subject: string): Subject => {
  const [, field, value = ""] = /^(\w+):(.+)$/s.exec(subject) ?? [];
  if (field === "userId") return { text: `User ${value}`, filters: { userId: value } };
  // A network is no address that events can be filtered by.
  if (field === "ipAddress")
    return { text: `Address ${value}`, ...(!value.includes("/") && { filters: { ipAddress: value } }) };
  if (subject === "others") return { text: "All others together" };
  return { text: field === undefined ? subject : `${inWords(field)} ${value}` };
};

/** What an alert is about. Undefined for an alert that was raised by hand: it is about itself. */
export const subjectOf = ({ rule, subject }: Pick<Alert, "rule" | "subject">): Subject | undefined => {
  if (rule === "manual") return undefined;
  if (rule === "notifications_paused" || rule === "notifications_silenced")
    return { text: "A destination of notifications", destinationId: subject };
  if (rule === "alerts_muted") return { text: "A mute", muteId: subject };
  if (rule === "evidence_incomplete") return { text: `The day ${subject}` };
  if (rule === "detection_rule_off") return { text: `Rule: ${ruleName(subject)}` };
  const fixed = ownOf(fixedSubjects, subject);
  if (ownRuleId(rule) !== undefined && fixed === undefined) return ownSubject(subject);
  if (fixed !== undefined) return { text: fixed };
  // The subject of an event's alert begins with the event's type.
  const [, type, rest = subject] = /^([A-Z_]+)(?: (.+))?$/s.exec(subject) ?? [];
  const [, kind, id = ""] = /^(user|address|warning):(.+)$/s.exec(rest) ?? [];
  if (kind === "warning") return { text: `Payment ${id}` };
  if (kind === "user") return { text: `User ${id}`, filters: { userId: id } };
  // A network is no address that events can be filtered by.
  if (kind === "address") return { text: `Address ${id}`, ...(!id.includes("/") && { filters: { ipAddress: id } }) };
  return { text: rest === type ? inWords(rest) : rest };
};
