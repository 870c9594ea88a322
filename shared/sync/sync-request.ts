/** The bus event that asks a worker to begin or to continue a run, to prove an API key, or to read the account's activity. */
import * as z from "zod/mini";
import type { BusEvent } from "../runtime/event-bus.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";

export const SYNC_REQUESTED_TYPE = "SyncRequested";

/**
 * The event's detail for a run: the run to work on, or the occurrence of the schedule (`slot`, epoch ms) to begin a run
 * for. Within a version, fields may only be added.
 */
export const SyncRequested = z.union([
  z.object({ version: z.literal(1), organizationId: z.string(), runId: z.string() }),
  z.object({ version: z.literal(1), organizationId: z.string(), slot: z.number() }),
]);
export type SyncRequested = z.output<typeof SyncRequested>;

/** The event's detail if an API key must be proved (prove-key.ts). */
const ProofRequested = z.object({ version: z.literal(1), organizationId: z.string(), proveKey: z.literal(true) });

/** The event's detail if the account's activity must be read (read-activity.ts). */
const ActivityRequested = z.object({
  version: z.literal(1),
  organizationId: z.string(),
  readActivity: z.literal(true),
});

/** All details of the event. */
export const RequestedWork = z.union([SyncRequested, ProofRequested, ActivityRequested]);

type Request = { organizationId: string } & ({ runId: string } | { slot: number });

/** Delivered twice, or too late, the event changes nothing. */
export const syncRequested = (request: Request): BusEvent & { detail: SyncRequested } => ({
  source: EVENT_SOURCE,
  detailType: SYNC_REQUESTED_TYPE,
  detail: { version: 1, ...request },
});

/** Delivered twice, the event makes no second call. */
export const proofRequested = (organizationId: string): BusEvent & { detail: z.output<typeof ProofRequested> } => ({
  source: EVENT_SOURCE,
  detailType: SYNC_REQUESTED_TYPE,
  detail: { version: 1, organizationId, proveKey: true },
});

/** Delivered twice, the event records nothing twice. */
export const activityRequested = (
  organizationId: string,
): BusEvent & { detail: z.output<typeof ActivityRequested> } => ({
  source: EVENT_SOURCE,
  detailType: SYNC_REQUESTED_TYPE,
  detail: { version: 1, organizationId, readActivity: true },
});
