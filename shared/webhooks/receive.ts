/**
 * Receives one delivery of the provider: finds the organization's connection, verifies the signature, stores the event
 * once, and publishes it before it is acknowledged. A repetition changes nothing, so the provider may deliver again and
 * any call may end in a crash.
 */
import { definedFields } from "../json/defined-fields.ts";
import type { ProviderEvent } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { writeLog } from "../runtime/log.ts";
import type { Origin } from "../terms/requester.ts";
import type { WebhookConnection, WebhookSecrets } from "./webhook-connection-store.ts";
import { isStorable, needsProcessing, type WebhookEvent } from "./webhook-event.ts";
import type { Added, EventKey, WebhookEventStore } from "./webhook-event-store.ts";
import { publishReceived } from "./webhook-outbox.ts";
import type { DeliveryRecorder } from "./webhook-security-events.ts";

/** A request. `organizationId` is the URL's; undefined if that is malformed. */
export type Delivery = {
  organizationId: string | undefined;
  signature: string | undefined;
  body: Uint8Array;
  origin: Origin;
};

/** An event, and the account that it names, if any. */
export type DeliveredEvent = ProviderEvent & { accountId?: string };

export type ReceiveDependencies = {
  /** Reads strongly; undefined if the organization expects no webhooks. */
  readConnection(organizationId: string): Promise<WebhookConnection | undefined>;
  secrets: Pick<WebhookSecrets, "open">;
  hasValidSignature(
    delivery: { header: string | undefined; body: Uint8Array },
    secrets: readonly string[],
    now: number,
  ): boolean;
  /** Undefined if the payload is not an event. */
  parseEvent(payload: unknown): DeliveredEvent | undefined;
  events: Pick<WebhookEventStore, "add" | "markPublished">;
  bus: Pick<EventBus, "publish">;
  recorder: DeliveryRecorder;
  now: Clock;
};

/** Receives a delivery; returns when it may be acknowledged. */
export type Receive = (delivery: Delivery) => Promise<void>;

type Owner = WebhookConnection & { organizationId: string };

const parseJson = (body: Uint8Array): unknown => {
  try {
    // A byte-order mark stays in the text, so JSON.parse refuses it.
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw new DomainError("invalid_json", "body: expected valid JSON in well-formed UTF-8");
  }
};

/** @throws DomainError `webhook_rejected`, `invalid_json`, `invalid_field`, or `store_unavailable` for any other failure. */
export const createReceive = (dependencies: ReceiveDependencies): Receive => {
  const { readConnection, secrets, hasValidSignature, parseEvent, events, bus, recorder, now } = dependencies;

  /** The connection of a genuine delivery. All others get the same answer, so it does not reveal who is connected. */
  const admit = async ({ organizationId, signature, body, origin }: Delivery): Promise<Owner> => {
    const connection = organizationId === undefined ? undefined : await readConnection(organizationId);
    if (organizationId !== undefined && connection !== undefined) {
      const opened = await secrets.open(organizationId, connection.webhookSecrets);
      if (hasValidSignature({ header: signature, body }, opened, now())) return { ...connection, organizationId };
    }
    const error = new DomainError(
      "webhook_rejected",
      "The signature does not verify, or no webhooks are expected here.",
    );
    await recorder.forged({ organizationId: connection && organizationId, origin, error });
    throw error;
  };

  const parse = (body: Uint8Array): DeliveredEvent => {
    const event = parseEvent(parseJson(body));
    if (event === undefined || !isStorable(event)) {
      throw new DomainError("invalid_field", "body: expected an event of the provider");
    }
    return event;
  };

  const toStored = ({ accountId: named, ...event }: DeliveredEvent, owner: Owner): WebhookEvent => {
    const { accountId, connectionId } = owner;
    const receivedAt = now();
    const objectId = event.observations[0]?.id;
    const stored = { ...event, ...definedFields({ objectId }), connectionId, accountId, receivedAt };
    if (named !== undefined && named !== accountId) {
      return { ...stored, observations: [], processedAt: receivedAt, outcome: "ignored" };
    }
    return needsProcessing(event) ? stored : { ...stored, processedAt: receivedAt, outcome: "unknown" };
  };

  /** Stores the event, and publishes it unless that is known to be done. */
  const storeAndPublish = async ({ organizationId }: Owner, stored: WebhookEvent) => {
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
      writeLog("warn", "Marking a webhook event as published failed", { eventId: key.id, cause: String(error) });
    });

  return async (delivery) => {
    const startedAt = now();
    const owner = await admit(delivery);
    const { organizationId, accountId } = owner;
    const record = ({
      event,
      added,
      error,
    }: {
      event?: WebhookEvent | undefined;
      added?: Added;
      error?: DomainError;
    }) =>
      recorder.genuine({
        ...{ organizationId, accountId, origin: delivery.origin, durationMs: now() - startedAt },
        ...definedFields({ event, error, isRepeated: added && added !== "new" }),
        ...(event !== undefined && { isForeign: event.outcome === "ignored" }),
      });
    let event: WebhookEvent | undefined;
    try {
      event = toStored(parse(delivery.body), owner);
      const { added, isToPublish, key } = await storeAndPublish(owner, event);
      // In parallel, because the provider waits. Await both, because Lambda freezes an instance after its answer.
      await Promise.all([record({ event, added }), isToPublish ? markPublished(key) : undefined]);
    } catch (error) {
      if (error instanceof DomainError) await record({ event, error });
      throw error;
    }
  };
};
