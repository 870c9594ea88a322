/**
 * The brute force of a drill: as many refused tokens from one address as the rule needs, and what the rule finds in them.
 * Pure. The address is one of those that are reserved for documentation (RFC 5737), so no caller has it.
 */
import { noBaseline } from "../detection/evidence/baseline.ts";
import { factOf, inOrder } from "../detection/evidence/fact.ts";
import { repeatedAuthFailures } from "../detection/rules/repeated-auth-failures.ts";
import type { RuleInput } from "../detection/rules/rule.ts";
import type { Finding } from "../security/alerts/finding.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import type { EventMoment } from "../security/recorder.ts";
import type { NewSecurityEvent, SecurityEvent } from "../security/security-event.ts";
import { catalogueEntry } from "../terms/error-catalogue.ts";
import { HOUR_MS, startOfHour } from "../terms/hours.ts";

const ADDRESS = "192.0.2.1";
const FAILURES = repeatedAuthFailures.thresholds.failures.default;

/** LOW, because nothing has happened; the rule reads no levels. */
const failure = (organizationId: string, drillId: string): NewSecurityEvent => ({
  eventType: "AUTHENTICATION_FAILURE",
  category: "authentication",
  riskLevel: "LOW",
  source: "user",
  organizationId,
  ipAddress: ADDRESS,
  userAgent: "Drill",
  action: "drill",
  success: false,
  errorCode: String(catalogueEntry("invalid_token").number),
  errorMessage: "Drill: nothing has happened.",
  metadata: { drillId },
  drill: true,
});

type Drilled = { id: string; startedAt: number };

/** The events of a drill, each with its moment and its id: recorded again, they are the same. */
export const drillEvents = (
  organizationId: string,
  { id: drillId, startedAt }: Drilled,
): { id: string; event: NewSecurityEvent; moment: Required<EventMoment> }[] =>
  Array.from({ length: FAILURES }, (_, index) => {
    const identity = identityOf("drill", organizationId, drillId, index);
    const event = failure(organizationId, drillId);
    return { id: eventId(startedAt, identity), event, moment: { timestamp: startedAt, identity } };
  });

/** What the rule finds in the stored events of a drill; undefined if they are not whole. */
export const judgeDrill = (events: readonly SecurityEvent[], { startedAt }: Drilled): Finding | undefined => {
  const start = startOfHour(startedAt);
  const input: RuleInput = {
    hour: { start, end: start + HOUR_MS },
    facts: inOrder(events.map(factOf)),
    baseline: noBaseline,
    baselineOfUser: () => noBaseline,
    isKnown: () => false,
    runs: [],
    runBaseline: noBaseline,
    connection: undefined,
  };
  // With its default thresholds: the organization's settings may switch the rule off.
  const [finding] = repeatedAuthFailures.judge(input, undefined);
  return finding;
};
