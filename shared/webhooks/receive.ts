/**
 * Takes one delivery of the provider: whose it is, whether it is genuine, stored once and handed over before it is
 * acknowledged. What it does again changes nothing, so the provider may repeat it and any call may end in a crash.
 */

import type { ProviderEvent } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { writeLog } from "../runtime/log.ts";
import type { Origin } from "../terms/requester.ts";
import { publishReceived } from "./hand-over.ts";
import type { DeliveryRecorder } from "./record-delivery.ts";
import { concernsUs, isStorable, type WebhookEvent } from "./webhook-event.ts";
import type { Added, WebhookEventStore } from "./webhook-event-store.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

/** A request as it came. `organizationId` is the address's; undefined where that is malformed. */
export type Delivery = {
  organizationId: string | undefined;
  signature: string | undefined;
  body: Uint8Array;
  origin: Origin;
};

/** What a delivery needs of an organization's connection; `webhookSecrets` is sealed. */
export type WebhookConnection = { connectionId: string; accountId: string; webhookSecrets: Uint8Array };

/** An event, and the account that it says it is of, where it names one. */
export type DeliveredEvent = ProviderEvent & { accountId?: string };

export type ReceiveParts = {
  /** Reads strongly; undefined where the organization expects no webhooks. */
  readConnection(organizationId: string): Promise<WebhookConnection | undefined>;
  secrets: Pick<WebhookSecrets, "open">;
  hasValidSignature(
    delivery: { header: string | undefined; body: Uint8Array },
    secrets: readonly string[],
    now: number,
  ): boolean;
  /** Undefined where the payload is no event. */
  parseEvent(payload: unknown): DeliveredEvent | undefined;
  events: Pick<WebhookEventStore, "add" | "markHandedOver">;
  bus: Pick<EventBus, "publish">;
  recorder: DeliveryRecorder;
  now: Clock;
};

/** Takes a delivery; returns when it may be acknowledged. */
export type Receive = (delivery: Delivery) => Promise<void>;

type Owner = WebhookConnection & { organizationId: string };

const parseJson = (body: Uint8Array): unknown => {
  try {
    // A byte-order mark is kept, and so refused.
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw new DomainError("invalid_json", "body: expected valid JSON in well-formed UTF-8");
  }
};

/** @throws DomainErrors: `webhook_rejected`, `invalid_json`, `invalid_field`, and `store_unavailable` for all that failed. */
export const createReceive = (parts: ReceiveParts): Receive => {
  const { readConnection, secrets, hasValidSignature, parseEvent, events, bus, recorder, now } = parts;

  /** Whose delivery it is, if it is genuine. One answer for all that is not, so that nobody learns who is connected. */
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
    const known = connection === undefined ? undefined : organizationId;
    await recorder.forged({ organizationId: known, origin, error });
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
    const stored = { ...event, ...(objectId !== undefined && { objectId }), connectionId, accountId, receivedAt };
    if (named !== undefined && named !== accountId) {
      return { ...stored, observations: [], processedAt: receivedAt, outcome: "ignored" };
    }
    return concernsUs(event) ? stored : { ...stored, processedAt: receivedAt, outcome: "unknown" };
  };

  /** Stores the event, and hands it over unless that is known to have been done. */
  const keep = async ({ organizationId }: Owner, stored: WebhookEvent) => {
    const added = await events.add(organizationId, stored);
    const isToHandOver = added === "pending" || (added === "new" && stored.outcome === undefined);
    const key = { organizationId, id: stored.id };
    if (isToHandOver && (await publishReceived(bus, [key])).length > 0) {
      throw new DomainError("store_unavailable", "The event could not be handed over. Send it again.");
    }
    return { added, isToHandOver, key };
  };

  const markHandedOver = (key: { organizationId: string; id: string }) =>
    // Left unmarked, it is handed over once more, which changes nothing.
    events.markHandedOver(key, now()).catch((error: unknown) => {
      writeLog("warn", "A webhook's event was not marked", { eventId: key.id, cause: String(error) });
    });

  return async (delivery) => {
    const startedAt = now();
    const owner = await admit(delivery);
    const { organizationId, accountId } = owner;
    const record = (facts: { event?: WebhookEvent; added?: Added; error?: DomainError }) =>
      recorder.genuine({
        ...{ organizationId, accountId, origin: delivery.origin, durationMs: now() - startedAt },
        ...(facts.event !== undefined && { event: facts.event, isForeign: facts.event.outcome === "ignored" }),
        ...(facts.added !== undefined && { isRepeated: facts.added !== "new" }),
        ...(facts.error !== undefined && { error: facts.error }),
      });
    let event: WebhookEvent | undefined;
    try {
      event = toStored(parse(delivery.body), owner);
      const { added, isToHandOver, key } = await keep(owner, event);
      // Side by side, because the provider waits; both to their end, because an instance sleeps once it has answered.
      await Promise.all([record({ event, added }), isToHandOver ? markHandedOver(key) : undefined]);
    } catch (error) {
      if (error instanceof DomainError) await record({ ...(event !== undefined && { event }), error });
      throw error;
    }
  };
};
