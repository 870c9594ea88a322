import { createHmac } from "node:crypto";
import * as z from "zod/mini";
import { DomainError } from "../runtime/domain-error.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { getItem, putItem, type Table, unchanged } from "../runtime/table.ts";
import {
  askAddress,
  forgottenAt,
  MailedAddress,
  NEVER_MAILED,
  type RefusalReason,
  refuseOrganization,
  withdrawRequest,
} from "./mailed-address.ts";
import { mailedAddressKey } from "./notification-items.ts";

/** Of several concurrent changes, one is written in each attempt. */
const MAX_ATTEMPTS = 10;

const Item = z.extend(MailedAddress, { version: z.string() });

/** A request to confirm an address. `request`: its identity, the same in its repetitions. `at`: epoch ms. */
export type AddressRequest = { organizationId: string; request: string; at: number };

/** Upper and lower case are one address, and so is what follows a `+`: most mail servers deliver all to one mailbox. */
const mailboxOf = (address: string): string => address.toLowerCase().replace(/\+[^@]*(?=@)/, "");

export type MailedAddressStore = ReturnType<typeof createMailedAddressStore>;

/**
 * What is remembered of addresses, whatever the organization; a key in notification-items.ts. All calls read strongly and
 * write with a condition, and throw DomainError `store_unavailable`.
 * @param sealingKey the digests are keyed with it: the items name neither address nor organization.
 */
export const createMailedAddressStore = (
  table: Table<"notifications">,
  { sealingKey, newToken }: { sealingKey: string; newToken: () => string },
) => {
  const digest = (kind: "address" | "organization", text: string): string =>
    createHmac("sha256", sealingKey)
      .update(JSON.stringify(["mailed-address", kind, text]))
      .digest("base64url");

  const digestOf = (address: string): string => digest("address", mailboxOf(address));
  const organizationOf = (organizationId: string): string => digest("organization", organizationId);

  /** @param decide undefined changes nothing. @returns whether there was something to write, or nothing to change. */
  const change = async (
    address: string,
    decide: (stored: MailedAddress) => MailedAddress | undefined,
  ): Promise<boolean> => {
    const key = mailedAddressKey(address);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (attempt > 0) await pauseBeforeRetry(attempt);
      const found = await getItem(table, key);
      const stored = found && Item.parse(found);
      const next = decide(stored ?? NEVER_MAILED);
      if (next === undefined) return false;
      const item = { ...key, ...next, version: newToken(), ttl: Math.ceil(forgottenAt(next) / 1_000) };
      const { written } = await putItem(table, item, { ...unchanged("version", stored?.version), own: "version" });
      if (written) return true;
    }
    throw new DomainError("store_unavailable", "The address is being changed by others. Try again.");
  };

  const requestOf = ({ organizationId, ...rest }: AddressRequest) => ({
    ...rest,
    organization: organizationOf(organizationId),
  });

  return {
    /** The keyed digest of an address, as links name it. */
    digestOf,

    /** Counts a mail that asks to confirm an address. @returns false if the address must not be asked now. */
    ask: (address: string, request: AddressRequest): Promise<boolean> =>
      change(digestOf(address), (stored) => askAddress(stored, requestOf(request))),

    /** Takes a request back whose mail does not leave. */
    async withdraw(address: string, request: AddressRequest): Promise<void> {
      await change(digestOf(address), (stored) => withdrawRequest(stored, requestOf(request)));
    },

    /** Remembers that the owner of an address refused an organization. @param address a digest. @param refusal.at epoch ms. */
    async refuse(
      address: string,
      { organizationId, because, at }: { organizationId: string; because: RefusalReason; at: number },
    ): Promise<void> {
      const organization = organizationOf(organizationId);
      await change(address, (stored) => refuseOrganization(stored, { organization, because, at }));
    },
  };
};
