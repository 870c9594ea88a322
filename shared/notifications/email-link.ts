/**
 * The links in mails to a destination: one confirms the address, one unsubscribes it, and one says that its owner did not ask
 * for the mails. A link's key is sealed, so an altered one costs no call. It names the address's id, which only the
 * destination's item has, so that the sealing key alone does not suffice to make a link, and so that links of an earlier
 * address do not count. The last link also works if the destination was changed or deleted. docs/notifications.md, "E-mail".
 */
import * as z from "zod/mini";
import { DomainError } from "../runtime/domain-error.ts";
import type { Sealing } from "../runtime/sealing.ts";

/** Where the links lead; the key is the parameter `key`. */
export const EMAIL_LINK_PATH = "/api/integrations/provider/notifications/link";

const actions = ["confirm", "unsubscribe", "not_me"] as const;

/**
 * Unsealing returns integers as bigints. `expiresAt`: epoch ms; a link without it does not end. `address`: a keyed digest
 * (mailed-address-store.ts), of `not_me` only.
 */
const Content = z.object({
  action: z.enum(actions),
  organizationId: z.string(),
  destinationId: z.string(),
  addressId: z.string(),
  address: z.optional(z.string()),
  expiresAt: z.optional(
    z.pipe(
      z.bigint(),
      z.transform((value: bigint) => Number(value)),
    ),
  ),
});
export type EmailLink = z.output<typeof Content>;

/** Separates these links from cursors, OAuth states and links to reports. */
const BINDING = { scope: "email-link", query: "destination" };

export type EmailLinks = ReturnType<typeof createEmailLinks>;

export const createEmailLinks = (sealing: Sealing) => ({
  /** The key of a link. */
  seal: (link: EmailLink): string => sealing.seal(BINDING, link),

  /** @param now epoch ms. @throws DomainError `link_not_found`, `link_ended`. */
  open(key: string, now: number): EmailLink {
    const opened = sealing.open(BINDING, Content, key);
    if (opened.is !== "ours") throw new DomainError("link_not_found", "The service did not issue this link.");
    const { expiresAt } = opened.position;
    if (expiresAt !== undefined && expiresAt <= now) {
      throw new DomainError("link_ended", "The link has expired. Ask the administrator for another one.");
    }
    return opened.position;
  },
});
