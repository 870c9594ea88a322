/** The bus event that asks a worker to begin or to continue a run. */
import * as z from "zod/mini";
import type { BusEvent } from "../runtime/event-bus.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";

export const SYNC_REQUESTED_TYPE = "SyncRequested";

/**
 * The event's detail: the run to work on, or the occurrence of the schedule (`slot`, epoch ms) to begin a run for. Within a
 * version, fields may only be added.
 */
export const SyncRequested = z.union([
  z.object({ version: z.literal(1), organizationId: z.string(), runId: z.string() }),
  z.object({ version: z.literal(1), organizationId: z.string(), slot: z.number() }),
]);
export type SyncRequested = z.output<typeof SyncRequested>;

type Request = { organizationId: string } & ({ runId: string } | { slot: number });

/** Delivered twice, or too late, the event changes nothing. */
export const syncRequested = (request: Request): BusEvent & { detail: SyncRequested } => ({
  source: EVENT_SOURCE,
  detailType: SYNC_REQUESTED_TYPE,
  detail: { version: 1, ...request },
});
