/** Receives one delivery at an organization's URL: finds the connection, verifies the signature, accepts the event. */
import { DomainError } from "../runtime/domain-error.ts";
import { addLogIds } from "../runtime/log.ts";
import type { Origin } from "../terms/requester.ts";
import {
  type AcceptDependencies,
  createAcceptEvent,
  type DeliveredEvent,
  type Owner,
  parseDelivery,
  rejected,
} from "./accept-event.ts";
import type { WebhookConnection, WebhookSecrets } from "./webhook-connection-store.ts";

/** A request. */
export type Delivery = { signature: string | undefined; body: Uint8Array; origin: Origin };

/** Whether one of the secrets signed the delivery. @param now epoch ms. */
export type HasValidSignature = (
  delivery: { header: string | undefined; body: Uint8Array },
  secrets: readonly string[],
  now: number,
) => boolean;

export type ReceiveDependencies = AcceptDependencies & {
  /** Reads strongly; undefined if the organization expects no webhooks. */
  readConnection(organizationId: string): Promise<WebhookConnection | undefined>;
  secrets: Pick<WebhookSecrets, "open">;
  hasValidSignature: HasValidSignature;
};

/**
 * Receives a delivery; returns when it may be acknowledged.
 * @param delivery.organizationId the URL's; undefined if that is malformed.
 */
export type Receive = (delivery: Delivery & { organizationId: string | undefined }) => Promise<void>;

/** @throws DomainError `webhook_rejected`, `invalid_json`, `invalid_field`, or `store_unavailable` for any other failure. */
export const createReceive = (dependencies: ReceiveDependencies): Receive => {
  const { readConnection, secrets, hasValidSignature, parseEvent, recorder, now } = dependencies;
  const accept = createAcceptEvent(dependencies);

  /** The connection of a genuine delivery. */
  const admit = async ({ organizationId, signature, body, origin }: Parameters<Receive>[0]): Promise<Owner> => {
    const connection = organizationId === undefined ? undefined : await readConnection(organizationId);
    if (organizationId !== undefined && connection !== undefined) {
      const opened = await secrets.open(organizationId, connection.webhookSecrets);
      if (hasValidSignature({ header: signature, body }, opened, now())) return { ...connection, organizationId };
    }
    const error = rejected();
    await recorder.forged({ organizationId: connection && organizationId, origin, error });
    throw error;
  };

  return async (delivery) => {
    const { body, origin } = delivery;
    const startedAt = now();
    const owner = await admit(delivery);
    addLogIds({ organizationId: owner.organizationId });
    let event: DeliveredEvent;
    try {
      event = parseDelivery(parseEvent, body, startedAt);
      addLogIds({ eventId: event.id });
    } catch (error) {
      const { organizationId, accountId } = owner;
      const durationMs = now() - startedAt;
      if (error instanceof DomainError) {
        await recorder.genuine({ organizationId, accountId, origin, durationMs, error });
      }
      throw error;
    }
    await accept(owner, event, { origin, startedAt });
  };
};
