/** From what a caller of the recorder says to the event that is stored: clean, bounded, and with its place in time. */

import { isAtLeast, type RiskLevel } from "../terms/risk-levels.ts";
import { riskOfError } from "./categorise-error.ts";
import { eventId } from "./event-id.ts";
import { sanitiseMetadata, sanitiseText } from "./redaction/redact-and-cut.ts";
import type { NewSecurityEvent, SecurityEvent } from "./security-event.ts";

/** Decisions: docs/decisions.md, "Security events". */
const USER_AGENT_MAX_CHARACTERS = 256;
const MESSAGE_MAX_CHARACTERS = 512;
const FIELD_MAX_CHARACTERS = 256;

export type EventSettings = {
  /** Below it nothing is recorded. */
  logLevel: RiskLevel;
  /** An event at or above it raises an alert. */
  alertThreshold: RiskLevel;
  retentionDays: number;
};

/**
 * Whether an event raises an alert: where it reaches the threshold, and where the provider refuses an organization's
 * credentials, whatever the threshold, since nothing is synced from then on. What a stranger can send raises none so.
 */
const raisesAlert = ({ eventType, resourceType, source }: NewSecurityEvent, risk: RiskLevel, threshold: RiskLevel) =>
  isAtLeast(risk, threshold) ||
  (eventType === "AUTHENTICATION_FAILURE" && resourceType === "provider_account" && source !== "webhook");

type Identity = { timestamp: number; now: number; random: Uint8Array };

const cleanTexts = (event: NewSecurityEvent): Partial<SecurityEvent> => {
  const bounds = {
    userAgent: USER_AGENT_MAX_CHARACTERS,
    errorMessage: MESSAGE_MAX_CHARACTERS,
    ipAddress: FIELD_MAX_CHARACTERS,
    resource: FIELD_MAX_CHARACTERS,
    action: FIELD_MAX_CHARACTERS,
    errorCode: FIELD_MAX_CHARACTERS,
  } as const;
  const clean: Partial<SecurityEvent> = {};
  for (const [name, max] of Object.entries(bounds) as [keyof typeof bounds, number][]) {
    const value = event[name];
    if (value !== undefined) clean[name] = sanitiseText(value, max);
  }
  return clean;
};

/** The risk of an event: as it was said, or as the kind of its error has it. */
export const levelOf = (said: NewSecurityEvent): RiskLevel => said.riskLevel ?? riskOfError(said.errorKind);

/**
 * The event to store. Organization, user and session keep their spelling, because they are what it is found by; every
 * other text is redacted and cut.
 * @param identity.timestamp when it happened, and `now` when it is recorded, both epoch ms.
 * @param identity.random 16 bytes; a digest's where the same event must get the same id again.
 */
export const buildEvent = (
  said: NewSecurityEvent,
  { alertThreshold }: Pick<EventSettings, "alertThreshold">,
  { timestamp, now, random }: Identity,
): SecurityEvent => {
  const { metadata, errorKind, ...fields } = said;
  const riskLevel = levelOf(said);
  const alertGenerated = raisesAlert(said, riskLevel, alertThreshold);
  const facts = errorKind === undefined ? metadata : { ...metadata, errorCategory: errorKind };
  return {
    ...fields,
    ...cleanTexts(said),
    riskLevel,
    ...(facts !== undefined && { metadata: sanitiseMetadata(facts) }),
    id: eventId(timestamp, random),
    processed: false,
    alertGenerated,
    ...(alertGenerated && { alertLevel: riskLevel }),
    timestamp,
    createdAt: now,
  };
};
