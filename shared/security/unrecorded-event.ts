/** A security event on its way to the dead letters, as it travels over the event bus. */
import * as z from "zod/mini";
import { SecurityEvent } from "./security-event.ts";

export const UNRECORDED_EVENT = "SecurityEventNotRecorded";

/** `stage` says whether the event itself failed to be recorded, or only its alert to be raised. */
export const UnrecordedEvent = z.object({
  version: z.literal(1),
  stage: z.enum(["record", "alert"]),
  event: SecurityEvent,
});
export type UnrecordedEvent = z.output<typeof UnrecordedEvent>;
