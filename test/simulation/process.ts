/** Prepares the process for simulations: environment, time, edges and functions. Import it before anything of the product. */
import { createSign, generateKeyPairSync } from "node:crypto";
import { installNode } from "./edges.ts";
import { installTime } from "./scheduler.ts";
import { tables } from "./stack-tables.ts";

const ISSUER = "http://127.0.0.1/issuer";
const AUDIENCE = "simulation";
const PROVIDER_HOST = "provider.test";

const variableOf = (table: string) => `${table.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()}_TABLE_NAME`;

Object.assign(process.env, {
  AWS_REGION: "eu-central-1",
  URL_SUFFIX: "amazonaws.com",
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  AWS_ENDPOINT_URL: "http://127.0.0.1:9",
  EVENT_BUS_NAME: "events",
  CREDENTIALS_KEY_ID: "credentials",
  EXPORTS_BUCKET: "exports",
  FEED_BUCKET: "feed",
  ARCHIVE_BUCKET: "archive",
  ARCHIVE_MONTHS: "13",
  CHECKPOINTS_BUCKET: "checkpoints",
  CHECKPOINT_KEY_IDS: "checkpoint-key",
  CHECKPOINT_ORIGIN: "simulation.integration-security",
  MAILS_PER_DAY: "1000",
  NOTIFICATIONS_QUEUE_URL: "http://127.0.0.1:9/NotificationsToSend",
  CONSOLE_URL: "http://console.test",
  PROVIDER_API_URL: `http://${PROVIDER_HOST}`,
  WEBHOOK_URL: "http://webhooks.test",
  SYNC_INTERVAL_HOURS: "1",
  RETENTION_DAYS: "90",
  ROLLUP_SETTLE_MS: "5000",
  SECURITY_LOG_LEVEL: "LOW",
  ALERT_THRESHOLD: "HIGH",
  ISSUER,
  AUDIENCE,
  ORGANIZATION_CLAIM: "org_id",
  ROLE_CLAIM: "org_role",
  SEALING_KEY_ARN: "arn:aws:secretsmanager:eu-central-1:000000000000:secret:sealing-AbCdEf",
  ...Object.fromEntries([...tables.keys()].map((table) => [variableOf(table), table])),
});

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwk = { ...publicKey.export({ format: "jwk" }), kid: "simulation", alg: "ES256", use: "sig" };

/** What the issuer answers. */
export const answerOfIssuer = (path: string): object =>
  path.endsWith("/keys") ? { keys: [jwk] } : { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` };

const part = (content: object): string => Buffer.from(JSON.stringify(content)).toString("base64url");

export type Claims = { sub: string; org_id: string; org_role: string };

/** Tokens of the issuer, valid for a day from a time on. The same claims have the same token. @param from epoch ms. */
export const createTokens = (from: number): ((claims: Claims) => string) => {
  const tokens = new Map<string, string>();
  const iat = Math.floor(from / 1_000) - 60;
  return (claims) => {
    const key = JSON.stringify(claims);
    const made = tokens.get(key);
    if (made !== undefined) return made;
    const payload = { ...claims, iss: ISSUER, aud: AUDIENCE, iat, exp: iat + 86_400 };
    const content = `${part({ alg: "ES256", kid: "simulation" })}.${part(payload)}`;
    const signature = createSign("sha256").update(content).sign({ key: privateKey, dsaEncoding: "ieee-p1363" });
    const token = `${content}.${signature.toString("base64url")}`;
    tokens.set(key, token);
    return token;
  };
};

installTime();
installNode();
