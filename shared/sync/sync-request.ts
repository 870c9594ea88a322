/** What is asked of workers over the event bus. */
import * as z from "zod/mini";
import type { BusEvent } from "../runtime/event-bus.ts";
import { EVENT_SOURCE } from "../security/event-source.ts";

export const SYNC_REQUESTED_TYPE = "SyncRequested";

/**
 * The detail of the event: to work on a run that is under way, or to begin one for an occurrence of the schedule (`slot`,
 * epoch ms). A detail of the same version only ever gains fields.
 */
export const SyncRequested = z.union([
  z.object({ version: z.literal(1), organizationId: z.string(), runId: z.string() }),
  z.object({ version: z.literal(1), organizationId: z.string(), slot: z.number() }),
]);
export type SyncRequested = z.output<typeof SyncRequested>;

type Wanted = { organizationId: string } & ({ runId: string } | { slot: number });

/** The event that asks for work. Delivered twice, or too late, it changes nothing. */
export const syncRequested = (wanted: Wanted): BusEvent & { detail: SyncRequested } => ({
  source: EVENT_SOURCE,
  detailType: SYNC_REQUESTED_TYPE,
  detail: { version: 1, ...wanted },
});
