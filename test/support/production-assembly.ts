import { askShared } from "./shared-server.ts";

export const OPERATORS = "arn:aws:sns:eu-central-1:123456789012:operators";
export const OAUTH_SECRET = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:oauth-AbCdEf";
export const WEBHOOK_SECRET = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:webhooks";
export const BACKUP_VAULT = "arn:aws:backup:eu-west-1:123456789012:backup-vault:copies";
export const ORIGIN_SECRET_HASH = "0123456789abcdef".repeat(4);

/** The context of a production deployment that uses almost everything that a deployment may choose. */
export const productionContext = {
  stage: "prod",
  tags: '{"cost-center":"4711"}',
  SYNC_INTERVAL_HOURS: "85",
  issuer: "https://login.example.com",
  audience: "plants",
  emailSender: "alerts@example.com",
  emailConfigurationSet: "dedicated",
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/1",
  webhookDomainName: "hooks.example.com",
  webhookCertificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/2",
  hostedZoneId: "Z0123456789ABCDEFGHIJ",
  hostedZoneName: "example.com",
  ipAddressType: "dualstack",
  allowedOrigins: "https://app.example.com",
  clientAddressHeader: "cloudfront-viewer-address",
  originSecretHashes: ORIGIN_SECRET_HASH,
  alarmTopicArn: OPERATORS,
  xrayTracing: "true",
  nodeFlags: "trim",
  providerOauthClientId: "ca_1",
  providerOauthSecretArn: OAUTH_SECRET,
  platformWebhookSecretArn: WEBHOOK_SECRET,
  webhookConcurrency: "20",
  reservedConcurrency: "receive-webhook=50,process-webhook=20",
  backup: "true",
  backupDays: "5",
  backupCopyVaultArn: BACKUP_VAULT,
};

/** In a test file: the assembly of `productionContext`, synthesised once for all files of a run. @returns its directory */
export const productionAssembly = (): Promise<string> => askShared<string>("production");
