/** The model of a connection, its comparison with the real table, and what a rejected secret does to it. */
import { expect } from "@jest/globals";
import { bearerOf } from "../../../shared/connection/connection-secrets.ts";
import { validSecrets } from "../../../shared/connection/webhook-secrets.ts";
import type { Credentials } from "../../../shared/provider/provider.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { type ConnectionTable, listed } from "./connection-table.ts";
import { NOON, serverError, type World } from "./world.ts";

export const HOUR = 3_600_000;
export const AHEAD = 5 * 60_000;
const REPLACED_VALID = 24 * HOUR;

/**
 * - `claimed`: the account whose records are stored.
 * - `isRefreshable`: the provider accepts the refresh token.
 * - `webhookSecret`, `replaced`: the current secret, and those before it. `until`: epoch ms of their end.
 * - `failures`: the error code of each AUTHENTICATION_FAILURE.
 * - `held`: what a user of the connection opened some steps ago.
 */
export type Model = {
  status: "connected" | "disconnected" | "needs_reconnect";
  method?: "api_key" | "oauth" | undefined;
  accountId?: string | undefined;
  webhookSecret?: string | undefined;
  replaced: readonly { secret: string; until: number }[];
  claimed?: string | undefined;
  isRefreshable: boolean;
  expiresAt: number;
  now: number;
  established: number;
  removed: number;
  secretsChanged: number;
  failures: readonly string[];
  held?: { accountId: string | undefined; secret: string } | undefined;
};

export type Real = {
  table: ConnectionTable;
  org: string;
  ways: { direct: World; lossy: World };
  held?: Credentials;
};
export type Way = keyof Real["ways"];

export const newModel = (): Model => ({
  status: "disconnected",
  isRefreshable: true,
  expiresAt: 0,
  now: NOON,
  established: 0,
  removed: 0,
  secretsChanged: 0,
  failures: [],
  replaced: [],
});

/** Changes of the model that several commands make. */
export const disconnected = {
  status: "disconnected",
  method: undefined,
  accountId: undefined,
  webhookSecret: undefined,
  replaced: [],
} as const;

export const requireReconnect = (model: Model, reason: string): void => {
  Object.assign(model, { status: "needs_reconnect", failures: [...model.failures, reason] });
};

export const replaceWebhookSecret = (model: Model, secret: string): void => {
  if (model.webhookSecret === secret) return;
  const earlier = model.replaced.filter((one) => model.now < one.until && one.secret !== secret);
  const { webhookSecret: was } = model;
  model.replaced = was === undefined ? earlier : [...earlier, { secret: was, until: model.now + REPLACED_VALID }];
  model.webhookSecret = secret;
  model.secretsChanged++;
};

const webhookSecretsOf = ({ webhookSecret, replaced, now }: Model): string[] => [
  ...(webhookSecret === undefined ? [] : [webhookSecret]),
  ...replaced.filter(({ until }) => now < until).map(({ secret }) => secret),
];

/** The secret that the connection has now; undefined unless it is connected. */
export const storedSecret = async ({ org, ways: { direct } }: Real): Promise<string | undefined> => {
  const stored = await direct.stores.connections.read(org);
  if (stored.status !== "connected") return undefined;
  return bearerOf(await direct.secrets.openCredentials(org, stored.credentials));
};

export const compare = async (model: Model, { table, org, ways: { direct, lossy } }: Real): Promise<void> => {
  const stored = await direct.stores.connections.read(org);
  const { status, accountId, method } = { accountId: undefined, method: undefined, ...stored };
  expect({ status, accountId, method }).toEqual({
    status: model.status,
    accountId: model.accountId,
    method: model.method,
  });
  expect(stored.holdsRecordsOf).toBe(model.claimed);
  const sealed = "webhookSecrets" in stored ? stored.webhookSecrets : undefined;
  const secrets = sealed === undefined ? [] : await direct.secrets.openWebhookSecrets(org, sealed);
  expect(validSecrets(secrets, model.now)).toEqual(webhookSecretsOf(model));
  const attributes = Object.keys((await table.item(organizationKey(org))) ?? {});
  expect(attributes.includes("credentials")).toBe(model.status === "connected");
  expect(attributes).not.toContain("change");
  const connected = await listed(direct.stores);
  expect(connected.includes(org)).toBe(model.status === "connected");
  await expect(direct.stores.connected.countConnected()).resolves.toBe(connected.length);
  const events = [...direct.events, ...lossy.events];
  const count = (type: string) => events.filter(({ eventType }) => eventType === type).length;
  expect([
    count("PROVIDER_CONNECTION_ESTABLISHED"),
    count("PROVIDER_CONNECTION_REMOVED"),
    count("WEBHOOK_SECRETS_CHANGED"),
  ]).toEqual([model.established, model.removed, model.secretsChanged]);
  const failures = events.filter(({ eventType }) => eventType === "AUTHENTICATION_FAILURE");
  expect(failures.map(({ errorCode }) => errorCode).sort()).toEqual([...model.failures].sort());
};

/**
 * How the provider rejects a secret: in one request only; in one request, and then it does not answer whether an API key
 * is valid; from now on; or from now on, with the token that replaces it.
 */
export type Rejection = "once" | "unjudged" | "for good" | "twice";

const ended = {
  status: "rejected",
  reason: { code: "connection_ended", kind: "authentication", outcome: "failure", isRetryable: false },
};

/** What the provider was asked while callers, all at once, ask what to use in place of a rejected secret. */
const refuse = async ({ provider }: World, callers: readonly Credentials[], secret: string) => {
  const before = provider.asked.length;
  const ends = await Promise.allSettled(callers.map((credentials) => credentials.refused(secret)));
  return { ends, asked: provider.asked.slice(before) };
};

/** All callers learn that the connection has ended, also when they ask again. */
const expectEnd = async (world: World, callers: readonly Credentials[], secret: string) => {
  const first = await refuse(world, callers, secret);
  for (const end of first.ends) expect(end).toMatchObject(ended);
  const again = await refuse(world, callers, secret);
  for (const end of again.ends) expect(end).toMatchObject(ended);
  expect(again.asked).toEqual([]);
  return first;
};

/** An API key: one more request decides. A caller may ask after the decision of another one. */
const rejectKey = async (
  model: Model,
  world: World,
  callers: readonly Credentials[],
  secret: string,
  as: Rejection,
) => {
  const isValid = as === "once" || as === "unjudged";
  const { ends, asked } = await (isValid ? refuse : expectEnd)(world, callers, secret);
  expect(new Set(asked)).toEqual(new Set(["confirm"]));
  expect(asked.length).toBeLessThanOrEqual(callers.length);
  if (!isValid) return requireReconnect(model, "api_key_refused");
  for (const end of ends) expect(end).toEqual({ status: "fulfilled", value: as === "once" ? secret : undefined });
};

/** A token: one exchange, however the provider rejects it. */
const rejectToken = async (model: Model, real: Real, world: World, callers: readonly Credentials[], secret: string) => {
  const { ends, asked } = await (model.isRefreshable ? refuse : expectEnd)(world, callers, secret);
  expect(asked).toEqual(["refresh"]);
  if (!model.isRefreshable) return requireReconnect(model, "invalid_grant");
  model.expiresAt = model.now + HOUR;
  const replacement = await storedSecret(real);
  expect(replacement).not.toBe(secret);
  for (const end of ends) expect(end).toEqual({ status: "fulfilled", value: replacement });
  return replacement;
};

/**
 * The provider rejects the stored secret of a connected organization, for callers that all use it.
 * @param callers of one instance if the rejection is `twice`, because another instance exchanges a second time.
 */
export const reject = async (
  { model, real, world, callers }: { model: Model; real: Real; world: World; callers: readonly Credentials[] },
  secret: string,
  as: Rejection,
): Promise<void> => {
  const { provider } = world;
  if (as === "for good" || as === "twice") provider.secrets.delete(secret);
  provider.before = (request) => {
    if (as === "unjudged" && request === "confirm") throw serverError();
  };
  try {
    if (model.method === "api_key") return await rejectKey(model, world, callers, secret, as);
    const replacement = await rejectToken(model, real, world, callers, secret);
    if (as !== "twice" || replacement === undefined) return;
    expect((await expectEnd(world, callers, replacement)).asked).toEqual([]);
    requireReconnect(model, "token_refused");
  } finally {
    provider.before = () => {};
  }
};

/** A user that opened the connection before other steps is rejected; its secret may have been replaced since. */
export const rejectHeld = async (model: Model, real: Real, world: World, as: Rejection): Promise<void> => {
  const { held } = model;
  if (held === undefined || real.held === undefined) return;
  const callers = [real.held];
  model.held = undefined;
  if (model.status !== "connected" || model.accountId !== held.accountId) {
    expect((await expectEnd(world, callers, held.secret)).asked).toEqual([]);
    return;
  }
  const stored = await storedSecret(real);
  if (stored === held.secret) return reject({ model, real, world, callers }, held.secret, as);
  const { ends, asked } = await refuse(world, callers, held.secret);
  expect(ends).toEqual([{ status: "fulfilled", value: stored }]);
  expect(asked).toEqual([]);
};
