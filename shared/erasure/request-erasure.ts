/** What POST …/erasure does. Decisions: docs/erasure.md, "Requests". */
import * as z from "zod/mini";
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import type { IdempotencyStore } from "../runtime/idempotency-store.ts";
import { writeLog } from "../runtime/log.ts";
import { sanitiseText } from "../security/redaction/redact-and-cut.ts";
import type { OrganizationCaller } from "../terms/caller.ts";
import { organizationKey } from "../terms/keys.ts";
import type { Origin } from "../terms/requester.ts";
import { dueAtOf, Erasure, type ErasureRequest, nothingRemoved } from "./erasure.ts";
import type { ErasureEvents } from "./erasure-events.ts";
import { erasureRequested } from "./erasure-requested.ts";
import type { ErasureStore } from "./erasure-store.ts";

/** As long as a request's, and some: a marker may be longer than what it stands for. */
const REASON_MAX_CHARACTERS = 600;

export type RequestErasureParts = {
  erasures: Pick<ErasureStore, "create" | "find" | "forgetOrigin">;
  keys: Pick<IdempotencyStore, "reserve">;
  events: Pick<ErasureEvents, "requested">;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
  /** An id that is in order of time; epoch ms. */
  newErasureId: (now: number) => string;
};

export type RequestErasure = (
  request: ErasureRequest,
  by: {
    caller: Pick<OrganizationCaller, "organizationId" | "userId" | "sessionId">;
    origin: Origin;
    idempotencyKey: string | undefined;
  },
) => Promise<Erasure>;

/** What a key stands for: the erasure that was promised first. The answer follows from it alone. */
const Promised = z.pick(Erasure, { id: true, scope: true, requestedAt: true, requestedBy: true });
type Promised = z.output<typeof Promised>;

const answerOf = (promised: Promised): Erasure => ({
  ...{ ...promised, status: "requested", dueAt: dueAtOf(promised.requestedAt), removed: nothingRemoved },
});

const withCleanReason = (request: ErasureRequest): ErasureRequest =>
  request.reason === undefined ? request : { ...request, reason: sanitiseText(request.reason, REASON_MAX_CHARACTERS) };

export const createRequestErasure = (parts: RequestErasureParts): RequestErasure => {
  const { erasures, keys, events, bus, clock, newErasureId } = parts;

  const take = async (promised: Promised, request: ErasureRequest, by: Parameters<RequestErasure>[1]) => {
    const { organizationId, sessionId } = by.caller;
    const { id, scope: what, requestedAt, requestedBy } = promised;
    const origin = { ...by.origin, ...(sessionId !== undefined && { sessionId }) };
    await erasures.create(organizationId, { id, requestedAt, requestedBy, origin, request: withCleanReason(request) });
    // From here on it is carried out, whatever else fails: the worker tells what is left untold.
    try {
      await events.requested(organizationId, { id, what, requestedAt, requestedBy }, origin);
      await erasures.forgetOrigin(organizationId, id);
    } catch (error) {
      writeLog("warn", "The request of an erasure is told later", { erasureId: id, cause: String(error) });
    }
    const unpublished = await bus.publish([erasureRequested({ organizationId, erasureId: id })]);
    if (unpublished.length > 0) writeLog("warn", "An erasure waits for the next hour", { erasureId: id });
  };

  /** @throws DomainError `idempotency_conflict`, `store_unavailable`. */
  return async (request, by) => {
    const { caller, idempotencyKey } = by;
    const { organizationId, userId } = caller;
    const now = clock();
    const own: Promised = { id: newErasureId(now), scope: request.scope, requestedAt: now, requestedBy: userId };
    if (idempotencyKey === undefined) {
      await take(own, request, by);
      return answerOf(own);
    }
    const key = { scope: organizationKey(organizationId), idempotencyKey };
    const content = {
      ...key,
      request: `requestErasure ${JSON.stringify([request.scope, request.userId, request.reason])}`,
    };
    const { isNew, value } = await keys.reserve(content, JSON.stringify(own), now);
    const promised = Promised.parse(JSON.parse(value));
    // One whose taking failed keeps the key: the repetition finds what was promised, and takes it.
    if (isNew || (await erasures.find(organizationId, promised.id)) === undefined) await take(promised, request, by);
    return answerOf(promised);
  };
};
