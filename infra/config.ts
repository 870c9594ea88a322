/** The context keys of a deployment (`cdk deploy --context stage=prod …`), parsed once by this schema. */
import * as z from "zod";
import { allBackgroundFunctions } from "../shared/api/background-functions.ts";
import { roles } from "../shared/terms/permissions.ts";
import { riskLevels } from "../shared/terms/risk-levels.ts";
import { backupChecks, backupKeys, requireNewKey } from "./backup-context.ts";
import { checkpointKeys } from "./checkpoint-context.ts";
import type { DeploymentConfig, ReservableFunction } from "./constructs/resources/deployment-config.ts";
import { MAX_WEBHOOK_CONCURRENCY, webhookConcurrencyFor } from "./constructs/resources/expected-load.ts";
import { ContextError, describeProblems, orList } from "./context-problems.ts";
import { networkChecks, networkKeys, together } from "./network-context.ts";
import { chooseWebhookEntrance, requireSesIn, requireSigningKeysIn, requireTracingIn } from "./regions.ts";
import { isProtected, stageKeys } from "./stage-context.ts";
import baseline from "./stateful-resources.json" with { type: "json" };
import { wholeNumber } from "./whole-number.ts";

/** The issuer of a deployment that configures no issuer. It never resolves (RFC 2606), so no token is trusted. */
export const NO_ISSUER = "https://issuer.invalid";

const secureUrl = z.url({ protocol: /^https$/, error: "expected an https URL" });
const text = z.string("expected a text").min(1, "expected a text that is not empty");
const claim = text.max(256, "expected the name of a claim, at most 256 characters long");

const printable = z
  .string("expected a text")
  .regex(/^[\x21-\x7e]{1,256}$/, "expected 1 to 256 printable characters without spaces");

/** https://www.rfc-editor.org/rfc/rfc6749#section-3.3 */
const SCOPE_EXPECTED = 'expected scopes separated by one space each, "openid" among them';
const consoleScope = z
  .string(SCOPE_EXPECTED)
  .max(512, "expected at most 512 characters")
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, SCOPE_EXPECTED)
  .refine((scope) => scope.split(" ").includes("openid"), SCOPE_EXPECTED);

/** Functions read the value at run time, so that a rotated secret needs no deployment. */
const secretArn = z
  .string("expected the ARN of a secret")
  .regex(/^arn:[^:]+:secretsmanager:/, "expected the ARN of a secret");

/** Lambda limits the environment of a function to 4 KB. */
const MAX_ROLE_MAPPING_BYTES = 1_500;
const ROLE_MAPPING_EXPECTED = `expected a JSON object from the issuer's roles to ${roles.join(", ")}, such as {"org:admin":"admin"}`;

/** The CDK's command line passes text; cdk.json can hold the object itself. */
const roleMapping = z.preprocess(
  (value, context) => {
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      context.issues.push({ code: "custom", message: ROLE_MAPPING_EXPECTED, input: value });
      return z.NEVER;
    }
  },
  z
    .record(z.string().min(1, ROLE_MAPPING_EXPECTED), z.enum(roles, { error: ROLE_MAPPING_EXPECTED }), {
      error: ROLE_MAPPING_EXPECTED,
    })
    .refine((mapping) => Buffer.byteLength(JSON.stringify(mapping)) <= MAX_ROLE_MAPPING_BYTES, {
      error: `has more than ${MAX_ROLE_MAPPING_BYTES} bytes as JSON; map fewer roles, or group them at the issuer`,
    }),
);

/** A year at hand, and the month that an assessment takes. */
const DEFAULT_ARCHIVE_MONTHS = 13;

const RISK_LEVEL_EXPECTED = `expected ${orList(riskLevels).toLowerCase()}`;
const riskLevel = z
  .string(RISK_LEVEL_EXPECTED)
  .transform((level) => level.toUpperCase())
  .pipe(z.enum(riskLevels, RISK_LEVEL_EXPECTED));

const reservable: readonly string[] = ["receive-webhook", ...allBackgroundFunctions.map(([name]) => name)];
const isReservable = (name: string): name is ReservableFunction => reservable.includes(name);

/** `receive-webhook=50,run-sync=100`, each function once. */
const reservedConcurrency = z.string("expected a text such as run-sync=100").transform((text, context) => {
  const reserved: Partial<Record<ReservableFunction, number>> = {};
  for (const entry of text === "" ? [] : text.split(",")) {
    const [, name = "", count] = /^([a-z-]+)=([1-9]\d{0,4})$/.exec(entry) ?? [];
    if (isReservable(name) && reserved[name] === undefined) reserved[name] = Number(count);
    else {
      const expected = `expected name=number, each name once, of ${reservable.join(", ")}`;
      context.addIssue({ code: "custom", message: `${expected}, not ${JSON.stringify(entry)}` });
    }
  }
  return reserved;
});

type WebhookLoad = { webhookConcurrency?: number | undefined; expectedOrganizations?: number | undefined };

const webhookConcurrencyOf = ({ webhookConcurrency, expectedOrganizations }: WebhookLoad): number =>
  webhookConcurrency ?? webhookConcurrencyFor(expectedOrganizations);

/** A queue must not deliver more batches at once than its function may run. */
const hasRoomForQueues = (
  context: WebhookLoad & { reservedConcurrency: Partial<Record<ReservableFunction, number>> },
): boolean =>
  allBackgroundFunctions.every(([name, { triggers }]) =>
    triggers.every((trigger) => {
      if (!("queueOf" in trigger)) return true;
      const { maxConcurrency: bound } = trigger;
      const maxConcurrency = typeof bound === "number" ? bound : webhookConcurrencyOf(context);
      return (context.reservedConcurrency[name] ?? maxConcurrency) >= maxConcurrency;
    }),
  );

const Context = z
  .strictObject({
    ...stageKeys,
    /** The `iss` of the tokens to trust: an OpenID Connect issuer with a discovery document. */
    issuer: secureUrl.optional(),
    /** The `aud` that tokens must name, or `client_id` or `azp` if they have no `aud`. */
    audience: text.optional(),
    /** The claims that contain a caller's organization and the caller's role in it: exact names or dotted paths. */
    organizationClaim: claim.default("org_id"),
    roleClaim: claim.default("org_role"),
    /** From the issuer's roles to the service's. A role that it does not name keeps its name. */
    roleMapping: roleMapping.optional(),
    /** How long security events, their statistics and alerts are kept. Spec: Limits. */
    RETENTION_DAYS: wholeNumber(1, 3650).default(90),
    /** Security events below this level are not recorded. Spec: Limits. */
    SECURITY_LOG_LEVEL: riskLevel.default("LOW"),
    /** A security event at or above this level raises an alert. */
    ALERT_THRESHOLD: riskLevel.default("HIGH"),
    /** How often connected organizations are synced. Spec: Limits. */
    SYNC_INTERVAL_HOURS: wholeNumber(1, 168).default(4),
    /** The base URL of the provider's API; default: its public address. */
    providerApiUrl: secureUrl.optional(),
    /** The page where users grant access at the provider; default: its public address. */
    providerAuthorizeUrl: secureUrl.optional(),
    /** The platform's OAuth client at the provider, and the client's secret in Secrets Manager. */
    providerOauthClientId: text.optional(),
    providerOauthSecretArn: secretArn.optional(),
    /** The secret in Secrets Manager with which the provider signs the webhooks of the platform's endpoint. */
    platformWebhookSecretArn: secretArn.optional(),
    /**
     * An SNS topic that is notified when an alarm is raised and when it ends. If it is encrypted, the policy of its KMS key
     * must allow `cloudwatch.amazonaws.com` to `kms:Decrypt` and `kms:GenerateDataKey*`; the AWS managed key cannot:
     * https://repost.aws/knowledge-center/cloudwatch-configure-alarm-sns
     */
    alarmTopicArn: z
      .string("expected the ARN of a topic")
      .regex(/^arn:[^:]+:sns:[^:]+:\d{12}:[^:]+$/, "expected the ARN of a topic")
      .optional(),
    /** Whether the API has the page /docs, where anybody can read the OpenAPI document and try requests: docs/api.md. */
    apiDocs: z.union([z.boolean(), z.stringbool()], { error: "expected true or false" }).default(false),
    /** The console's public client at the issuer (no secret). Without it the console explains what to configure. */
    consoleClientId: printable.optional(),
    /** The scopes that the console asks for: `openid`, and what makes the issuer put the organization into the token. */
    consoleScope: consoleScope.default("openid"),
    /** The `audience` that some issuers want in the request to issue an access token for the API. */
    consoleAudience: printable.optional(),
    /**
     * The address that mails to e-mail destinations are sent from. It or its domain must be a verified identity of SES in the
     * region: https://docs.aws.amazon.com/ses/latest/dg/creating-identities.html
     */
    emailSender: z.email("expected an e-mail address").max(254, "expected at most 254 characters").optional(),
    /** An existing configuration set of SES, to which the stack adds an event destination; without it the stack makes one. */
    emailConfigurationSet: z
      .string("expected the name of a configuration set")
      .regex(/^[A-Za-z0-9_-]{1,64}$/, "expected the name of a configuration set: letters, digits, - and _")
      .optional(),
    /** Mails that are sent for an organization in a day (UTC), so that one does not use up the quota of SES for all. */
    mailsPerDay: wholeNumber(1, 1_000_000).default(1_000),
    /** Whether organizations can have their events written to a bucket for a SIEM: docs/siem.md. */
    siemFeed: z.union([z.boolean(), z.stringbool()], { error: "expected true or false" }).default(false),
    /**
     * How many months each hour's events are kept in the archive, which exports reach back to; 0 for no archive. Default: 13
     * for a protected stage, 0 for others. docs/exports.md, "The archive".
     */
    archiveMonths: wholeNumber(0, 84).optional(),
    ...checkpointKeys,
    /** `loopback` lets notifications reach the machine that runs the functions, also by plain http: only in the local cloud. */
    notificationTargets: z.enum(["public", "loopback"], "expected public or loopback").default("public"),
    /** Whether X-Ray records a sample of the invocations, at a cost: docs/operations.md, "Tracing". */
    xrayTracing: z.union([z.boolean(), z.stringbool()], { error: "expected true or false" }).default(false),
    /**
     * The flags that Lambda's runtime starts Node with: `report` has each cold start log them, `trim` also removes the one that
     * slows cold starts. docs/performance.md, "The flags of the runtime".
     */
    nodeFlags: z.enum(["keep", "report", "trim"], "expected keep, report or trim").default("keep"),
    /** The organizations that will be connected: what depends on their number follows it (docs/cost.md, "Quotas to raise"). */
    expectedOrganizations: wholeNumber(1, 1_000_000).optional(),
    /** Whether tables serve the load of the expected organizations at once, for a fee: docs/cost.md, "Warm tables". */
    prewarmTables: z.union([z.boolean(), z.stringbool()], { error: "expected true or false" }).default(false),
    /** How many batches of webhook events are processed at once: docs/webhooks.md, "Concurrency". */
    webhookConcurrency: wholeNumber(2, MAX_WEBHOOK_CONCURRENCY).optional(),
    /**
     * Functions that get concurrency of their own, such as `receive-webhook=50,run-sync=100`. Off by default: an account
     * must keep 100 unreserved, and new accounts have less in all.
     * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
     */
    reservedConcurrency: reservedConcurrency.default({}),
    ...networkKeys,
    ...backupKeys,
  })
  .refine((context) => !isProtected(context) || (context.issuer !== undefined && context.audience !== undefined), {
    error: ({ input }) =>
      `stage ${(input as { stage: string }).stage} needs issuer and audience: add --context issuer=… --context audience=…`,
  })
  .refine(({ prewarmTables, expectedOrganizations }) => !prewarmTables || expectedOrganizations !== undefined, {
    error: "prewarmTables needs expectedOrganizations",
  })
  .refine(
    ({ emailSender, emailConfigurationSet }) => emailConfigurationSet === undefined || emailSender !== undefined,
    {
      error: "emailConfigurationSet needs emailSender: without a sender, the deployment sends no mails",
    },
  )
  .refine(hasRoomForQueues, {
    error:
      "reservedConcurrency: process-webhook needs at least webhookConcurrency (by default 5, more from 18,000 " +
      "expectedOrganizations on), restore-security-events at least 2, and " +
      "dispatch-notifications at least 5; " +
      "with less, Lambda throttles messages that its pollers have received",
  })
  .check(together("providerOauthClientId", "providerOauthSecretArn"), ...networkChecks, ...backupChecks);

export const contextKeys: readonly string[] = Object.keys(Context.shape);

/**
 * Keys of the CDK and its command line that have neither ":" nor "/": `cdk acknowledge` and `cdk cli-telemetry` write the
 * first two, and the third names the repository of container images.
 */
const CDK_KEYS = ["acknowledged-issue-numbers", "cli-telemetry", "assets-ecr-repository-name"];

/** Whether a context key belongs to the CDK or its command line. */
const isOwnedByCdk = (key: string) => /[:/]/.test(key) || CDK_KEYS.includes(key);

/**
 * @param context the app's whole context.
 * @param environmentRegion the region of the command line, if there is one.
 * @param nameOf how an error names a key, by default as a context key.
 * @param options.isLocal the assembly is for the local cloud, and is not deployed.
 * @throws ContextError with a sentence for each unknown key (a typo must not become a default) and each malformed or
 *   missing value.
 */
export const parseContext = (
  context: Readonly<Record<string, unknown>>,
  environmentRegion?: string,
  nameOf = (key: string) => `the context key ${key}`,
  { isLocal = false }: { isLocal?: boolean } = {},
): DeploymentConfig => {
  const own = Object.fromEntries(Object.entries(context).filter(([key]) => !isOwnedByCdk(key)));
  const result = Context.safeParse(own);
  if (!result.success) throw new ContextError(describeProblems(result.error.issues, own, contextKeys, nameOf));
  const { issuer = NO_ISSUER, audience = "plant-store", ...config } = result.data;
  const { region = environmentRegion, webhookEntrance, webhookDomainName } = config;
  requireSigningKeysIn(region);
  if (config.xrayTracing) requireTracingIn(region);
  if (config.multiRegionKey && !isLocal) requireNewKey(baseline);
  if (config.emailSender !== undefined) requireSesIn(region);
  // In a deployment, the sender could be made to call the services of its own machine, such as Lambda's runtime API.
  if (config.notificationTargets === "loopback" && (!isLocal || isProtected(config))) {
    throw new ContextError(
      `${nameOf("notificationTargets")} is "loopback", which only the local cloud may have: remove it`,
    );
  }
  return {
    ...config,
    isProtected: isProtected(config),
    archiveMonths: config.archiveMonths ?? (isProtected(config) ? DEFAULT_ARCHIVE_MONTHS : 0),
    issuer,
    audience,
    webhookConcurrency: webhookConcurrencyOf(config),
    webhookEntrance: chooseWebhookEntrance({ region, webhookEntrance, webhookDomainName }),
  };
};
