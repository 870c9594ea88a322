/** A security event on its way to the dead letters, as it travels over the event bus. */
import * as z from "zod/mini";
import { isStoreFailure } from "../runtime/call-store.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { writeLog } from "../runtime/log.ts";
import type { NoteFailure } from "../runtime/note-failure.ts";
import { EVENT_SOURCE } from "./event-source.ts";
import type { DeadLetter } from "./recorder.ts";
import { SecurityEvent } from "./security-event.ts";

export const UNRECORDED_EVENT = "SecurityEventNotRecorded";

/** `stage` says whether the event itself failed to be recorded, or only its alert to be raised. */
export const UnrecordedEvent = z.object({
  version: z.literal(1),
  stage: z.enum(["record", "alert"]),
  event: SecurityEvent,
});
export type UnrecordedEvent = z.output<typeof UnrecordedEvent>;

/** What is known of an event without what names a person, or may. */
const impersonal = ({ id, organizationId, eventType, category, riskLevel, source, ...event }: SecurityEvent) => ({
  ...{ id, organizationId, eventType, category, riskLevel, source },
  ...{ resourceType: event.resourceType, action: event.action, success: event.success },
  ...{ errorCode: event.errorCode, timestamp: event.timestamp },
});

/**
 * Keeps security events that could not be recorded: over the event bus in a queue, from which they are recorded later,
 * and in the log. The log has the event's own fields only where the queue has not, and never whose it was: logs cannot
 * be erased. Never throws.
 * @param noteFailure is told of every failure that is in it.
 */
export const createDeadLetters = (bus: Pick<EventBus, "publish">, noteFailure: NoteFailure) => ({
  async keep({ event, stage, error }: DeadLetter): Promise<void> {
    const detail: UnrecordedEvent = { version: 1, stage, event };
    const unpublished = await bus.publish([{ source: EVENT_SOURCE, detailType: UNRECORDED_EVENT, detail }]);
    writeLog("error", "A security event was not recorded", {
      stage,
      cause: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      eventId: event.id,
      eventType: event.eventType,
      ...(unpublished.length > 0 && { alarm: "event_not_recorded", event: JSON.stringify(impersonal(event)) }),
    });
    await noteFailure(event.organizationId, isStoreFailure(error) ? "store" : "bus");
    if (unpublished.length > 0) await noteFailure(event.organizationId, "bus");
  },
});
