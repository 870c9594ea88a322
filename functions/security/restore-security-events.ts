/**
 * Records the security events that could not be recorded at their time, from the queue that kept them.
 * docs/security-events.md, "When recording fails".
 */
import { createQueueHandler } from "../../shared/runtime/create-queue-handler.ts";
import type { Recorder } from "../../shared/security/recorder.ts";
import { UnrecordedEvent } from "../../shared/security/unrecorded-event.ts";
import { wireRecorder } from "../../shared/security/wire-recorder.ts";

export const restoreSecurityEventsHandler = (recorder: Pick<Recorder, "restore">) =>
  createQueueHandler("restore-security-events", UnrecordedEvent, ({ event }) => recorder.restore(event));

export const handler = restoreSecurityEventsHandler(wireRecorder());
