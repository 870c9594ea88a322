/** The security events of an erasure: that it was asked for, and that it is done. They name it, and nobody erased. */
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { Removed } from "./erasure.ts";
import type { RequestOrigin, StoredErasure } from "./erasure-item.ts";

type Asked = Pick<StoredErasure, "id" | "what" | "requestedAt" | "requestedBy">;

const common = { category: "compliance", riskLevel: "MEDIUM", success: true } as const;

export type ErasureEvents = ReturnType<typeof createErasureEvents>;

/** Each is recorded once for its erasure, however often it is told, under an id that follows from the erasure. */
export const createErasureEvents = ({ recorder }: { recorder: Pick<Recorder, "record"> }) => ({
  /** ERASURE_REQUESTED, of who asked. The erasure takes the person out of it again; `requestedBy` stays. */
  async requested(
    organizationId: string,
    { id, what, requestedAt, requestedBy }: Asked,
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

  /** ERASURE_COMPLETED, with the proof: how much went of what. */
  async completed(
    organizationId: string,
    { id, what }: Pick<Asked, "id" | "what">,
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
