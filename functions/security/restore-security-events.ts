/**
 * Records the security events that could not be recorded in time, from the queue that kept them, without the data that an
 * erasure has removed since. docs/security-events.md, "When recording fails"; docs/erasure.md, "Copies".
 */
import { createQueueHandler } from "../../shared/runtime/background-handlers.ts";
import { addLogIds } from "../../shared/runtime/log.ts";
import { UnrecordedEvent } from "../../shared/security/dead-letters.ts";
import { wireCleanLateEvent } from "../../shared/wiring/erasure.ts";
import { wireRecorder } from "../../shared/wiring/recorder.ts";

const recorder = wireRecorder();
const cleanLateEvent = wireCleanLateEvent();

export const handler = createQueueHandler("restore-security-events", UnrecordedEvent, async ({ event }) => {
  addLogIds({ organizationId: event.organizationId, eventId: event.id });
  await recorder.restore(await cleanLateEvent(event));
});
