/** What happens when the service pauses a destination by itself: an event on the bus, then a security event with an alert. */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import { destinationTypes } from "./destination.ts";

export const DESTINATION_PAUSED_TYPE = "DestinationPaused";

/** `at`, `failingSince`: epoch ms. Published again after a crash, a pause may have a later `at`. */
export const DestinationPaused = z.object({
  organizationId: z.string(),
  destinationId: z.string(),
  type: z.enum(destinationTypes),
  name: z.string(),
  reason: z.enum(["failing", "gone"]),
  failingSince: z.optional(z.number()),
  at: z.number(),
});
export type DestinationPaused = z.output<typeof DestinationPaused>;

export type RecordPaused = (paused: DestinationPaused) => Promise<void>;

/** Records the event of a pause, which raises an alert whatever the threshold. The bus may deliver it twice; it is recorded once. */
export const createRecordPaused =
  (recorder: Pick<Recorder, "record">): RecordPaused =>
  async ({ organizationId, destinationId, type, name, reason, failingSince, at }) => {
    const identity = identityOf("destination_paused", organizationId, destinationId);
    await recorder.record(
      {
        ...{
          organizationId,
          eventType: "NOTIFICATIONS_PAUSED",
          category: "system",
          riskLevel: "HIGH",
          source: "system",
        },
        ...{ resource: destinationId, resourceType: "provider_account", action: "pause_destination", success: false },
        metadata: { destinationType: type, destinationName: name, reason, ...definedFields({ failingSince }) },
      },
      { timestamp: at, identity },
    );
  };
