/** Takes a request to erase data: POST …/erasure. Decisions: docs/erasure.md, "Requests". */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import type { IdempotencyStore } from "../runtime/idempotency-store.ts";
import { addLogIds, writeLog } from "../runtime/log.ts";
import { sanitiseText } from "../security/redaction/redact-and-cut.ts";
import { organizationKey } from "../terms/keys.ts";
import type { UserRequest } from "../terms/requester.ts";
import { dueAtOf, Erasure, type ErasureRequest, nothingRemoved } from "./erasure.ts";
import { type ErasureEvents, erasureRequested } from "./erasure-events.ts";
import type { ErasureStore } from "./erasure-store.ts";

/** Longer than a request's reason may be: a redaction marker may be longer than the text that it replaces. */
const REASON_MAX_CHARACTERS = 600;

export type RequestErasureDependencies = {
  erasures: Pick<ErasureStore, "create" | "find" | "forgetOrigin">;
  keys: Pick<IdempotencyStore, "reserve">;
  events: Pick<ErasureEvents, "requested">;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
  /** A new id; ids sort by time. @param now epoch ms. */
  newErasureId: (now: number) => string;
};

export type RequestErasure = (
  request: ErasureRequest,
  by: UserRequest & { idempotencyKey: string | undefined },
) => Promise<Erasure>;

/** What an Idempotency-Key stores: the first request's erasure. The answer follows from it. */
const Promised = z.pick(Erasure, { id: true, scope: true, requestedAt: true, requestedBy: true });
type Promised = z.output<typeof Promised>;

const answerOf = (promised: Promised): Erasure => ({
  ...{ ...promised, status: "requested", dueAt: dueAtOf(promised.requestedAt), removed: nothingRemoved },
});

const redactReason = (request: ErasureRequest): ErasureRequest =>
  request.reason === undefined ? request : { ...request, reason: sanitiseText(request.reason, REASON_MAX_CHARACTERS) };

export const createRequestErasure = ({
  erasures,
  keys,
  events,
  bus,
  clock,
  newErasureId,
}: RequestErasureDependencies): RequestErasure => {
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

  /** @throws DomainError `idempotency_conflict`, `store_unavailable`. */
  return async (request, by) => {
    const { organizationId, userId } = by.caller;
    const now = clock();
    const own: Promised = { id: newErasureId(now), scope: request.scope, requestedAt: now, requestedBy: userId };
    if (by.idempotencyKey === undefined) {
      await take(own, request, by);
      return answerOf(own);
    }
    const content = {
      ...{ scope: organizationKey(organizationId), idempotencyKey: by.idempotencyKey },
      request: `requestErasure ${JSON.stringify([request.scope, request.userId, request.reason])}`,
    };
    const { isNew, value } = await keys.reserve(content, JSON.stringify(own), now);
    const promised = Promised.parse(JSON.parse(value));
    // If storing the first request failed, its key remains, and the repeated request stores the erasure.
    if (isNew || (await erasures.find(organizationId, promised.id)) === undefined) await take(promised, request, by);
    return answerOf(promised);
  };
};
