/**
 * Has a failed delivery processed again, at a user's request. The event enters the outbox first, so it is not lost if a call
 * fails; processing it twice has the same result as once. docs/webhooks.md, "Replaying a delivery".
 */
import type { Clock } from "../runtime/clock.ts";
import { asSideWork } from "../runtime/deadline.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { writeLog } from "../runtime/log.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import { catalogueEntry } from "../terms/error-catalogue.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import { requesterOf, type UserRequest } from "../terms/requester.ts";
import { type StoredDelivery, statusOf, toDelivery, type WebhookDelivery } from "./delivery.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import type { WebhookEventStore } from "./webhook-event-store.ts";
import { publishReceived } from "./webhook-outbox.ts";

export type ReplayDependencies = {
  deliveries: Pick<DeliveryStore, "read" | "requeue" | "withdraw">;
  events: Pick<WebhookEventStore, "markPublished">;
  bus: Pick<EventBus, "publish">;
  recorder: Pick<Recorder, "record">;
  now: Clock;
};

type Request = UserRequest & { identity: RequestIdentity };

export type ReplayDelivery = (eventId: string, request: Request) => Promise<WebhookDelivery>;

const notFound = () => new DomainError("webhook_not_found", "There is no such delivery.");

const notFailed = (status: string) =>
  new DomainError(
    "webhook_not_failed",
    status === "waiting"
      ? "The delivery waits to be processed. Only a failed delivery can be replayed."
      : `The delivery is processed already: ${status}. Only a failed delivery can be replayed.`,
  );

const notPublished = () =>
  new DomainError("store_unavailable", "The delivery could not be handed over. It is still stored; try again.");

const replayed = (stored: StoredDelivery, request: Request, failure?: DomainError): NewSecurityEvent => ({
  eventType: "WEBHOOK_REPLAYED",
  category: "integration",
  riskLevel: "LOW",
  source: "user",
  organizationId: request.caller.organizationId,
  ...requesterOf(request),
  resource: stored.id,
  resourceType: "provider_account",
  action: "replay_webhook",
  ...(failure === undefined
    ? { success: true }
    : { success: false, errorCode: String(catalogueEntry(failure.code).number), errorMessage: failure.message }),
  metadata: { requestId: request.origin.requestId, eventId: stored.id, type: stored.type },
});

/** @throws DomainError `webhook_not_found`, `webhook_not_failed`, `store_unavailable`. */
export const createReplayDelivery = ({
  deliveries,
  events,
  bus,
  recorder,
  now,
}: ReplayDependencies): ReplayDelivery => {
  const read = async (organizationId: string, id: string): Promise<StoredDelivery> => {
    const stored = await deliveries.read({ organizationId, id }, now());
    if (stored === undefined) throw notFound();
    return stored;
  };

  /** @returns the event as this request's replay has changed it. */
  const enqueue = async (organizationId: string, stored: StoredDelivery, { id, at }: RequestIdentity) => {
    // An earlier attempt of the same request has done this.
    if (stored.replayId === id) return stored;
    const status = statusOf(stored, now());
    if (status !== "failed") throw notFailed(status);
    await deliveries.requeue({ organizationId, id: stored.id }, { replayId: id, at, previous: stored.replayId });
    // Even if the condition failed: the write may be this one, of an attempt whose answer was lost.
    const changed = await read(organizationId, stored.id);
    if (changed.replayId !== id) throw notFailed(statusOf(changed, now()));
    return changed;
  };

  const publish = async (organizationId: string, stored: StoredDelivery, replayId: string, attempts?: number) => {
    const key = { organizationId, id: stored.id };
    if ((await publishReceived(bus, [key])).length === 0) {
      // Without the mark, the event is published once more, which changes nothing.
      await events.markPublished(key, now()).catch((error: unknown) => {
        writeLog("warn", "Marking a webhook event as published failed", { cause: String(error) });
      });
      return;
    }
    // If the withdrawal fails too, the hourly hand-over publishes the event.
    const isWithdrawn = await asSideWork(() => deliveries.withdraw(key, { replayId, attempts, at: now() }));
    if (isWithdrawn) throw notPublished();
  };

  return async (id, request) => {
    const { caller, identity } = request;
    const { organizationId } = caller;
    const before = await read(organizationId, id);
    const stored = await enqueue(organizationId, before, identity);
    const record = (failure?: DomainError) => {
      const name = identityOf("webhook_replayed", organizationId, identity.id, ...(failure ? ["failed"] : []));
      return recorder.record(replayed(stored, request, failure), { timestamp: identity.at, identity: name });
    };
    try {
      // If the mark of an earlier attempt is stored, that attempt has published the event.
      if (stored.pendingShard !== undefined) await publish(organizationId, stored, identity.id, before.attempts);
    } catch (error) {
      if (error instanceof DomainError) await record(error);
      throw error;
    }
    await record();
    return toDelivery(stored, now());
  };
};
