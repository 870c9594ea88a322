/** Takes a request to erase data: POST …/erasure. Decisions: docs/erasure.md, "Requests". */
import { definedFields } from "../json/defined-fields.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { addLogIds, writeLog } from "../runtime/log.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import { sanitiseText } from "../security/redaction/redact-and-cut.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import type { UserRequest } from "../terms/requester.ts";
import { dueAtOf, type Erasure, type ErasureRequest, nothingRemoved } from "./erasure.ts";
import { type ErasureEvents, erasureRequested } from "./erasure-events.ts";
import type { ErasureStore } from "./erasure-store.ts";

/** Longer than a request's reason may be: a redaction marker may be longer than the text that it replaces. */
const REASON_MAX_CHARACTERS = 600;

export type RequestErasureDependencies = {
  erasures: Pick<ErasureStore, "create" | "find" | "forgetOrigin">;
  events: Pick<ErasureEvents, "requested">;
  bus: Pick<EventBus, "publish">;
};

export type RequestErasure = (
  request: ErasureRequest,
  by: UserRequest & { identity: RequestIdentity },
) => Promise<Erasure>;

/** The answer follows from it. */
type Promised = Pick<Erasure, "id" | "scope" | "requestedAt" | "requestedBy">;

const answerOf = (promised: Promised): Erasure => ({
  ...promised,
  status: "requested",
  dueAt: dueAtOf(promised.requestedAt),
  removed: nothingRemoved,
});

const redactReason = (request: ErasureRequest): ErasureRequest =>
  request.reason === undefined ? request : { ...request, reason: sanitiseText(request.reason, REASON_MAX_CHARACTERS) };

export const createRequestErasure = ({ erasures, events, bus }: RequestErasureDependencies): RequestErasure => {
  const take = async (promised: Promised, request: ErasureRequest, { caller, origin: from }: UserRequest) => {
    const { organizationId, sessionId } = caller;
    const { id, scope: what, requestedAt, requestedBy } = promised;
    const origin = { ...from, ...definedFields({ sessionId }) };
    addLogIds({ erasureId: id });
    await erasures.create(organizationId, { id, requestedAt, requestedBy, origin, request: redactReason(request) });
    // A stored erasure is carried out, whatever fails below: the worker records a missing event.
    try {
      await events.requested(organizationId, { id, what, requestedAt, requestedBy }, origin);
      await erasures.forgetOrigin(organizationId, id);
    } catch (error) {
      writeLog("warn", "Recording the request of an erasure failed; its worker records it", { cause: String(error) });
    }
    const unpublished = await bus.publish([erasureRequested({ organizationId, erasureId: id })]);
    if (unpublished.length > 0) {
      writeLog("warn", "Requesting a worker for an erasure failed; the next hour requests it again", {});
    }
  };

  /** @throws DomainError `store_unavailable`. */
  return async (request, { caller, origin, identity }) => {
    const { organizationId, userId } = caller;
    const id = eventId(identity.at, identityOf("erasure", organizationId, identity.id));
    const own: Promised = { id, scope: request.scope, requestedAt: identity.at, requestedBy: userId };
    const earlier = identity.isRepeated ? await erasures.find(organizationId, id) : undefined;
    const promised = { ...own, requestedBy: earlier?.requestedBy ?? userId };
    // The earlier attempt may have ended before it stored the erasure, or before it recorded the request.
    if (earlier === undefined || earlier.origin !== undefined) await take(promised, request, { caller, origin });
    return answerOf(promised);
  };
};
