import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { getItem, type Table } from "../runtime/table.ts";
import { type TransactItem, updatePart } from "../runtime/table-transaction.ts";
import { organizationIdOf, organizationKey, partKey } from "../terms/keys.ts";
import { connectionMethods } from "./connection-method.ts";
import { isEntitled } from "./platform-events.ts";

/** More organizations cannot connect one account: each event of the account is stored for each of them. */
const MAX_ORGANIZATIONS = 25;

/** An item without organizations stays for an hour. */
const KEPT_SECONDS = 3_600;

/** `acceptedAt`: as in the connection's item. */
const Entry = z.object({
  connectionId: z.string(),
  method: z.enum(connectionMethods),
  acceptedAt: z.optional(z.number()),
});
type Entry = z.output<typeof Entry>;

/**
 * One item for each connected account, beside the connections: `id`: `account#<account id>`; `organizations`: an entry for
 * each connected organization, by its key; `ttl`: epoch seconds, present only without organizations.
 */
const Item = z.object({ organizations: z._default(z.record(z.string(), Entry), {}) });

const keyOf = (accountId: string) => ({ id: partKey("account", accountId) });

/** The entry that has been without events for the longest time; undefined if each gets the account's events. */
const longestWithout = (entries: Readonly<Record<string, Entry>>, now: number): [key: string, Entry] | undefined => {
  const without = Object.entries(entries).filter(([, entry]) => !isEntitled(entry, now));
  return without.sort(([, { acceptedAt: a = 0 }], [, { acceptedAt: b = 0 }]) => a - b)[0];
};

/** An organization that has connected an account. */
export type AccountOwner = Entry & { organizationId: string };

export type AccountDirectoryStore = ReturnType<typeof createAccountDirectoryStore>;

/**
 * Which organizations have connected an account of the provider. The transaction that changes a connection also changes
 * the account's item, so the two always agree. All calls throw DomainError `store_unavailable`.
 */
export const createAccountDirectoryStore = (
  table: Table<"connections">,
  { maxOrganizations = MAX_ORGANIZATIONS }: { maxOrganizations?: number } = {},
) => {
  const read = async (accountId: string): Promise<Record<string, Entry>> =>
    Item.parse((await getItem(table, keyOf(accountId))) ?? {}).organizations;

  return {
    /** The organizations of an account, read strongly, in no order; one read unit up to 4 KB. */
    async ownersOf(accountId: string): Promise<AccountOwner[]> {
      const entries = Object.entries(await read(accountId));
      return entries.map(([key, entry]) => ({ ...entry, organizationId: organizationIdOf(key) }));
    },

    /**
     * The part of a transaction that adds or replaces an organization's entry. If the account has no room, the entry
     * that has been without events for the longest time makes room: its connection stays, and enters again when the
     * provider accepts its key. The part's condition fails if the item changes before the transaction: call `enter`
     * again. One read unit; in the transaction two write units.
     * @param now epoch ms.
     * @throws DomainError `account_shared` if too many other organizations get the account's events.
     */
    async enter(
      organizationId: string,
      accountId: string,
      { connectionId, method, acceptedAt }: Entry,
      now: number,
    ): Promise<TransactItem> {
      const own = organizationKey(organizationId);
      const entry: Entry = { connectionId, method, ...definedFields({ acceptedAt }) };
      const entries = await read(accountId);
      const organizations = Object.keys(entries);
      if (organizations.length === 0) {
        return updatePart(table, keyOf(accountId), {
          set: { organizations: { [own]: entry } },
          remove: ["ttl"],
          condition: "attribute_not_exists(#organizations)",
        });
      }
      if (!Object.hasOwn(entries, own) && organizations.length >= maxOrganizations) {
        const [displaced, was] = longestWithout(entries, now) ?? [];
        if (displaced === undefined || was === undefined) {
          const message = `The account is connected to ${maxOrganizations} organizations already. Disconnect one of them.`;
          throw new DomainError("account_shared", message);
        }
        const at = "#organizations.#displaced";
        return updatePart(table, keyOf(accountId), {
          also: "#organizations.#own = :entry",
          remove: ["organizations.displaced"],
          condition: [
            `attribute_not_exists(#organizations.#own) AND ${at}.#connectionId = :displacedId`,
            // The provider may have accepted its key since.
            was.acceptedAt === undefined
              ? `attribute_not_exists(${at}.#acceptedAt)`
              : `${at}.#acceptedAt = :acceptedAt`,
          ].join(" AND "),
          values: { entry, displacedId: was.connectionId, ...definedFields({ acceptedAt: was.acceptedAt }) },
          names: { own, displaced },
        });
      }
      const hasRoom = "(attribute_exists(#organizations.#own) OR size(#organizations) < :max)";
      return updatePart(table, keyOf(accountId), {
        also: "#organizations.#own = :entry",
        condition: `attribute_exists(#organizations) AND ${hasRoom}`,
        values: { entry, max: maxOrganizations },
        names: { own },
      });
    },

    /**
     * The part that removes an organization's entry, likewise; empty if there is none.
     * @param now epoch ms.
     */
    async leave(organizationId: string, accountId: string, now: number): Promise<TransactItem[]> {
      const own = organizationKey(organizationId);
      const entries = await read(accountId);
      if (!Object.hasOwn(entries, own)) return [];
      const isLast = Object.keys(entries).length === 1;
      const change = isLast
        ? { set: { ttl: Math.floor(now / 1_000) + KEPT_SECONDS }, remove: ["organizations"] }
        : { remove: ["organizations.own"] };
      return [
        updatePart(table, keyOf(accountId), {
          ...change,
          condition: `attribute_exists(#organizations.#own) AND size(#organizations) ${isLast ? "=" : ">"} :one`,
          values: { one: 1 },
          names: { own },
        }),
      ];
    },
  };
};
