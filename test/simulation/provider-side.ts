/**
 * The provider in a simulation: the local cloud's simulator without its transport, on its own clock. One database in
 * memory serves all simulations of a process; each begins with an empty one.
 */
import { isDeepStrictEqual } from "node:util";
import type { OneChange } from "../../infra/local/provider/changes/change-request.ts";
import { createChanges } from "../../infra/local/provider/changes/changes.ts";
import { API_VERSION } from "../../infra/local/provider/objects/objects.ts";
import { renderObject, type WireObject } from "../../infra/local/provider/render/render-object.ts";
import { businesses } from "../../infra/local/provider/seed/businesses.ts";
import { historyOf } from "../../infra/local/provider/seed/seed-account.ts";
import { IN_MEMORY } from "../../infra/local/provider/store/database.ts";
import { openStore, type Store } from "../../infra/local/provider/store/store.ts";
import { createWireAnswers } from "../../infra/local/provider/wire/answers.ts";
import { findSecret, readSecret } from "../../infra/local/provider/wire/authenticate.ts";
import { createOAuth } from "../../infra/local/provider/wire/oauth.ts";
import { parseObject } from "../../shared/provider/stripe/objects.ts";
import type { RecordType } from "../../shared/records/record.ts";
import { fromItem, parseSortKey } from "../../shared/records/record-item.ts";
import type { Item } from "../support/expressions.ts";
import type { HttpAnswer, HttpRequest } from "./edges.ts";

const TABLES = [
  "accounts",
  "objects",
  "events",
  "grants",
  "faults",
  "endpoints",
  "registered_endpoints",
  "deliveries",
  "idempotency",
];

let opened: Store | undefined;

const emptyStore = (): Store => {
  opened ??= openStore(IN_MEMORY);
  for (const table of TABLES) opened.database.statement(`DELETE FROM ${table}`).run();
  opened.database.statement("DELETE FROM sqlite_sequence").run();
  return opened;
};

export type Account = { accountId: string; apiKey: string };

/** The provider's names of the types of records. */
const objectTypes = {
  customers: "customer",
  subscriptions: "subscription",
  invoices: "invoice",
  payments: "payment_intent",
  refunds: "refund",
  disputes: "dispute",
  payouts: "payout",
} as const;

const withoutLink = (fields: object | undefined) => ({ ...fields, invoiceId: undefined });

const recordTypeOf = (object: string): RecordType | undefined =>
  (Object.keys(objectTypes) as RecordType[]).find((type) => objectTypes[type] === object);

/**
 * @param options.deliver called with each event that an account's endpoint must receive
 * @param options.behindSeconds how far events are dated behind the provider's answers
 */
export const createProviderSide = ({
  now,
  behindSeconds,
  deliver,
}: {
  now: () => number;
  behindSeconds: number;
  deliver: (accountId: string, event: WireObject) => void;
}) => {
  const { events, ...tables } = emptyStore();
  const store: Store = {
    ...tables,
    events: {
      ...events,
      insert: (account, event, cause) =>
        events.insert(account, { ...event, created: event.created - behindSeconds }, cause),
    },
  };
  const nowSeconds = () => Math.floor(now() / 1_000);
  const platform = { clientId: "ca_simulated", secret: undefined };
  const oauth = createOAuth({ store, platform, now, onAuthorized: () => undefined });
  const fail = (error: unknown) => {
    throw error;
  };
  const sender = {
    queue: (account: number, events: readonly { id: string }[]) => {
      const accountId = store.accounts.byId(account)?.account_id ?? "";
      for (const { id } of events) {
        const event = store.events.find(account, id);
        if (event !== undefined) deliver(accountId, event);
      }
    },
    poll: () => undefined,
  };
  const changes = createChanges({ store, sender, platform, now });
  const answer = createWireAnswers({ store, changes, oauth, now, onError: fail });

  const requireAccount = (accountId: string) => {
    const account = store.accounts.byAccountId(accountId);
    if (account === undefined) throw new Error(`There is no account ${accountId}.`);
    return account;
  };

  /** The fields that the record of an object must have; undefined if the object was deleted. */
  const wantedFields = (object: ReturnType<Store["objects"]["find"]> & object): object | undefined => {
    const type = recordTypeOf(object.object);
    const parsed = type && parseObject(type, renderObject(object), { from: 0, to: 0 });
    if (object.deleted || parsed?.kind !== "state") return undefined;
    return parsed.fields;
  };

  const objectsOf = (account: number) => {
    const ids = store.database.statement("SELECT id FROM objects WHERE account = ?").all(account);
    return ids.flatMap(({ id }) => store.objects.find(account, String(id)) ?? []);
  };

  /** The provider publishes the link of a payment to its invoice when the invoice is paid. */
  const paidLinks = (account: number) =>
    objectsOf(account).flatMap((one) => (one.object === "invoice_payment" && one.status === "paid" ? [one] : []));

  return {
    /** A new account with some objects. */
    createAccount(accountId: string, objects: number): Account {
      const apiKey = `sk_test_${accountId}`;
      const account = store.accounts.insert({
        account_id: accountId,
        api_key: apiKey,
        name: accountId,
        country: "DE",
        currency: "eur",
        api_version: API_VERSION,
        created: nowSeconds() - 86_400 * 600,
      });
      const size = { objects };
      const { offers } = businesses[0];
      const history = { seed: accountId, currency: "eur", offers, nowSeconds: nowSeconds(), eventsSince: nowSeconds() };
      for (const one of historyOf({ ...history, size }))
        for (const object of one.objects) store.objects.put(account, object);
      store.accounts.ready(account);
      return { accountId, apiKey };
    },

    /** So many random changes, at once. */
    change: (accountId: string, count: number, seed: number): void =>
      void changes.make(requireAccount(accountId), { count, seed }),

    /** One change by name. */
    act: (accountId: string, change: Pick<OneChange, "action">): void =>
      void changes.make(requireAccount(accountId), { seed: 0, fields: {}, atPeriodEnd: false, ...change }),

    /** Replaces an account's key: the old one is refused from now on. */
    rotateKey(accountId: string, apiKey: string): void {
      store.database.statement("UPDATE accounts SET api_key = ? WHERE account_id = ?").run(apiKey, accountId);
    },

    /** Answers a request to the provider's API. */
    answer({ method, path: target, headers, body }: HttpRequest): HttpAnswer {
      const [path = "/", query = ""] = target.split("?", 2);
      const secret = readSecret(headers.Authorization ?? headers.authorization);
      const search = new URLSearchParams(method === "POST" ? body : query);
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const found = findSecret(store, secret);
      const reply = answer({ method, path, search, secret, found, headers: lower, requestId: "req_simulated" });
      return {
        status: reply.status,
        headers: { "content-type": "application/json", date: new Date(now()).toUTCString(), ...reply.headers },
        body: typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body),
      };
    },

    /** Describes the first difference between an account and the stored records of an organization, if any. */
    difference(accountId: string, items: readonly Item[]): string | undefined {
      const stored = new Map(items.map((item) => [parseSortKey(String(item.key)).id, fromItem(item)]));
      const payments = new Map<string, { invoiceId: string | null }>();
      for (const object of objectsOf(requireAccount(accountId).id)) {
        if (recordTypeOf(object.object) === undefined) continue;
        const [wanted, record] = [wantedFields(object), stored.get(object.id)];
        const name = `${object.object} ${object.id}`;
        stored.delete(object.id);
        if (record?.fields !== undefined && "invoiceId" in record.fields) payments.set(object.id, record.fields);
        if (wanted === undefined && record?.fields !== undefined) return `${name} was deleted, but its record is there`;
        if (wanted !== undefined && record === undefined) return `${name} has no record`;
        if (wanted !== undefined && !isDeepStrictEqual(withoutLink(record?.fields), withoutLink(wanted)))
          return `${name} is ${JSON.stringify(record?.fields)}, but must be ${JSON.stringify(wanted)}`;
      }
      for (const { paymentIntent, invoice } of paidLinks(requireAccount(accountId).id)) {
        const fields = payments.get(paymentIntent);
        if (fields !== undefined && fields.invoiceId !== invoice) return `${paymentIntent} is not linked to ${invoice}`;
      }
      const [extra] = [...stored.values()].filter(({ fields }) => fields !== undefined);
      return extra && `${extra.type} ${extra.id} is stored, but is not in the account`;
    },
  };
};
