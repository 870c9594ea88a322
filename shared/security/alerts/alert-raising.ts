/** How alerts come about: what each cause says of the alert that it raises. Pure; finding.ts has detection's. */

import type { RiskLevel } from "../../terms/risk-levels.ts";
import type { Json } from "../redaction/redact.ts";
import { type EventType, eventTypes, type SecurityEvent } from "../security-event.ts";
import type { AlertKind } from "./alert-key.ts";

/**
 * A reason to raise an alert: a new one, or the unresolved one of the same rule and subject again.
 * Its texts are redacted and cut already. Times are those of the evidence, in epoch ms.
 */
export type Raising = {
  kind: Exclude<AlertKind, "manual">;
  rule: string;
  subject: string;
  title: string;
  level: RiskLevel;
  message?: string;
  /** Names this very reason: one that comes twice counts once. Of two, the later sorts after the earlier. */
  occurrence: string;
  eventIds: readonly string[];
  evidence?: { count: number; details: Json };
  firstSeen: number;
  lastSeen: number;
};

export const EVENT_RULE = "event_threshold";
export const MANUAL_RULE = "manual";

const isOurs = (eventType: string): eventType is EventType => Object.hasOwn(eventTypes, eventType);

/**
 * Whom or what an event is about. Failed authentication is an address's: whoever floods us with tokens of many users
 * raises one alert. Everything else is a user's, or else a resource's.
 */
const subjectOf = ({ eventType, category, userId, ipAddress, resource }: SecurityEvent): string => {
  const user = userId && `user:${userId}`;
  const address = ipAddress && `address:${ipAddress}`;
  const about = (category === "authentication" ? (address ?? user) : (user ?? address)) ?? resource;
  return about === undefined ? eventType : `${eventType} ${about}`;
};

/** The raising of an alert that says that one event reached the threshold. */
export const raisingOfEvent = (event: SecurityEvent): Raising => {
  const { id, eventType, riskLevel, errorMessage, timestamp } = event;
  return {
    kind: "event",
    rule: EVENT_RULE,
    subject: subjectOf(event),
    title: isOurs(eventType) ? eventTypes[eventType] : eventType,
    level: riskLevel,
    ...(errorMessage !== undefined && { message: errorMessage }),
    occurrence: id,
    eventIds: [id],
    firstSeen: timestamp,
    lastSeen: timestamp,
  };
};
