import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { DomainError } from "../runtime/domain-error.ts";
import { getItem } from "../runtime/get-item.ts";
import { organizationIdOf, organizationKey, partKey } from "../terms/keys.ts";
import { connectionMethods } from "./connection.ts";

/** More organizations cannot connect one account: each event of the account is stored for each of them. */
const MAX_ORGANIZATIONS = 25;

/** An item without organizations stays for an hour. */
const KEPT_SECONDS = 3_600;

const Entry = z.object({ connectionId: z.string(), method: z.enum(connectionMethods) });
type Entry = z.output<typeof Entry>;

/**
 * One item for each connected account, beside the connections: `id`: `account#<account id>`; `organizations`: an entry for
 * each connected organization, by its key; `ttl`: epoch seconds, present only without organizations.
 */
const Item = z.object({ organizations: z._default(z.record(z.string(), Entry), {}) });

const keyOf = (accountId: string) => ({ id: partKey("account", accountId) });

/** An organization that has connected an account. */
export type AccountOwner = Entry & { organizationId: string };

export type AccountDirectoryStore = ReturnType<typeof createAccountDirectoryStore>;

/**
 * Which organizations have connected an account of the provider. The transaction that changes a connection also changes
 * the account's item, so the two always agree. All calls throw DomainError `store_unavailable`.
 */
export const createAccountDirectoryStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  { maxOrganizations = MAX_ORGANIZATIONS }: { maxOrganizations?: number } = {},
) => {
  const read = async (accountId: string): Promise<Record<string, Entry>> =>
    Item.parse((await getItem(client, tableName, keyOf(accountId))) ?? {}).organizations;

  return {
    /** The organizations of an account, read strongly, in no order; one read unit up to 4 KB. */
    async ownersOf(accountId: string): Promise<AccountOwner[]> {
      const entries = Object.entries(await read(accountId));
      return entries.map(([key, entry]) => ({ ...entry, organizationId: organizationIdOf(key) }));
    },

    /**
     * The update that adds or replaces an organization's entry. Its condition fails if the item changes before the
     * transaction: call `enter` again. One read unit; in the transaction two write units.
     * @throws DomainError `account_shared` if too many other organizations have connected the account.
     */
    async enter(organizationId: string, accountId: string, { connectionId, method }: Entry) {
      const own = organizationKey(organizationId);
      const entry: Entry = { connectionId, method };
      const entries = await read(accountId);
      const organizations = Object.keys(entries);
      const target = { TableName: tableName, Key: keyOf(accountId) };
      if (organizations.length === 0) {
        return {
          ...target,
          UpdateExpression: "SET #organizations = :entries REMOVE #ttl",
          ConditionExpression: "attribute_not_exists(#organizations)",
          ExpressionAttributeNames: { "#organizations": "organizations", "#ttl": "ttl" },
          ExpressionAttributeValues: { ":entries": { [own]: entry } },
        };
      }
      if (!Object.hasOwn(entries, own) && organizations.length >= maxOrganizations) {
        const message = `The account is connected to ${maxOrganizations} organizations already. Disconnect one of them.`;
        throw new DomainError("account_shared", message);
      }
      return {
        ...target,
        UpdateExpression: "SET #organizations.#own = :entry",
        ConditionExpression:
          "attribute_exists(#organizations) AND (attribute_exists(#organizations.#own) OR size(#organizations) < :max)",
        ExpressionAttributeNames: { "#organizations": "organizations", "#own": own },
        ExpressionAttributeValues: { ":entry": entry, ":max": maxOrganizations },
      };
    },

    /**
     * The update that removes an organization's entry, likewise; undefined if there is none.
     * @param now epoch ms.
     */
    async leave(organizationId: string, accountId: string, now: number) {
      const own = organizationKey(organizationId);
      const entries = await read(accountId);
      if (!Object.hasOwn(entries, own)) return undefined;
      const isLast = Object.keys(entries).length === 1;
      return {
        TableName: tableName,
        Key: keyOf(accountId),
        UpdateExpression: isLast ? "SET #ttl = :ttl REMOVE #organizations" : "REMOVE #organizations.#own",
        ConditionExpression: `attribute_exists(#organizations.#own) AND size(#organizations) ${isLast ? "=" : ">"} :one`,
        ExpressionAttributeNames: { "#organizations": "organizations", "#own": own, ...(isLast && { "#ttl": "ttl" }) },
        ExpressionAttributeValues: { ":one": 1, ...(isLast && { ":ttl": Math.floor(now / 1_000) + KEPT_SECONDS }) },
      };
    },
  };
};
