/** An account in which every check of preflight is content, and the settings that ask for every check. */
import type { Answers } from "./mocked-account.ts";
import { Refusal } from "./mocked-account.ts";

export const ACCOUNT = "111122223333";
export const REGION = "eu-central-1";
/** 2026-11-28 */
export const NOW = Date.UTC(2026, 10, 28);

export const settings: Readonly<Record<string, string>> = {
  stage: "dev",
  emailSender: "alerts@mail.example.com",
  domainName: "api.example.com",
  certificateArn: `arn:aws:acm:${REGION}:${ACCOUNT}:certificate/1`,
  webhookEntrance: "both",
  webhookDomainName: "hooks.example.com",
  webhookCertificateArn: `arn:aws:acm:${REGION}:${ACCOUNT}:certificate/2`,
  hostedZoneId: "Z123",
  hostedZoneName: "example.com",
  providerOauthClientId: "ca_1",
  providerOauthSecretArn: `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:oauth-AbCdEf`,
  platformWebhookSecretArn: `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:webhooks-AbCdEf`,
  backup: "true",
  backupCopyVaultArn: `arn:aws:backup:eu-west-1:${ACCOUNT}:backup-vault:copies`,
  alarmTopicArn: `arn:aws:sns:${REGION}:${ACCOUNT}:alarms`,
};

export const certificate = {
  Status: "ISSUED",
  DomainName: "*.example.com",
  SubjectAlternativeNames: ["*.example.com"],
  NotAfter: NOW / 1_000 + 200 * 86_400,
  RenewalEligibility: "ELIGIBLE",
};

export const limits = {
  TotalCodeSize: 80_530_636_800,
  CodeSizeUnzipped: 262_144_000,
  CodeSizeZipped: 52_428_800,
  ConcurrentExecutions: 1_000,
  UnreservedConcurrentExecutions: 1_000,
};

export const allowed = ["lambda:CreateFunctionUrlConfig", "lambda:AddPermission"].map((EvalActionName) => ({
  EvalActionName,
  EvalResourceName: "*",
  EvalDecision: "allowed",
}));

export const healthy: Answers = {
  "sts:GetCallerIdentity": { UserId: "AIDA", Account: ACCOUNT, Arn: `arn:aws:iam::${ACCOUNT}:user/ada` },
  "cloudformation:DescribeStacks": new Refusal("ValidationError", "Stack with id plant-store-dev does not exist"),
  "cloudformation:ListStacks": {
    StackSummaries: [
      { StackName: "CDKToolkit", StackStatus: "CREATE_COMPLETE" },
      { StackName: "gone", StackStatus: "DELETE_COMPLETE" },
    ],
  },
  "cloudformation:DescribeAccountLimits": { AccountLimits: [{ Name: "StackLimit", Value: 2_000 }] },
  "cloudformation:ListTypes": { TypeSummaries: [] },
  "iam:GetAccountSummary": { SummaryMap: { Roles: 40, RolesQuota: 1_000 } },
  "iam:SimulatePrincipalPolicy": { EvaluationResults: allowed, IsTruncated: false },
  "lambda:GetAccountSettings": { AccountLimit: limits, AccountUsage: { TotalCodeSize: 1_000, FunctionCount: 0 } },
  "ssm:GetParameter": { Parameter: { Name: "/cdk-bootstrap/hnb659fds/version", Type: "String", Value: "28" } },
  "ses:GetAccount": { EnforcementStatus: "HEALTHY", ProductionAccessEnabled: true, SendingEnabled: true },
  "ses:GetEmailIdentity": ({ EmailIdentity }) =>
    EmailIdentity === "example.com"
      ? { IdentityType: "DOMAIN", VerifiedForSendingStatus: true, ConfigurationSetName: "mails" }
      : new Refusal("NotFoundException", "no identity", 404),
  "ses:GetConfigurationSet": { ConfigurationSetName: "mails", SendingOptions: { SendingEnabled: true } },
  "acm:DescribeCertificate": { Certificate: certificate },
  "secretsmanager:DescribeSecret": { Name: "secret" },
  "secretsmanager:GetSecretValue": { Name: "secret", SecretString: "sk_live_1" },
  "sns:GetTopicAttributes": { Attributes: { TopicArn: "arn", KmsMasterKeyId: "alias/ours" } },
  "logs:DescribeResourcePolicies": { resourcePolicies: [] },
  "route53:GetHostedZone": { HostedZone: { Id: "/hostedzone/Z123", Name: "example.com.", CallerReference: "1" } },
  "route53:ListResourceRecordSets": {
    ResourceRecordSets: [
      { Name: "example.com.", Type: "NS" },
      { Name: "api.example.com.", Type: "TXT" },
      { Name: "www.example.com.", Type: "A" },
    ],
    IsTruncated: false,
    MaxItems: "20",
  },
  "backup:DescribeRegionSettings": {
    ResourceTypeOptInPreference: { DynamoDB: true },
    ResourceTypeManagementPreference: { DynamoDB: true },
  },
  "backup:DescribeBackupVault": ({ BackupVaultName }, region) =>
    region === "eu-west-1" ? { BackupVaultName } : new Refusal("ResourceNotFoundException", "no vault", 404),
  "apigateway:GetDomainName": new Refusal("NotFoundException", "Invalid domain name identifier specified", 404),
};
