/** Alerts that operators generate by hand. Pure: time and randomness are arguments. */

import { eventId, timeOfEventId } from "../event-id.ts";
import { sanitiseMetadata, sanitiseText } from "../redaction/redact-and-cut.ts";
import type { Alert } from "./alert.ts";
import { alertHash, alertId } from "./alert-key.ts";
import { MANUAL_RULE } from "./alert-raising.ts";
import type { GenerateAlert } from "./alert-request.ts";

/** As long as a request's, and some: a marker may be longer than what it stands for. */
const TITLE_MAX_CHARACTERS = 256;
const MESSAGE_MAX_CHARACTERS = 1_024;
const ID_MAX_CHARACTERS = 128;

/** Ids of ours stay; whatever else stands in the place of one is a text like any other. */
const cleanId = (id: string): string => (timeOfEventId(id) === undefined ? sanitiseText(id, ID_MAX_CHARACTERS) : id);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * An alert of its own, even if another says the same: its subject is nothing but itself. Redacted, since operators
 * paste what they see.
 * @param moment.at epoch ms.
 * @param moment.random 16 bytes.
 */
export const manualAlert = (asked: GenerateAlert, { at, random }: { at: number; random: Uint8Array }): Alert => {
  const subject = eventId(at, random);
  const metadata = asked.metadata === undefined ? undefined : sanitiseMetadata(asked.metadata);
  return {
    id: alertId(alertHash("manual", MANUAL_RULE, subject), at, random),
    title: sanitiseText(asked.title, TITLE_MAX_CHARACTERS),
    level: asked.riskLevel,
    rule: MANUAL_RULE,
    subject,
    status: "open",
    count: 1,
    firstSeen: at,
    lastSeen: at,
    eventIds: [...new Set(asked.eventIds?.map(cleanId))],
    ...(asked.message !== undefined && { message: sanitiseText(asked.message, MESSAGE_MAX_CHARACTERS) }),
    ...(isObject(metadata) && { metadata }),
    revision: 1,
  };
};
