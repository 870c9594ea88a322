/** Dead letters: security events that could not be recorded, on their way over the event bus into a queue. */
import * as z from "zod/mini";
import { isStoreFailure } from "../runtime/call-store.ts";
import { asSideWork } from "../runtime/deadline.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { writeLog } from "../runtime/log.ts";
import type { NoteFailure } from "../runtime/note-failure.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import type { DeadLetter } from "./recorder.ts";
import { SecurityEvent } from "./security-event.ts";

export const UNRECORDED_EVENT_TYPE = "SecurityEventNotRecorded";

/** `stage`: whether recording the event failed, or only raising its alert. */
export const UnrecordedEvent = z.object({
  version: z.literal(1),
  stage: z.enum(["record", "alert"]),
  event: SecurityEvent,
});
export type UnrecordedEvent = z.output<typeof UnrecordedEvent>;

/** The fields of an event that cannot name a person. */
const impersonalFields = ({ id, organizationId, eventType, category, riskLevel, source, ...event }: SecurityEvent) => ({
  id,
  organizationId,
  eventType,
  category,
  riskLevel,
  source,
  resourceType: event.resourceType,
  action: event.action,
  success: event.success,
  errorCode: event.errorCode,
  timestamp: event.timestamp,
});

/**
 * Publishes dead letters to the queue that restore-security-events reads, and logs each. Only if the bus fails does the
 * log have the event, without personal data: logs cannot be erased. Never throws.
 * @param noteFailure gets each failure of the store or the bus.
 */
export const createDeadLetters = (bus: Pick<EventBus, "publish">, noteFailure: NoteFailure) => ({
  keep: ({ event, stage, error }: DeadLetter): Promise<void> =>
    asSideWork(async () => {
      const detail: UnrecordedEvent = { version: 1, stage, event };
      const unpublished = await bus.publish([{ source: EVENT_SOURCE, detailType: UNRECORDED_EVENT_TYPE, detail }]);
      const isLost = unpublished.length > 0;
      writeLog("error", "A security event was not recorded", {
        stage,
        cause: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
        eventId: event.id,
        eventType: event.eventType,
        ...(isLost && { alarm: "event_not_recorded", event: JSON.stringify(impersonalFields(event)) }),
      });
      await noteFailure(event.organizationId, isStoreFailure(error) ? "store" : "bus");
      if (isLost) await noteFailure(event.organizationId, "bus");
    }),
});
