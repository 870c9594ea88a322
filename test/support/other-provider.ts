/**
 * A second server with the provider's wire protocol, written from the protocol's description alone. It shares no code with
 * the simulator or the adapter and implements only the required parts: `/v1/invoice_payments` is missing.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "../../infra/local/http/listen.ts";

/** An object of the provider; all fields but the id are optional. */
export type Thing = { id: string; created?: number } & Record<string, unknown>;
export type Happening = Thing & { type: string; created: number };

/** A received request. For a POST, `query` has the form's fields. `at` is in epoch milliseconds. */
export type Call = { at: number; method: string; path: string; query: Record<string, string>; secret: string };

/** A replacement for the normal answer: `reset` cuts the connection, `silence` never answers. */
export type Reply = "reset" | "silence" | { status: number; body: unknown; headers?: Record<string, string> };

export type OtherAccount = {
  id: string;
  apiKey: string;
  /** Objects and events by the collection's name in the path. */
  things: Record<string, Thing[]>;
};

export const platform = { clientId: "ca_of_the_platform", secret: "sk_platform_0123456789" };

export const now = (): number => Math.floor(Date.now() / 1_000);

export const failing = (status: number, error: unknown = {}, headers: Record<string, string> = {}): Reply => ({
  status,
  body: { error },
  headers,
});

const missing = (what: string): Reply =>
  failing(404, { type: "invalid_request_error", code: "resource_missing", message: `No such ${what}`, param: "id" });

const unauthorized = failing(401, { type: "invalid_request_error", message: "Invalid API Key provided: sk_****" });

/** A poisoned object may have anything as its time. */
const createdOf = ({ created }: { created?: unknown }): number => (typeof created === "number" ? created : 0);

const inTime = (thing: Thing, query: Call["query"]): boolean => {
  const bound = (name: string, otherwise: number) => Number(query[`created[${name}]`] ?? otherwise);
  const at = createdOf(thing);
  const { created } = query;
  return (
    (created === undefined || at === Number(created)) &&
    at >= bound("gte", Number.NEGATIVE_INFINITY) &&
    at > bound("gt", Number.NEGATIVE_INFINITY) &&
    at <= bound("lte", Number.POSITIVE_INFINITY) &&
    at < bound("lt", Number.POSITIVE_INFINITY)
  );
};

/** Newest first. Within a second, the last one added comes first. */
const page = (things: readonly Thing[], path: string, query: Call["query"]): Reply => {
  const sorted = things.toReversed().sort((a, b) => createdOf(b) - createdOf(a));
  const limit = Number(query.limit ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    return failing(400, { type: "invalid_request_error", message: "Invalid limit" });
  const after = query.starting_after;
  const start = after === undefined ? 0 : sorted.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0)
    return failing(400, { type: "invalid_request_error", code: "resource_missing", param: "starting_after" });
  const rest = sorted.slice(start).filter((thing) => inTime(thing, query));
  return {
    status: 200,
    body: { object: "list", url: path, data: rest.slice(0, limit), has_more: rest.length > limit },
  };
};

const readText = async (request: IncomingMessage): Promise<string> => {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
};

const secretOf = ({ headers: { authorization = "" } }: IncomingMessage): string => {
  const [scheme, value = ""] = authorization.split(" ");
  return scheme === "Basic" ? (Buffer.from(value, "base64").toString().split(":")[0] ?? "") : value;
};

const send = (response: ServerResponse, reply: Reply, spell: (json: string) => string): void => {
  if (reply === "silence") return;
  if (reply === "reset") {
    response.socket?.destroy();
    return;
  }
  const { status, body, headers } = reply;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : spell(JSON.stringify(body)));
};

export type OtherProvider = Awaited<ReturnType<typeof startOtherProvider>>;

/** Starts the server on a free loopback port. */
export const startOtherProvider = async () => {
  const calls: Call[] = [];
  const accounts = new Map<string, OtherAccount>();
  /** The account of each API key, access token, refresh token and code. */
  const keys = new Map<string, string>();
  const grants = new Map<string, string>();
  let meddle: (call: Call, account: OtherAccount | undefined) => Reply | undefined | Promise<Reply | undefined> = () =>
    undefined;
  let spell = (json: string): string => json;
  let made = 0;
  const fresh = (prefix: string) => `${prefix}_${(++made).toString().padStart(4, "0")}abcdefghijkl`;

  const exchange = ({ query, secret }: Call): Reply => {
    if (secret !== platform.secret) return unauthorized;
    const grant = query.grant_type === "refresh_token" ? query.refresh_token : query.code;
    const accountId = grants.get(grant ?? "");
    if (grant === undefined || accountId === undefined)
      return { status: 400, body: { error: "invalid_grant", error_description: "It was used, or never given." } };
    grants.delete(grant);
    const tokens = { access_token: fresh("at"), refresh_token: fresh("rt") };
    keys.set(tokens.access_token, accountId);
    grants.set(tokens.refresh_token, accountId);
    return { status: 200, body: { ...tokens, token_type: "bearer", stripe_user_id: accountId } };
  };

  const answer = (call: Call, account: OtherAccount | undefined): Reply => {
    if (call.path === "/v1/oauth/token") return exchange(call);
    if (account === undefined) return unauthorized;
    const [, version, collection = "", id] = call.path.split("/");
    if (version !== "v1" || call.method !== "GET") return failing(404, { type: "invalid_request_error" });
    if (collection === "account") return { status: 200, body: { id: account.id, object: "account" } };
    const things = account.things[collection];
    if (things === undefined)
      return failing(404, { type: "invalid_request_error", message: `Unrecognized request URL (GET: ${call.path}).` });
    if (id === undefined) return page(things, `/v1/${collection}`, call.query);
    const found = things.find((thing) => thing.id === decodeURIComponent(id));
    return found === undefined ? missing(collection) : { status: 200, body: found };
  };

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://provider");
    const form = new URLSearchParams(await readText(request));
    const call: Call = {
      at: Date.now(),
      method: request.method ?? "",
      path: pathname,
      query: Object.fromEntries(request.method === "POST" ? form : searchParams),
      secret: secretOf(request),
    };
    calls.push(call);
    const account = accounts.get(keys.get(call.secret) ?? "");
    send(response, (await meddle(call, account)) ?? answer(call, account), spell);
  });
  const { url, close } = await listen(server, 0);

  return {
    url,

    /** All received requests, in order. */
    calls: calls as readonly Call[],

    /** A new, empty account. */
    account(things: Partial<Record<string, Thing[]>> = {}): OtherAccount {
      const collections = { customers: [], subscriptions: [], invoices: [], payment_intents: [], events: [] };
      const account = { id: fresh("acct"), apiKey: fresh("sk_test"), things: { ...collections, ...things } };
      accounts.set(account.id, account as OtherAccount);
      keys.set(account.apiKey, account.id);
      return account as OtherAccount;
    },

    /** Another API key of the account. */
    key(account: OtherAccount): string {
      const key = fresh("sk_test");
      keys.set(key, account.id);
      return key;
    },

    /** The normal answer of the token endpoint. */
    exchange,

    /** An OAuth code, as a user brings it back after granting access. */
    code(account: OtherAccount): string {
      const code = fresh("ac");
      grants.set(code, account.id);
      return code;
    },

    /** Revokes an account's API keys and access tokens; with `grants` also its refresh tokens. */
    revoke(account: OtherAccount, { alsoGrants = false } = {}): void {
      for (const [key, id] of keys) if (id === account.id) keys.delete(key);
      if (alsoGrants) for (const [grant, id] of grants) if (id === account.id) grants.delete(grant);
    },

    /** Replaces the normal answer if the callback returns one. */
    meddle(how: typeof meddle): void {
      meddle = how;
    },

    /** Changes the text of JSON answers, for what no JavaScript value has, such as 1e400. */
    spell(how: typeof spell): void {
      spell = how;
    },

    behave(): void {
      meddle = () => undefined;
    },

    stop: () => close(),
  };
};

let happenings = 0;

/** Adds an event about an object to the feed, without changing the object. */
export const addEvent = ({ things }: OtherAccount, type: string, object: Thing, created: number = now()): Happening => {
  const event = { id: `evt_${(++happenings).toString().padStart(6, "0")}`, type, created, data: { object } };
  things.events?.push(event);
  return event;
};

/** Adds an object or replaces the one with the same id. */
export const put = ({ things }: OtherAccount, collection: string, object: Thing): void => {
  things[collection] = [...(things[collection] ?? []).filter(({ id }) => id !== object.id), object];
};
