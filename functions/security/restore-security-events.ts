/**
 * Records the security events that could not be recorded in time, from the queue that kept them, without the data that an
 * erasure has removed since. docs/security-events.md, "When recording fails"; docs/erasure.md, "Copies".
 */
import type { CleanLateEvent } from "../../shared/erasure/late-store.ts";
import { createQueueHandler } from "../../shared/runtime/create-queue-handler.ts";
import { UnrecordedEvent } from "../../shared/security/dead-letters.ts";
import type { Recorder } from "../../shared/security/recorder.ts";
import { wireCleanLateEvent } from "../../shared/wiring/erasure.ts";
import { wireRecorder } from "../../shared/wiring/recorder.ts";

type Dependencies = { recorder: Pick<Recorder, "restore">; cleanLateEvent: CleanLateEvent };

export const restoreSecurityEventsHandler = ({ recorder, cleanLateEvent }: Dependencies) =>
  createQueueHandler("restore-security-events", UnrecordedEvent, async ({ event }) =>
    recorder.restore(await cleanLateEvent(event)),
  );

export const handler = restoreSecurityEventsHandler({ recorder: wireRecorder(), cleanLateEvent: wireCleanLateEvent() });
