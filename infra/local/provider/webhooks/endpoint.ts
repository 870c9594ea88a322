import * as z from "zod";
import { type Platform, webhookSecretsOf } from "../../core/platform.ts";
import type { Database } from "../store/database.ts";

const probability = z.number().min(0).max(1).default(0);

/** The endpoint of an account's events, and how unreliable deliveries are. */
export const Endpoint = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  /** Several while one is being rotated: each signs every delivery. */
  secrets: z.array(z.string().min(1)).min(1),
  /** Types of events that are sent; `*` is all. */
  enabledEvents: z.array(z.string()).min(1).default(["*"]),
  /** A platform's endpoint: its events name the account. */
  connect: z.boolean().default(false),
  /** The probability that a delivery is made twice, or not at all. */
  duplicate: probability,
  drop: probability,
  /** The longest delay of a delivery, on the local cloud's clock. */
  delayMs: z.int().min(0).max(86_400_000).default(0),
  /** Sends the events of one change in random order. */
  shuffle: z.boolean().default(false),
  seed: z.int().default(0),
  /** Disabled, because it has failed for days. */
  disabled: z.boolean().default(false),
});
export type Endpoint = z.output<typeof Endpoint>;

/** The endpoint of the platform, which gets the events of all accounts that granted the platform access. */
export const platformEndpoint = (url: string, platform: Pick<Platform, "webhookSecret">): Endpoint | undefined => {
  const secrets = webhookSecretsOf(platform);
  return secrets.length === 0 ? undefined : Endpoint.parse({ url, secrets, connect: true });
};

const Row = z.object({ endpoint: z.string() });

/** The webhook endpoint of each account that has one. */
export const openEndpoints = (database: Database) => ({
  find(account: number): Endpoint | undefined {
    const row = database.statement("SELECT endpoint FROM endpoints WHERE account = ?").get(account);
    return row === undefined ? undefined : Endpoint.parse(JSON.parse(Row.parse(row).endpoint));
  },
  set: (account: number, endpoint: Endpoint) =>
    void database
      .statement(
        `INSERT INTO endpoints (account, endpoint) VALUES (?, ?)
         ON CONFLICT (account) DO UPDATE SET endpoint = excluded.endpoint`,
      )
      .run(account, JSON.stringify(endpoint)),
  remove: (account: number) => void database.statement("DELETE FROM endpoints WHERE account = ?").run(account),
});

const Registered = z.object({
  id: z.string(),
  created: z.int(),
  apiVersion: z.string().nullable(),
  description: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  endpoint: Endpoint,
});

/** An endpoint that a key has registered by the provider's API. */
export type RegisteredEndpoint = z.output<typeof Registered>;

/** Where events are sent: `id` is null for the endpoint that the control server sets. */
export type Target = { id: string | null; endpoint: Endpoint };

/** The endpoints of accounts that keys have registered, newest first. */
export const openRegisteredEndpoints = (database: Database) => ({
  list: (account: number): RegisteredEndpoint[] =>
    database
      .statement("SELECT endpoint FROM registered_endpoints WHERE account = ? ORDER BY rowid DESC")
      .all(account)
      .map((row) => Registered.parse(JSON.parse(Row.parse(row).endpoint))),
  set: (account: number, registered: RegisteredEndpoint) =>
    void database
      .statement(
        `INSERT INTO registered_endpoints (id, account, endpoint) VALUES (?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET endpoint = excluded.endpoint`,
      )
      .run(registered.id, account, JSON.stringify(registered)),
  /** Its pending deliveries end when they are due. */
  remove: (account: number, id: string) =>
    void database.statement("DELETE FROM registered_endpoints WHERE account = ? AND id = ?").run(account, id),
});

export type RegisteredEndpoints = ReturnType<typeof openRegisteredEndpoints>;
