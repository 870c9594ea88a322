/**
 * The security event of a destination that the service pauses by itself. Sending has no right to record it, so it travels as
 * an event that was not recorded: a queue keeps it until restore-security-events has recorded it and raised its alert. Pure.
 */
import { definedFields } from "../json/defined-fields.ts";
import { UNRECORDED_EVENT_TYPE, type UnrecordedEvent } from "../security/dead-letters.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import { sanitiseMetadata } from "../security/redaction/redact-and-cut.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import type { Destination } from "./destination.ts";
import type { MailFailure } from "./mail-feedback.ts";

/** `at`, `failingSince`: epoch ms. `because`: what became of a mail. */
export type PausedDestination = {
  organizationId: string;
  destination: Pick<Destination, "id" | "type" | "name">;
  reason: "failing" | "gone";
  because?: MailFailure;
  failingSince?: number | undefined;
  at: number;
};

/** The bus event of a pause. Its security event has an alert whatever ALERT_THRESHOLD, and the same id if it is repeated. */
export const pausedEvent = ({ organizationId, destination, reason, because, failingSince, at }: PausedDestination) => {
  const { id, type, name } = destination;
  const detail: UnrecordedEvent = {
    version: 1,
    stage: "record",
    event: {
      id: eventId(at, identityOf("destination_paused", organizationId, id)),
      organizationId,
      eventType: "NOTIFICATIONS_PAUSED",
      category: "system",
      riskLevel: "HIGH",
      source: "system",
      resource: id,
      resourceType: "provider_account",
      action: "pause_destination",
      success: false,
      metadata: sanitiseMetadata({
        destinationType: type,
        destinationName: name,
        reason,
        ...definedFields({ because, failingSince }),
      }),
      processed: false,
      alertGenerated: true,
      alertLevel: "HIGH",
      timestamp: at,
      createdAt: at,
    },
  };
  return { source: EVENT_SOURCE, detailType: UNRECORDED_EVENT_TYPE, detail };
};
