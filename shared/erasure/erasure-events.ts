/** The events of an erasure: the security events that record it, and the bus event that requests a worker. */
import * as z from "zod/mini";
import type { BusEvent } from "../runtime/event-bus.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import type { RequestOrigin } from "../terms/requester.ts";
import type { Removed } from "./erasure.ts";
import type { StoredErasure } from "./erasure-item.ts";

export const ERASURE_REQUESTED_TYPE = "ErasureRequested";

/** The detail of the bus event: which erasure needs a worker. A detail of the same version may only gain fields. */
export const ErasureRequested = z.object({ version: z.literal(1), organizationId: z.string(), erasureId: z.string() });
export type ErasureRequested = z.output<typeof ErasureRequested>;

/** The bus event that requests a worker. If it is delivered twice or too late, it changes nothing. */
export const erasureRequested = (
  erasure: Omit<ErasureRequested, "version">,
): BusEvent & { detail: ErasureRequested } => ({
  source: EVENT_SOURCE,
  detailType: ERASURE_REQUESTED_TYPE,
  detail: { version: 1, ...erasure },
});

type Requested = Pick<StoredErasure, "id" | "what" | "requestedAt" | "requestedBy">;

const common = { category: "compliance", riskLevel: "MEDIUM", success: true } as const;

export type ErasureEvents = ReturnType<typeof createErasureEvents>;

/**
 * Records the security events. Their ids follow from the erasure, so each is stored once however often it is recorded.
 * They name the erasure, and not the user whose data is erased.
 */
export const createErasureEvents = ({ recorder }: { recorder: Pick<Recorder, "record"> }) => ({
  /** ERASURE_REQUESTED, by the requester. The erasure empties it like all events; `requestedBy` of the erasure stays. */
  async requested(
    organizationId: string,
    { id, what, requestedAt, requestedBy }: Requested,
    { requestId, ...origin }: RequestOrigin,
  ): Promise<void> {
    await recorder.record(
      {
        ...common,
        eventType: "ERASURE_REQUESTED",
        source: "user",
        organizationId,
        userId: requestedBy,
        ...origin,
        action: "request_erasure",
        metadata: { erasureId: id, scope: what, requestId },
      },
      { timestamp: requestedAt, identity: identityOf("erasure_requested", organizationId, id) },
    );
  },

  /** ERASURE_COMPLETED, with the numbers of what was removed. */
  async completed(
    organizationId: string,
    { id, what }: Pick<Requested, "id" | "what">,
    { removed, completedAt }: { removed: Removed; completedAt: number },
  ): Promise<void> {
    await recorder.record(
      {
        ...common,
        eventType: "ERASURE_COMPLETED",
        source: "system",
        organizationId,
        action: "complete_erasure",
        metadata: { erasureId: id, scope: what, ...removed },
      },
      { timestamp: completedAt, identity: identityOf("erasure_completed", organizationId, id) },
    );
  },
});
