/** The configuration of a deployment. `infra/config.ts` parses it from the CDK's context and has the defaults. */
import type { BackgroundFunctionName } from "../../../shared/api/background-functions.ts";
import type { Role } from "../../../shared/terms/permissions.ts";
import type { RiskLevel } from "../../../shared/terms/risk-levels.ts";

/** The functions that may have concurrency of their own: by the name of their file. */
export type ReservableFunction = "receive-webhook" | BackgroundFunctionName;
export type WebhookEntranceKind = "url" | "api" | "both";

export type DeploymentConfig = {
  /** The name of the deployment: 1 to 20 letters, digits and hyphens. */
  stage: string;
  /** Whether data is kept when the stack is deleted, and protected from deletion. */
  isProtected: boolean;
  /** Tags of all resources, by name. */
  tags: Readonly<Record<string, string>>;
  /** The `iss` of the tokens to trust; NO_ISSUER if the deployment trusts none. */
  issuer: string;
  /** The `aud` that tokens must name, or `client_id` or `azp` if they have no `aud`. */
  audience: string;
  organizationClaim: string;
  roleClaim: string;
  /** From the issuer's roles to the service's. */
  roleMapping?: Readonly<Record<string, Role>> | undefined;
  /** The retention of security events, their statistics and alerts, in days. */
  RETENTION_DAYS: number;
  SECURITY_LOG_LEVEL: RiskLevel;
  ALERT_THRESHOLD: RiskLevel;
  SYNC_INTERVAL_HOURS: number;
  providerApiUrl?: string | undefined;
  providerAuthorizeUrl?: string | undefined;
  providerOauthClientId?: string | undefined;
  providerOauthSecretArn?: string | undefined;
  platformWebhookSecretArn?: string | undefined;
  alarmTopicArn?: string | undefined;
  /** Whether the deployment has the page /docs. */
  apiDocs: boolean;
  /** The console's client at the issuer, and what it asks the issuer for. */
  consoleClientId?: string | undefined;
  consoleScope: string;
  consoleAudience?: string | undefined;
  /** The address that mails are sent from; without it there are no e-mail destinations. */
  emailSender?: string | undefined;
  /** The configuration set of SES that mails are sent with; without it the stack makes one. */
  emailConfigurationSet?: string | undefined;
  /** Mails that are sent for an organization in a day. */
  mailsPerDay: number;
  /** Whether the deployment has a bucket for the feed for a SIEM. */
  siemFeed: boolean;
  /** How many months each hour's events are kept in the archive; 0 if the deployment has no archive. */
  archiveMonths: number;
  /** What keeps the signed checkpoints of the sealed log from being replaced, and for how many days. */
  checkpointLock: "none" | "governance" | "compliance";
  checkpointLockDays: number;
  /** The name of the sealed log, if it is not made from stack and region. */
  checkpointOrigin?: string | undefined;
  /** A bucket of another account that gets a copy of each checkpoint. */
  checkpointCopyBucket?: string | undefined;
  /** The signing key that the stack's own one replaces; both sign. */
  checkpointOldKeyArn?: string | undefined;
  /** Where notifications may be sent. */
  notificationTargets: "public" | "loopback";
  /** Whether X-Ray records a sample of the invocations. */
  xrayTracing: boolean;
  /** What happens to the flags that Lambda's runtime starts Node with. */
  nodeFlags: "keep" | "report" | "trim";
  /** The organizations that will be connected. */
  expectedOrganizations?: number | undefined;
  /** Whether tables serve the load of the expected organizations at once. */
  prewarmTables: boolean;
  /** The batches of webhook events that are processed at once. */
  webhookConcurrency: number;
  /** Reserved concurrency by function. */
  reservedConcurrency: Readonly<Partial<Record<ReservableFunction, number>>>;
  /** Whether the tables are backed up once a day, the days that a backup is kept, and the vault of another region for copies. */
  backup: boolean;
  backupDays: number;
  backupCopyVaultArn?: string | undefined;
  /** Whether the KMS key can be replicated to other regions. */
  multiRegionKey: boolean;
  /** Undefined if the stack is bound to no region: then the command line decides. */
  region?: string | undefined;
  domainName?: string | undefined;
  certificateArn?: string | undefined;
  /** A Lambda URL, an HTTP API, or both while endpoints move from the URL to the API. */
  webhookEntrance: WebhookEntranceKind;
  webhookDomainName?: string | undefined;
  webhookCertificateArn?: string | undefined;
  /** The public zone of Route 53 that gets the records of the domain names. */
  hostedZoneId?: string | undefined;
  hostedZoneName?: string | undefined;
  ipAddressType: "ipv4" | "dualstack";
  /** The origins of web pages that may call the API. */
  allowedOrigins: readonly string[];
  /** Behind a CDN: the header with the client's address, and the header and the hashes of the CDN's secret. */
  clientAddressHeader?: string | undefined;
  originSecretHeader: string;
  originSecretHashes?: string | undefined;
};
