/** The mail that asks the recipient to confirm an e-mail address. docs/notifications.md, "E-mail". */
import { DomainError } from "../runtime/domain-error.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import { DAY_MS, dayName } from "../terms/hours.ts";
import { CONFIRMATION_LIFE_MS, type Destination } from "./destination.ts";
import type { DestinationSecrets } from "./destination-secrets.ts";
import type { DestinationStore } from "./destination-store.ts";
import type { EmailLinks } from "./email-link.ts";
import type { HandOver } from "./hand-over.ts";

/** @throws DomainError `email_not_configured`. @param emailSender undefined if the deployment sends no mail. */
export const requireEmail = (emailSender: string | undefined): void => {
  if (emailSender !== undefined) return;
  throw new DomainError(
    "email_not_configured",
    "This deployment sends no e-mail, because it has no sender (context key emailSender). Use another type of destination.",
  );
};

/** The secrets of an address: the keys of the links in its mails. @param at when the link to confirm was made, epoch ms. */
export const emailSecrets = (
  links: Pick<EmailLinks, "seal">,
  about: { organizationId: string; destinationId: string; addressId: string },
  at: number,
): DestinationSecrets => ({
  type: "email",
  confirmKey: links.seal({ ...about, action: "confirm", expiresAt: at + CONFIRMATION_LIFE_MS }),
  unsubscribeKey: links.seal({ ...about, action: "unsubscribe" }),
});

/** @throws DomainError `too_many_confirmations`, `store_unavailable`. @param at epoch ms. */
export const countConfirmation = async (
  destinations: Pick<DestinationStore, "countConfirmation">,
  organizationId: string,
  at: number,
): Promise<void> => {
  if (await destinations.countConfirmation(organizationId, dayName(at), at + 2 * DAY_MS)) return;
  throw new DomainError(
    "too_many_confirmations",
    "The organization has had too many confirmation mails sent today. Try again tomorrow.",
  );
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
