/** The security events of changed destinations. They name neither the URL nor the address. */

import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import { addressOf, type Origin, requesterOf, type UserRequest } from "../terms/requester.ts";
import type { Destination } from "./destination.ts";

export type DestinationAction =
  | "create_destination"
  | "change_destination"
  | "delete_destination"
  | "confirm_destination"
  | "unsubscribe_destination";

type Change = {
  action: DestinationAction;
  destination: Pick<Destination, "id" | "type" | "name">;
  /** The user; the recipient of a mail, who used its link, has no user. */
  by: UserRequest | { organizationId: string; origin: Origin };
  /** Identifies the change: recorded again, it is the same event. */
  version: string;
  /** Epoch ms. */
  at: number;
  /** The names of the fields that changed. */
  fields?: readonly string[];
};

const changed = ({ action, destination, by, fields }: Change): NewSecurityEvent => ({
  ...({ eventType: "NOTIFICATIONS_CHANGED", category: "compliance", riskLevel: "MEDIUM", source: "user" } as const),
  ...("caller" in by
    ? { organizationId: by.caller.organizationId, ...requesterOf(by) }
    : { organizationId: by.organizationId, ...addressOf(by.origin) }),
  ...({ resource: destination.id, resourceType: "provider_account", action, success: true } as const),
  metadata: {
    requestId: by.origin.requestId,
    ...{ destinationType: destination.type, destinationName: destination.name },
    ...(fields && { changed: fields }),
  },
});

export type RecordDestinationChange = (change: Change) => Promise<void>;

export const createDestinationRecorder =
  (recorder: Pick<Recorder, "record">): RecordDestinationChange =>
  async (change) => {
    const { action, destination, version, at } = change;
    const identity = identityOf("destination", action, destination.id, version);
    await recorder.record(changed(change), { timestamp: at, identity });
  };
