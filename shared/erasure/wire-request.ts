/** How erasures are asked for and resumed, in a deployed function. All throw Error where the environment lacks a variable. */
import { randomBytes } from "node:crypto";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { createIdempotencyStore } from "../runtime/idempotency-store.ts";
import { eventId, RANDOM_BYTES } from "../security/event-id.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { createErasureEvents } from "./erasure-events.ts";
import { createRequestErasure, type RequestErasure } from "./request-erasure.ts";
import type { ResumeErasuresParts } from "./resume-erasures.ts";
import { wireErasureStore } from "./wire-erasure-store.ts";

const tableName = () => readConfig(["ERASURES_TABLE_NAME"]).ERASURES_TABLE_NAME;

const wireBus = () => createEventBus(eventBusClient, readConfig(["EVENT_BUS_NAME"]).EVENT_BUS_NAME);

export const wireRequestErasure = (): RequestErasure =>
  createRequestErasure({
    erasures: wireErasureStore(),
    keys: createIdempotencyStore(documentClient, tableName()),
    events: createErasureEvents({ recorder: wireRecorder() }),
    bus: wireBus(),
    clock: systemClock,
    newErasureId: (now) => eventId(now, randomBytes(RANDOM_BYTES)),
  });

export const wireResumeErasures = (): ResumeErasuresParts => ({
  erasures: wireErasureStore(),
  bus: wireBus(),
  clock: systemClock,
});
