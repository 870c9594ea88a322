/**
 * The environment of a function, and the only reader of process.env in addition to the log. Each function names the variables
 * that it reads. One message at cold start reports all variables that are missing or malformed.
 */
import * as z from "zod/mini";
import { riskLevels } from "../terms/risk-levels.ts";
import type { TableVariable } from "../terms/tables.ts";

const text = z.string().check(z.minLength(1));

/** A JSON object. */
const jsonObject = z.pipe(
  z.transform((text: unknown): unknown => {
    try {
      return JSON.parse(String(text));
    } catch {
      return undefined;
    }
  }),
  z.looseObject({}),
);

/** A variable that may be missing; an empty variable counts as missing. */
const maybe = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.pipe(
    z.transform((value: unknown) => (value === "" ? undefined : value)),
    z.optional(schema),
  );

const wholeNumber = (digits: RegExp) =>
  z.pipe(
    z.string().check(z.regex(digits)),
    z.transform((text: string) => Number(text)),
  );

const optionalAddress = maybe(z.url({ protocol: /^https?$/ }));

/** Every variable of every function but the names of tables; the infrastructure sets them (infra/constructs/). */
const variables = {
  /** The bucket of exported files. */
  EXPORTS_BUCKET: text,
  /** The queue of deliveries to send. */
  NOTIFICATIONS_QUEUE_URL: z.url(),
  /** The console, without a slash at its end. */
  CONSOLE_URL: z.url(),
  /** The bucket of the feed for a SIEM; empty if the deployment has none. */
  FEED_BUCKET: maybe(text),
  /** The bucket of the archive, and its months; empty and 0 if the deployment has none. */
  ARCHIVE_BUCKET: maybe(text),
  ARCHIVE_MONTHS: wholeNumber(/^[0-9]{1,2}$/),
  /** The bucket of signed checkpoints, and one of another account for copies. */
  CHECKPOINTS_BUCKET: text,
  CHECKPOINT_COPY_BUCKET: maybe(text),
  /** The ARNs of the KMS keys that sign checkpoints, separated by commas. */
  CHECKPOINT_KEY_IDS: z.pipe(
    text,
    z.transform((ids: string) => ids.split(",")),
  ),
  /** The name of the sealed log. */
  CHECKPOINT_ORIGIN: text,
  EVENT_BUS_NAME: text,
  /** The events that the function accepts, as `source/detail-type`, separated by commas. */
  CONSUMED_EVENTS: z.pipe(
    text,
    z.transform((events: string) => new Set(events.split(","))),
  ),
  /** The ARN or the id of the KMS key that encrypts organizations' secrets. */
  CREDENTIALS_KEY_ID: text,
  /** The provider's API, if not at its public address; may be plain http, and may have a path. */
  PROVIDER_API_URL: optionalAddress,
  /** The page where users grant access to their accounts, if not the provider's public one. */
  PROVIDER_AUTHORIZE_URL: optionalAddress,
  /** The platform's OAuth client at the provider, and the ARN of its secret. OAuth needs both. */
  PROVIDER_OAUTH_CLIENT_ID: maybe(text),
  PROVIDER_OAUTH_SECRET_ARN: maybe(text),
  /** The ARN of the secret that signs the webhooks of the platform's endpoint; empty if there is no such endpoint. */
  PROVIDER_PLATFORM_WEBHOOK_SECRET_ARN: maybe(text),
  /** The URL of the provider's webhooks, without the organization; empty if there are no webhooks. */
  WEBHOOK_URL: optionalAddress,
  /** All URLs that the provider's webhooks come to, separated by commas. */
  WEBHOOK_URLS: maybe(
    z.pipe(
      text,
      z.transform((urls: string) => urls.split(",")),
    ),
  ),
  /** What serves that URL: a Lambda URL (the default) or an HTTP API, which decodes paths (shared/terms/webhook-path.ts). */
  WEBHOOK_ENTRANCE: z._default(z.enum(["url", "api"]), "url"),
  /** How often connected organizations are synced. */
  SYNC_INTERVAL_HOURS: wholeNumber(/^[1-9][0-9]{0,2}$/),
  /** How long security events, their statistics and alerts are kept. */
  RETENTION_DAYS: wholeNumber(/^[1-9][0-9]{0,3}$/),
  /** How long after a write to the rollups an eventually consistent read may miss it. */
  ROLLUP_SETTLE_MS: wholeNumber(/^[0-9]{1,5}$/),
  SECURITY_LOG_LEVEL: z.enum(riskLevels),
  ALERT_THRESHOLD: z.enum(riskLevels),
  /** The `iss` of every accepted token: an https URL (or a loopback one, which only a local issuer can have). */
  ISSUER: z.url(),
  /** What `aud` must name, or `client_id` or `azp` if a token has no `aud`. */
  AUDIENCE: text,
  ORGANIZATION_CLAIM: text,
  ROLE_CLAIM: text,
  /** From the issuer's roles to the service's, as JSON. */
  ROLE_MAPPING: maybe(jsonObject),
  /** Behind a CDN: the header with the client's address, and the header and the SHA-256 hashes of the CDN's secret. */
  CLIENT_ADDRESS_HEADER: maybe(text),
  ORIGIN_SECRET_HEADER: maybe(text),
  ORIGIN_SECRET_HASHES: maybe(
    z.pipe(
      z.string().check(z.regex(/^[0-9a-f]{64}(,[0-9a-f]{64})?$/)),
      z.transform((hashes: string) => hashes.split(",")),
    ),
  ),
  /** `true` if the API allows calls from pages of other origins, so that preflight requests must be answered. */
  ANSWERS_PREFLIGHTS: maybe(z.literal("true")),
  /** The ARN of the secret from which all sealing keys are derived (shared/wiring/sealing.ts). */
  SEALING_KEY_ARN: text,
  /** `true` if the deployment has the page /docs. */
  API_DOCS: maybe(z.literal("true")),
  /** The console's client at the issuer; empty if the deployment names none. */
  CONSOLE_CLIENT_ID: maybe(text),
  /** The scopes that the console asks for, separated by spaces. */
  CONSOLE_SCOPE: text,
  /** What the console asks a token for, if the issuer wants to be asked. */
  CONSOLE_AUDIENCE: maybe(text),
  /** The address that mails are sent from; empty if the deployment sends no mail. */
  EMAIL_SENDER: maybe(text),
  /** The configuration set of SES that mails are sent with. */
  EMAIL_CONFIGURATION_SET: maybe(text),
  /** Mails of an organization in a day. */
  MAILS_PER_DAY: wholeNumber(/^[1-9][0-9]{0,6}$/),
  /** Where notifications may be sent: `loopback` also allows this machine, which only local runs do. */
  NOTIFICATION_TARGETS: z._default(z.enum(["public", "loopback"]), "public"),
  /** The directory of the function's code; Lambda sets it. */
  LAMBDA_TASK_ROOT: text,
  AWS_REGION: text,
  /** The domain of the partition's AWS services: `amazonaws.com`, in China `amazonaws.com.cn`. */
  URL_SUFFIX: text,
  AWS_ACCESS_KEY_ID: text,
  AWS_SECRET_ACCESS_KEY: text,
  AWS_SESSION_TOKEN: z.optional(text),
  /** Where the AWS services are, if not at their public addresses. */
  AWS_ENDPOINT_URL: z.optional(z.url()),
};

type Variables = { [Name in keyof typeof variables]: z.output<(typeof variables)[Name]> } & Record<
  TableVariable,
  string
>;

const isKnown = (name: string): name is keyof typeof variables => Object.hasOwn(variables, name);

/**
 * Reads the named variables.
 * @throws Error with the names of all missing or malformed variables, without their values.
 */
export const readConfig = <Name extends keyof Variables>(names: readonly Name[]): Pick<Variables, Name> => {
  const problems: string[] = [];
  const values: Partial<Variables> = {};
  for (const name of names) {
    const value = process.env[name];
    // Other names are those of tables (shared/terms/tables.ts).
    const result = (isKnown(name) ? variables[name] : text).safeParse(value);
    if (result.success) Object.assign(values, { [name]: result.data });
    else problems.push(`${name} is ${value === undefined ? "missing" : "malformed"}`);
  }
  if (problems.length > 0) throw new Error(`The function's environment is incomplete: ${problems.join(", ")}.`);
  return values as Pick<Variables, Name>;
};
