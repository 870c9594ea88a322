/**
 * The security events of changed destinations. They name neither the URL nor the address. Each change leaves exactly one:
 * the write that makes a change also stores it, until its event is recorded. If the instance dies in between, the next
 * request that changes the destination records the event; of a deletion, the next deletion in the organization. A change that
 * silences has a message that does so within minutes (silencing.ts).
 */
import * as z from "zod/mini";
import { asSideWork } from "../runtime/deadline.ts";
import { writeLog } from "../runtime/log.ts";
import { titleOfEvent } from "../security/alerts/event-title.ts";
import { UNRECORDED_EVENT_TYPE, type UnrecordedEvent } from "../security/dead-letters.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import { sanitiseMetadata, sanitiseText } from "../security/redaction/redact-and-cut.ts";
import { maxCharacters, type NewSecurityEvent } from "../security/security-event.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import {
  addressOf,
  type Origin,
  RequestOrigin,
  requesterFields,
  requesterOf,
  type UserRequest,
} from "../terms/requester.ts";
import { type Destination, destinationTypes } from "./destination.ts";
import { silencingKinds } from "./silencing.ts";

const destinationActions = [
  "create_destination",
  "change_destination",
  "delete_destination",
  "confirm_destination",
  "unsubscribe_destination",
] as const;

/**
 * A change, as it is stored until its event is recorded. `version` identifies it: recorded again, it is the same event.
 * `at`: epoch ms. `fields`: the names of those that changed. `silenced`: how the destination gets fewer alerts. The recipient
 * of a mail, who used its link, has no `userId`.
 */
export const UnrecordedChange = z.object({
  action: z.enum(destinationActions),
  destination: z.object({ id: z.string(), type: z.enum(destinationTypes), name: z.string() }),
  version: z.string(),
  at: z.number(),
  fields: z.optional(z.array(z.string())),
  silenced: z.optional(z.enum(silencingKinds)),
  userId: z.optional(z.string()),
  ...RequestOrigin.shape,
});
export type UnrecordedChange = z.output<typeof UnrecordedChange>;

/** A change by a user or, without `caller`, by the recipient of a mail. */
export const changeOf = (
  { id, type, name }: Pick<Destination, "id" | "type" | "name">,
  by: UserRequest | { origin: Origin },
  what: Pick<UnrecordedChange, "action" | "version" | "at" | "fields" | "silenced">,
): UnrecordedChange => ({
  ...what,
  destination: { id, type, name },
  requestId: by.origin.requestId,
  ...("caller" in by ? requesterOf(by) : addressOf(by.origin)),
});

const changedEvent = (organizationId: string, change: UnrecordedChange): NewSecurityEvent => ({
  eventType: "NOTIFICATIONS_CHANGED",
  category: "compliance",
  // HIGH makes it an alert of rule `notifications_silenced`.
  riskLevel: change.silenced === undefined ? "MEDIUM" : "HIGH",
  source: "user",
  organizationId,
  ...requesterFields(change),
  resource: change.destination.id,
  resourceType: "provider_account",
  action: change.action,
  success: true,
  metadata: {
    requestId: change.requestId,
    destinationType: change.destination.type,
    destinationName: change.destination.name,
    ...(change.fields && { changed: change.fields }),
    ...(change.silenced && { silenced: change.silenced }),
  },
});

const identityOfChange = ({ action, destination, version }: UnrecordedChange): Uint8Array =>
  identityOf("destination", action, destination.id, version);

/** The id of a change's security event. */
export const eventIdOfChange = (change: UnrecordedChange): string => eventId(change.at, identityOfChange(change));

/** The title of the alert that a change raises by itself. */
export const titleOfChange = (change: UnrecordedChange): string => {
  const { metadata, ...event } = changedEvent("", change);
  return titleOfEvent({ ...event, metadata: sanitiseMetadata(metadata ?? {}) });
};

/**
 * The bus event of a silencing change whose instance died before it recorded the event. Its security event has the same id,
 * so it is recorded once, and raises one alert.
 */
export const unrecordedChangeEvent = (organizationId: string, change: UnrecordedChange) => {
  const { metadata, userAgent, ...fields } = changedEvent(organizationId, change);
  const detail: UnrecordedEvent = {
    version: 1,
    stage: "record",
    event: {
      ...fields,
      ...(userAgent !== undefined && { userAgent: sanitiseText(userAgent, maxCharacters.userAgent) }),
      riskLevel: "HIGH",
      metadata: sanitiseMetadata(metadata ?? {}),
      id: eventIdOfChange(change),
      processed: false,
      alertGenerated: true,
      alertLevel: "HIGH",
      timestamp: change.at,
      createdAt: change.at,
    },
  };
  return { source: EVENT_SOURCE, detailType: UNRECORDED_EVENT_TYPE, detail };
};

/** Records a change's event, and then forgets the change. Without a change it does nothing. */
export type RecordDestinationChange = (organizationId: string, change: UnrecordedChange | undefined) => Promise<void>;

type Dependencies = {
  recorder: Pick<Recorder, "record">;
  destinations: { forgetChange(organizationId: string, change: UnrecordedChange): Promise<void> };
};

export const createDestinationRecorder =
  ({ recorder, destinations }: Dependencies): RecordDestinationChange =>
  async (organizationId, change) => {
    if (change === undefined) return;
    const moment = { timestamp: change.at, identity: identityOfChange(change) };
    await recorder.record(changedEvent(organizationId, change), moment);
    await asSideWork(() => destinations.forgetChange(organizationId, change)).catch((error: unknown) => {
      writeLog("warn", "Marking a change of a destination as recorded failed", { cause: String(error) });
    });
  };
