/**
 * Records the security events that could not be recorded at their time, from the queue that kept them; without whom an
 * erasure has been about since. docs/security-events.md, "When recording fails"; docs/erasure.md, "Copies".
 */
import type { ForgetLate } from "../../shared/erasure/forget-late.ts";
import { createQueueHandler } from "../../shared/runtime/create-queue-handler.ts";
import { UnrecordedEvent } from "../../shared/security/dead-letters.ts";
import type { Recorder } from "../../shared/security/recorder.ts";
import { wireForgetLate } from "../../shared/wiring/erasure.ts";
import { wireRecorder } from "../../shared/wiring/recorder.ts";

type Dependencies = { recorder: Pick<Recorder, "restore">; forgetLate: ForgetLate };

export const restoreSecurityEventsHandler = ({ recorder, forgetLate }: Dependencies) =>
  createQueueHandler("restore-security-events", UnrecordedEvent, async ({ event }) =>
    recorder.restore(await forgetLate(event)),
  );

export const handler = restoreSecurityEventsHandler({ recorder: wireRecorder(), forgetLate: wireForgetLate() });
