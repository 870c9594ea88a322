/**
 * Every four minutes: ends mutes and their weekly spans, and sends what they have hidden and what is still unresolved.
 * docs/rules.md, "The end of a mute".
 */
import { createScheduledHandler } from "../../shared/runtime/background-handlers.ts";
import { wireEndDueMutes } from "../../shared/wiring/mutes.ts";

const endDueMutes = wireEndDueMutes();

export const handler = createScheduledHandler("end-mutes", ({ remainingMs }) => endDueMutes(remainingMs));
