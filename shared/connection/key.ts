/**
 * What the stored credentials allow, as far as their form tells: nothing is ever tried by a call. Pure.
 * Decisions §12, "Key". The kinds: https://docs.stripe.com/keys.
 */
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { epochMs } from "../json/number-fields.ts";
import type { ProviderSetup } from "../provider/provider.ts";
import { type Finding, KEY_RULE } from "../security/alerts/finding.ts";
import { DAY_MS } from "../terms/hours.ts";
import type { Secret } from "./connection-secrets.ts";

/** A key that is older should be rolled. */
const MAX_AGE_DAYS = 365;

export const keyWarnings = ["unrestricted", "age"] as const;
/** Why a live key raises an alert; the alert's subject. */
export type KeyWarning = (typeof keyWarnings)[number];

/** The alerts that were raised for a key. `of`: its digest. */
export const KeyAlerts = z.object({ of: z.string(), raised: z.array(z.enum(keyWarnings)) });
export type KeyAlerts = z.output<typeof KeyAlerts>;

const kind = z.enum(["unrestricted", "restricted", "oauth"]);
const mode = z.enum(["live", "test"]);

/** As stored. `since`: epoch ms. `digest` identifies the value of an API key; OAuth has none, because tokens change. */
export const StoredKey = z.object({ kind, mode, since: z.number(), digest: z.optional(z.string()) });
export type StoredKey = z.output<typeof StoredKey>;

export const Key = z
  .object({
    kind,
    mode,
    since: epochMs("when this value was first stored; for OAuth when the account was connected."),
    lastAcceptedAt: z.optional(epochMs("when the provider last accepted it, with a lag of up to an hour.")),
    advice: z.array(z.object({ code: z.enum(["use_restricted_key", "roll_key"]), text: z.string() })),
  })
  .register(z.globalRegistry, {
    id: "ConnectionKey",
    description: "The stored key, as its form tells. Advice is for live API keys.",
  });
export type Key = z.output<typeof Key>;

/** A key has over 100 bits of randomness, so its digest does not give it away. */
const digestOf = (apiKey: string): string => createHash("sha256").update(apiKey).digest("base64url");

/** @param since when it was first stored, epoch ms. */
export const keyOf = (
  secret: Secret,
  { since, isLive }: { since: number; isLive?: boolean | undefined },
): StoredKey => {
  if (secret.method === "oauth") return { kind: "oauth", mode: isLive === true ? "live" : "test", since };
  const [prefix, second] = secret.apiKey.split("_");
  return {
    kind: prefix === "rk" ? "restricted" : "unrestricted",
    mode: second === "live" ? "live" : "test",
    since,
    digest: digestOf(secret.apiKey),
  };
};

/** The warnings about a key. OAuth and test keys have none. @param now epoch ms. */
export const warningsOf = (key: StoredKey, now: number): KeyWarning[] => {
  if (key.kind === "oauth" || key.mode !== "live") return [];
  const isOld = now - key.since > MAX_AGE_DAYS * DAY_MS;
  return keyWarnings.filter((warning) => (warning === "age" ? isOld : key.kind === "unrestricted"));
};

const advice = {
  unrestricted: {
    code: "use_restricted_key",
    text: "This key may do everything in the account, moving money included. Replace it by a restricted key with the permissions of the setup.",
  },
  age: {
    code: "roll_key",
    text: `This key is older than ${MAX_AGE_DAYS} days. Make a new one, store it here, then delete the old one.`,
  },
} as const;

/** @param acceptedAt, now epoch ms. */
export const viewKey = (key: StoredKey, acceptedAt: number | undefined, now: number): Key => ({
  kind: key.kind,
  mode: key.mode,
  since: key.since,
  ...(acceptedAt !== undefined && { lastAcceptedAt: acceptedAt }),
  advice: warningsOf(key, now).map((warning) => advice[warning]),
});

/** The finding of a warning: the same for one stored key, however often it is judged. @param now epoch ms. */
export const findingOfKey = (
  warning: KeyWarning,
  { since, digest = "" }: StoredKey,
  { keyPermissions, provider }: Pick<ProviderSetup, "keyPermissions" | "provider">,
  now: number,
): Finding & { rule: typeof KEY_RULE } => {
  const isOld = warning === "age";
  const permissions = keyPermissions.map(({ resource, access }) => `${resource}: ${access}`);
  return {
    rule: KEY_RULE,
    subject: warning,
    title: isOld ? "The connection's live key is older than a year" : "The connection has an unrestricted live key",
    level: isOld ? "MEDIUM" : "HIGH",
    message: `${advice[warning].text} ${provider.name} makes keys at ${provider.apiKeysUrl}`,
    occurrence: `${since}#${digest}`,
    eventIds: [],
    evidence: { count: 1, since, ...(isOld ? {} : { permissions }) },
    firstSeen: now,
    lastSeen: now,
  };
};
