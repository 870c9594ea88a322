/** The mail that asks the recipient to confirm an e-mail address. docs/notifications.md, "E-mail". */
import { asSideWork } from "../runtime/deadline.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import { DAY_MS, dayName } from "../terms/hours.ts";
import { CONFIRMATION_LIFE_MS, type Destination } from "./destination.ts";
import type { DestinationSecrets } from "./destination-secrets.ts";
import type { DestinationStore } from "./destination-store.ts";
import type { EmailLinks } from "./email-link.ts";
import type { HandOver } from "./hand-over.ts";
import { REFUSAL_MS } from "./mailed-address.ts";
import type { AddressRequest, MailedAddressStore } from "./mailed-address-store.ts";

/** @throws DomainError `email_not_configured`. @param emailSender undefined if the deployment sends no mail. */
export const requireEmail = (emailSender: string | undefined): void => {
  if (emailSender !== undefined) return;
  throw new DomainError(
    "email_not_configured",
    "This deployment sends no e-mail, because it has no sender (context key emailSender). Use another type of destination.",
  );
};

/**
 * The secrets of an address: the keys of the links in its mails. @param address a keyed digest. @param at when the link to
 * confirm was made, epoch ms.
 */
export const emailSecrets = (
  links: Pick<EmailLinks, "seal">,
  about: { organizationId: string; destinationId: string; addressId: string },
  { address, at }: { address: string; at: number },
): DestinationSecrets => ({
  type: "email",
  confirmKey: links.seal({ ...about, action: "confirm", expiresAt: at + CONFIRMATION_LIFE_MS }),
  unsubscribeKey: links.seal({ ...about, action: "unsubscribe" }),
  notMeKey: links.seal({ ...about, action: "not_me", address, expiresAt: at + REFUSAL_MS }),
});

type Counters = {
  destinations: Pick<DestinationStore, "countConfirmation">;
  addresses: Pick<MailedAddressStore, "ask">;
};

/**
 * Counts a mail that asks to confirm, before anything is stored. One message for all limits of an address, because they
 * depend on other organizations and on the answers of the recipient.
 * @throws DomainError `too_many_confirmations`, `store_unavailable`.
 */
export const countConfirmation = async (
  { destinations, addresses }: Counters,
  address: string,
  request: AddressRequest,
): Promise<void> => {
  const { organizationId, at } = request;
  if (!(await destinations.countConfirmation(organizationId, dayName(at), at + 2 * DAY_MS))) {
    throw new DomainError(
      "too_many_confirmations",
      "The organization has had too many confirmation mails sent today. Try again tomorrow.",
    );
  }
  if (await addresses.ask(address, request)) return;
  throw new DomainError(
    "too_many_confirmations",
    "No mail to confirm can be sent to this address now: it was asked in the last 24 hours, or its owner does not want these mails.",
  );
};

/** Takes a counted mail back that does not leave, so that the request can be repeated. */
export const withdrawConfirmation = async (
  addresses: Pick<MailedAddressStore, "withdraw">,
  address: string,
  request: AddressRequest,
): Promise<void> => {
  await asSideWork(() => addresses.withdraw(address, request)).catch((error: unknown) => {
    writeLog("warn", "Taking back a confirmation that was not sent failed", { cause: String(error) });
  });
};

/** Hands over the mail. The same address and time give the same delivery. @throws DomainError `store_unavailable`. */
export const sendConfirmation = (
  handOver: HandOver,
  organizationId: string,
  { id, name }: Pick<Destination, "id" | "name">,
  { addressId, at, requestedBy }: { addressId: string; at: number; requestedBy: string },
) =>
  handOver(
    { destinationId: id, deliveryId: eventId(at, identityOf("confirmation", organizationId, id, addressId)) },
    {
      type: "destination.confirmation",
      timestamp: at,
      organizationId,
      data: { destination: { id, name }, expiresAt: at + CONFIRMATION_LIFE_MS },
    },
    { requestedBy },
  );
