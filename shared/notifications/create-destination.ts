/** POST …/notifications: creates a destination. docs/notifications.md, "Destinations". */
import { definedFields } from "../json/defined-fields.ts";
import { asSideWork } from "../runtime/deadline.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import type { UserRequest } from "../terms/requester.ts";
import { requireEscalation, requireTimes, targetOf } from "./check-request.ts";
import {
  countConfirmation,
  emailSecrets,
  requireEmail,
  sendConfirmation,
  withdrawConfirmation,
} from "./confirmation.ts";
import type { DestinationRequest, DestinationWithSecret } from "./destination.ts";
import type { DestinationSecrets, DestinationSecretsStore } from "./destination-secrets.ts";
import type { DestinationStore } from "./destination-store.ts";
import type { EmailLinks } from "./email-link.ts";
import type { HandOver } from "./hand-over.ts";
import type { MailedAddressStore } from "./mailed-address-store.ts";
import { changeOf, type RecordDestinationChange } from "./notification-events.ts";
import { type DestinationItem, toDestination } from "./notification-items.ts";
import type { TargetRules } from "./sending/public-address.ts";

export type CreateDestinationDependencies = {
  destinations: Pick<DestinationStore, "create" | "read" | "delete" | "countConfirmation">;
  addresses: Pick<MailedAddressStore, "digestOf" | "ask" | "withdraw">;
  secrets: DestinationSecretsStore;
  links: Pick<EmailLinks, "seal">;
  handOver: HandOver;
  recordChange: RecordDestinationChange;
  /** @param address the address that the client called. */
  targetRules: (address: string) => TargetRules;
  /** Undefined if the deployment sends no mail. */
  emailSender: string | undefined;
  newSecret: () => string;
  /** A unique text. */
  newToken: () => string;
};

export type CreateRequest = UserRequest & { identity: RequestIdentity; address: string };

/** What a webhook's answer has in addition. */
export const shownSecret = (secrets: DestinationSecrets): { secret?: string } =>
  secrets.type === "webhook" ? definedFields({ secret: secrets.secrets[0]?.secret }) : {};

/**
 * The returned function throws DomainError `invalid_field`, `too_many_destinations`, `email_not_configured`,
 * `too_many_confirmations` and `store_unavailable`.
 */
export const createCreateDestination = (dependencies: CreateDestinationDependencies) => {
  const { destinations, addresses, secrets, links, handOver, recordChange, targetRules, emailSender } = dependencies;
  const { newSecret, newToken } = dependencies;

  const secretsOf = (
    request: DestinationRequest,
    url: string,
    about: { organizationId: string; destinationId: string; addressId: string; at: number },
  ): DestinationSecrets => {
    if (request.type === "email") {
      return emailSecrets(links, about, { address: addresses.digestOf(request.address), at: about.at });
    }
    if (request.type === "webhook") return { type: "webhook", url, secrets: [{ secret: newSecret() }] };
    return { type: request.type, url };
  };

  /** Removes a destination that no mail can confirm, so that the request can be repeated. */
  const withdraw = async (organizationId: string, id: string): Promise<void> => {
    await asSideWork(() => destinations.delete(organizationId, id)).catch((error: unknown) => {
      writeLog("warn", "Removing a destination without its confirmation failed", { cause: String(error) });
    });
  };

  const store = async (
    id: string,
    request: DestinationRequest,
    by: CreateRequest,
  ): Promise<{ item: DestinationItem; opened: DestinationSecrets }> => {
    const { organizationId, userId } = by.caller;
    const { at } = by.identity;
    const { url = "", target } = targetOf(request, targetRules(by.address));
    const addressId = newToken();
    const created = secretsOf(request, url, { organizationId, destinationId: id, addressId, at });
    const item: DestinationItem = {
      id,
      type: request.type,
      name: request.name,
      target,
      filter: request.filter,
      ...definedFields({ quietHours: request.quietHours, digest: request.digest, escalate: request.escalate }),
      ...(request.type === "email"
        ? { status: "unconfirmed", addressId, confirmationSentAt: at, ...definedFields({ reports: request.reports }) }
        : { status: "active" }),
      createdAt: at,
      createdBy: userId,
      changedAt: at,
      changedBy: userId,
      sealed: await secrets.seal(organizationId, created),
      version: newToken(),
      change: changeOf({ ...request, id }, by, { action: "create_destination", version: id, at }),
    };
    const result = await destinations.create(organizationId, item);
    if (result === "created") return { item, opened: created };
    // An earlier attempt of the same request has created it, with the secret that its answer had.
    const earlier = result === "exists" ? await destinations.read(organizationId, id) : undefined;
    if (earlier === undefined) {
      throw new DomainError("too_many_destinations", "The organization has 20 destinations already. Delete one first.");
    }
    return { item: earlier, opened: await secrets.open(organizationId, earlier.sealed) };
  };

  const storeAndAsk = async (id: string, request: DestinationRequest, by: CreateRequest) => {
    const { organizationId, userId } = by.caller;
    const { at } = by.identity;
    const { item, opened } = await store(id, request, by);
    if (item.status === "unconfirmed" && item.addressId !== undefined) {
      const { addressId } = item;
      try {
        await sendConfirmation(handOver, organizationId, item, { addressId, at, requestedBy: userId });
      } catch (error) {
        await withdraw(organizationId, item.id);
        throw error;
      }
    }
    return { item, opened };
  };

  return async (request: DestinationRequest, by: CreateRequest): Promise<DestinationWithSecret> => {
    const { organizationId } = by.caller;
    const { id: requestId, at } = by.identity;
    const id = eventId(at, identityOf("destination", organizationId, requestId));
    requireTimes(request);
    const { escalate } = request;
    await requireEscalation({ id, escalate }, undefined, (other) => destinations.read(organizationId, other));
    const asked = { organizationId, request: id, at };
    if (request.type === "email") {
      requireEmail(emailSender);
      await countConfirmation({ destinations, addresses }, request.address, asked);
    }
    const { item, opened } = await storeAndAsk(id, request, by).catch(async (error: unknown) => {
      if (request.type === "email") await withdrawConfirmation(addresses, request.address, asked);
      throw error;
    });
    await recordChange(organizationId, item.change);
    return { ...toDestination(item), ...shownSecret(opened) };
  };
};
