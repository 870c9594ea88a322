/**
 * Accepts an event of a verified delivery for one organization: stores it once, and publishes it before it is
 * acknowledged. A repetition changes nothing, so the provider may deliver again and any call may end in a crash.
 */
import { definedFields } from "../json/defined-fields.ts";
import type { ProviderEvent } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { writeLog } from "../runtime/log.ts";
import type { Origin } from "../terms/requester.ts";
import type { EventKey } from "./event-partitions.ts";
import { isStorable, needsProcessing, type WebhookEvent } from "./webhook-event.ts";
import type { Added, WebhookEventStore } from "./webhook-event-store.ts";
import { publishReceived } from "./webhook-outbox.ts";
import type { DeliveryRecorder, GenuineDelivery } from "./webhook-security-events.ts";

/** An event, and the account that it names, if any. */
export type DeliveredEvent = ProviderEvent & { accountId?: string };

export type AcceptDependencies = {
  /** Undefined if the payload is not an event. @param now epoch ms. */
  parseEvent(payload: unknown, now: number): DeliveredEvent | undefined;
  events: Pick<WebhookEventStore, "add" | "markPublished">;
  bus: Pick<EventBus, "publish">;
  recorder: DeliveryRecorder;
  now: Clock;
};

/** The organization and the connection that an event is stored for. */
export type Owner = { organizationId: string; connectionId: string; accountId: string };

/** `startedAt`: when the request arrived, in epoch ms. */
export type Request = { origin: Origin; startedAt: number } & Pick<GenuineDelivery, "endpoint">;

const parseJson = (body: Uint8Array): unknown => {
  try {
    // A byte-order mark stays in the text, so JSON.parse refuses it.
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw new DomainError("invalid_json", "body: expected valid JSON in well-formed UTF-8");
  }
};

/** The event of a verified body. @param now epoch ms. @throws DomainError `invalid_json`, `invalid_field`. */
export const parseDelivery = (
  parseEvent: AcceptDependencies["parseEvent"],
  body: Uint8Array,
  now: number,
): DeliveredEvent => {
  const event = parseEvent(parseJson(body), now);
  if (event === undefined || !isStorable(event)) {
    throw new DomainError("invalid_field", "body: expected an event of the provider");
  }
  return event;
};

/** The error of every delivery that is not genuine. All get the same answer, so it does not reveal who is connected. */
export const rejected = () =>
  new DomainError("webhook_rejected", "The signature does not verify, or no webhooks are expected here.");

/** Accepts an event; returns when it may be acknowledged. */
export const createAcceptEvent = ({ events, bus, recorder, now }: Omit<AcceptDependencies, "parseEvent">) => {
  const toStored = ({ accountId: named, ...event }: DeliveredEvent, owner: Owner): WebhookEvent => {
    const { accountId, connectionId } = owner;
    const receivedAt = now();
    const objectId = event.observations[0]?.id ?? event.setAside?.[0]?.name;
    const stored = { ...event, ...definedFields({ objectId }), connectionId, accountId, receivedAt };
    if (named !== undefined && named !== accountId) {
      return { ...stored, observations: [], setAside: [], processedAt: receivedAt, outcome: "ignored" };
    }
    return needsProcessing(event) ? stored : { ...stored, processedAt: receivedAt, outcome: "unknown" };
  };

  /** Stores the event, and publishes it unless that is known to be done. */
  const storeAndPublish = async (organizationId: string, stored: WebhookEvent) => {
    const added = await events.add(organizationId, stored);
    const isToPublish = added === "pending" || (added === "new" && stored.outcome === undefined);
    const key = { organizationId, id: stored.id };
    if (isToPublish && (await publishReceived(bus, [key])).length > 0) {
      throw new DomainError("store_unavailable", "The event could not be published. Send it again.");
    }
    return { added, isToPublish, key };
  };

  const markPublished = (key: EventKey) =>
    // Without the mark, the event is published once more, which changes nothing.
    events.markPublished(key, now()).catch((error: unknown) => {
      writeLog("warn", "Marking a webhook event as published failed", { cause: String(error) });
    });

  /** @throws DomainError `store_unavailable`. */
  return async (owner: Owner, delivered: DeliveredEvent, { startedAt, ...request }: Request): Promise<void> => {
    const { organizationId, accountId } = owner;
    const event = toStored(delivered, owner);
    const record = (outcome: { added: Added } | { error: DomainError }) =>
      recorder.genuine({
        organizationId,
        accountId,
        ...request,
        durationMs: now() - startedAt,
        event,
        isForeign: event.outcome === "ignored",
        ...("added" in outcome ? { isRepeated: outcome.added !== "new" } : outcome),
      });
    try {
      const { added, isToPublish, key } = await storeAndPublish(organizationId, event);
      // In parallel, because the provider waits. Await both, because Lambda freezes an instance after its answer.
      await Promise.all([record({ added }), isToPublish ? markPublished(key) : undefined]);
    } catch (error) {
      if (error instanceof DomainError) await record({ error });
      throw error;
    }
  };
};
