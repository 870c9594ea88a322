/** What preflight says about each fault of an account: its check, its sentence and its cure. */
import { ACCOUNT, allowed, certificate, limits, NOW, REGION } from "./healthy-account.ts";
import { type Answers, Refusal } from "./mocked-account.ts";

const evaluated = (decision: string, AllowedByOrganizations?: boolean) => ({
  EvaluationResults: allowed.map((result, index) =>
    Object.assign(
      {},
      result,
      index === 0 && { EvalDecision: decision },
      index === 0 &&
        AllowedByOrganizations !== undefined && { OrganizationsDecisionDetail: { AllowedByOrganizations } },
    ),
  ),
});
const lambdaLimits = (changed: object) => ({
  "lambda:GetAccountSettings": {
    AccountLimit: Object.assign({}, limits, changed),
    AccountUsage: { TotalCodeSize: 1_000, FunctionCount: 0 },
  },
});
const certified = (changed: object) => ({
  "acm:DescribeCertificate": { Certificate: Object.assign({}, certificate, changed) },
});
const policies = (count: number, policyDocument = "{}") =>
  Array.from({ length: count }, (_, index) => ({ policyName: `policy-${index}`, policyDocument }));
export const missing = (code: string) => new Refusal(code, "there is none", 404);
export const stackIn = (StackStatus: string) => ({
  "cloudformation:DescribeStacks": { Stacks: [{ StackName: "plant-store-dev", CreationTime: 1, StackStatus }] },
});

export type Case = [
  title: string,
  answers: Answers,
  finding: { check: string; status: string; sentence: string; cure: string },
  context?: Record<string, string>,
];

export const cures: readonly Case[] = [
  [
    "an account without the CDK's bootstrap",
    { "ssm:GetParameter": missing("ParameterNotFound") },
    {
      check: "bootstrap",
      status: "failed",
      sentence: "not bootstrapped",
      cure: `npx cdk bootstrap aws://${ACCOUNT}/${REGION}`,
    },
  ],
  [
    "an old bootstrap",
    { "ssm:GetParameter": { Parameter: { Value: "5" } } },
    { check: "bootstrap", status: "failed", sentence: "has version 5, and needs 6", cure: "npx cdk bootstrap" },
  ],
  [
    "a stack whose first deployment failed",
    stackIn("ROLLBACK_FAILED"),
    { check: "stack", status: "failed", sentence: "ROLLBACK_FAILED", cure: "npm run remove-failed -- plant-store-dev" },
  ],
  [
    "a stack whose update is stuck",
    stackIn("UPDATE_ROLLBACK_FAILED"),
    { check: "stack", status: "warning", sentence: "UPDATE_ROLLBACK_FAILED", cure: "continue-update-rollback" },
  ],
  [
    "too few stacks left",
    { "cloudformation:DescribeAccountLimits": { AccountLimits: [{ Name: "StackLimit", Value: 10 }] } },
    { check: "limits", status: "failed", sentence: "room for 9 more stacks", cure: "L-0485CB21" },
  ],
  [
    "too few roles left",
    { "iam:GetAccountSummary": { SummaryMap: { Roles: 990, RolesQuota: 1_000 } } },
    { check: "limits", status: "failed", sentence: "room for 10 more roles", cure: "L-FE177D64" },
  ],
  [
    "too little room for code",
    lambdaLimits({ TotalCodeSize: 5_001_000 }),
    { check: "limits", status: "failed", sentence: "room for 5 MB more code", cure: "L-2ACBD22F" },
  ],
  [
    "the concurrency of a new account",
    lambdaLimits({ ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 }),
    { check: "concurrency", status: "warning", sentence: "only 10 functions at once", cure: "--quota-code L-B99A9384" },
  ],
  [
    "reservations that leave too little",
    {},
    { check: "concurrency", status: "failed", sentence: "takes 950 of 1000", cure: "Reserve at most 900" },
    { reservedConcurrency: "run-sync=950" },
  ],
  [
    "a policy of the organization against public function URLs",
    { "iam:SimulatePrincipalPolicy": evaluated("explicitDeny", false) },
    { check: "function-urls", status: "failed", sentence: "(SCP)", cure: "webhookEntrance=api" },
  ],
  [
    "a deployment role that may make no public function URL",
    { "iam:SimulatePrincipalPolicy": evaluated("implicitDeny", true) },
    { check: "function-urls", status: "failed", sentence: "CloudFormation's role", cure: "webhookEntrance=api" },
  ],
  [
    "hooks of CloudFormation",
    { "cloudformation:ListTypes": { TypeSummaries: [{ Type: "HOOK", TypeName: "Private::Guard::Urls" }] } },
    { check: "function-urls", status: "warning", sentence: "Private::Guard::Urls", cure: "CT.LAMBDA.PR.2" },
  ],
  [
    "a deployment role that does not exist",
    { "iam:SimulatePrincipalPolicy": missing("NoSuchEntity") },
    { check: "function-urls", status: "unknown", sentence: "does not exist yet", cure: "Bootstrap" },
  ],
  [
    "SES in the sandbox",
    { "ses:GetAccount": { EnforcementStatus: "HEALTHY", ProductionAccessEnabled: false, SendingEnabled: true } },
    { check: "email", status: "warning", sentence: "sandbox in eu-central-1", cure: "Request production access" },
  ],
  [
    "SES that does not send",
    { "ses:GetAccount": { EnforcementStatus: "SHUTDOWN", ProductionAccessEnabled: true, SendingEnabled: false } },
    { check: "email", status: "failed", sentence: "SHUTDOWN", cure: "put-account-sending-attributes" },
  ],
  [
    "SES on probation",
    { "ses:GetAccount": { EnforcementStatus: "PROBATION", ProductionAccessEnabled: true, SendingEnabled: true } },
    { check: "email", status: "warning", sentence: "probation", cure: "answer its case" },
  ],
  [
    "a sender without an identity",
    { "ses:GetEmailIdentity": missing("NotFoundException") },
    {
      check: "email",
      status: "failed",
      sentence: "no identity for alerts@mail.example.com",
      cure: "create-email-identity --email-identity mail.example.com",
    },
  ],
  [
    "an identity that is not verified",
    { "ses:GetEmailIdentity": { VerifiedForSendingStatus: false } },
    {
      check: "email",
      status: "failed",
      sentence: "The identity alerts@mail.example.com is not verified",
      cure: "DKIM",
    },
  ],
  [
    "a default configuration set that is gone",
    { "ses:GetConfigurationSet": missing("NotFoundException") },
    {
      check: "email",
      status: "failed",
      sentence: "configuration set mails, which does not exist",
      cure: "put-email-identity-configuration-set-attributes --email-identity example.com",
    },
  ],
  [
    "a paused configuration set",
    { "ses:GetConfigurationSet": { SendingOptions: { SendingEnabled: false } } },
    {
      check: "email",
      status: "failed",
      sentence: "paused for the configuration set mails",
      cure: "put-configuration-set-sending-options",
    },
  ],
  [
    "a certificate of another region",
    {},
    { check: "certificates", status: "failed", sentence: "a certificate of us-east-1", cure: "--region eu-central-1" },
    { certificateArn: `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/1` },
  ],
  [
    "a certificate that does not exist",
    { "acm:DescribeCertificate": missing("ResourceNotFoundException") },
    { check: "certificates", status: "failed", sentence: "does not exist", cure: "list-certificates" },
  ],
  [
    "a certificate that is not issued",
    certified({ Status: "PENDING_VALIDATION" }),
    { check: "certificates", status: "failed", sentence: "PENDING_VALIDATION", cure: "DNS record" },
  ],
  [
    "a certificate of another name",
    certified({ DomainName: "example.com", SubjectAlternativeNames: ["*.api.example.com", "ample.com"] }),
    {
      check: "certificates",
      status: "failed",
      sentence: "does not cover api.example.com",
      cure: "Request one for api.example.com",
    },
  ],
  [
    "a certificate that ends and is not renewed",
    certified({ NotAfter: NOW / 1_000 + 10 * 86_400, RenewalEligibility: "INELIGIBLE" }),
    { check: "certificates", status: "warning", sentence: "ends in 10 days", cure: "Import its successor" },
  ],
  [
    "a secret of another region",
    {},
    { check: "secrets", status: "failed", sentence: "a secret of us-east-1", cure: "replicate-secret-to-regions" },
    { providerOauthSecretArn: `arn:aws:secretsmanager:us-east-1:${ACCOUNT}:secret:oauth-AbCdEf` },
  ],
  [
    "a secret that does not exist",
    { "secretsmanager:DescribeSecret": missing("ResourceNotFoundException") },
    { check: "secrets", status: "failed", sentence: "does not exist", cure: "create-secret" },
  ],
  [
    "a secret that will be deleted",
    { "secretsmanager:DescribeSecret": { DeletedDate: 1 } },
    { check: "secrets", status: "failed", sentence: "scheduled for deletion", cure: "restore-secret" },
  ],
  [
    "a secret of key/value pairs, as Secrets Manager's console makes it",
    { "secretsmanager:GetSecretValue": { SecretString: '{"key":"sk_live_1"}' } },
    { check: "secrets", status: "failed", sentence: "does not have the expected form", cure: "put-secret-value" },
  ],
  [
    "a secret that is not a text",
    { "secretsmanager:GetSecretValue": { Name: "secret" } },
    { check: "secrets", status: "failed", sentence: "does not have the expected form", cure: "put-secret-value" },
  ],
  [
    "an alarm topic of another region",
    {},
    { check: "alarm-topic", status: "failed", sentence: "a topic of us-east-1", cure: "create-topic" },
    { alarmTopicArn: `arn:aws:sns:us-east-1:${ACCOUNT}:alarms` },
  ],
  [
    "an alarm topic that does not exist",
    { "sns:GetTopicAttributes": missing("NotFound") },
    { check: "alarm-topic", status: "failed", sentence: "does not exist", cure: "list-topics" },
  ],
  [
    "an alarm topic under AWS's key",
    { "sns:GetTopicAttributes": { Attributes: { KmsMasterKeyId: "alias/aws/sns" } } },
    { check: "alarm-topic", status: "failed", sentence: "alias/aws/sns", cure: "a key of your own" },
  ],
  [
    "ten resource policies of CloudWatch Logs",
    { "logs:DescribeResourcePolicies": { resourcePolicies: policies(10) } },
    { check: "access-logs", status: "failed", sentence: "10 resource policies", cure: "Merge two" },
  ],
  [
    "a full resource policy of CloudWatch Logs",
    {
      "logs:DescribeResourcePolicies": {
        resourcePolicies: [{ policyName: "AWSLogDeliveryWrite20150319", policyDocument: "x".repeat(5_000) }],
      },
    },
    { check: "access-logs", status: "warning", sentence: "has 120 of 5120", cure: "/aws/vendedlogs/*" },
  ],
  [
    "a zone that does not exist",
    { "route53:GetHostedZone": missing("NoSuchHostedZone") },
    { check: "domain-names", status: "failed", sentence: "Z123 does not exist", cure: "list-hosted-zones" },
  ],
  [
    "a private zone",
    { "route53:GetHostedZone": { HostedZone: { Name: "example.com.", Config: { PrivateZone: true } } } },
    { check: "domain-names", status: "failed", sentence: "private zone", cure: "public zone" },
  ],
  [
    "a zone of another name",
    { "route53:GetHostedZone": { HostedZone: { Name: "example.org." } } },
    {
      check: "domain-names",
      status: "failed",
      sentence: "the zone example.org, not example.com",
      cure: "Correct hostedZoneName",
    },
  ],
  [
    "a record of the domain name",
    {
      "route53:ListResourceRecordSets": {
        ResourceRecordSets: [{ Name: "api.example.com.", Type: "CNAME" }],
        IsTruncated: false,
        MaxItems: "20",
      },
    },
    {
      check: "domain-names",
      status: "failed",
      sentence: "already has api.example.com (CNAME)",
      cure: "Delete the record",
    },
  ],
  [
    "a domain name of another API",
    { "apigateway:GetDomainName": ({ DomainName }) => ({ DomainName }) },
    {
      check: "domain-names",
      status: "failed",
      sentence: "already has the domain name api.example.com",
      cure: "delete-domain-name",
    },
  ],
  [
    "AWS Backup without DynamoDB",
    {
      "backup:DescribeRegionSettings": {
        ResourceTypeOptInPreference: { DynamoDB: false },
        ResourceTypeManagementPreference: { DynamoDB: true },
      },
    },
    {
      check: "backups",
      status: "warning",
      sentence: "not opted in to DynamoDB in eu-central-1",
      cure: "opt-in-preference",
    },
  ],
  [
    "AWS Backup without the features for copies",
    {
      "backup:DescribeRegionSettings": {
        ResourceTypeOptInPreference: { DynamoDB: true },
        ResourceTypeManagementPreference: { DynamoDB: false },
      },
    },
    { check: "backups", status: "failed", sentence: "advanced features", cure: "management-preference DynamoDB=true" },
  ],
  [
    "a vault for copies that does not exist",
    { "backup:DescribeBackupVault": missing("ResourceNotFoundException") },
    {
      check: "backups",
      status: "failed",
      sentence: "does not exist in eu-west-1",
      cure: "create-backup-vault --region eu-west-1",
    },
  ],
  [
    "a vault that keeps copies too long",
    { "backup:DescribeBackupVault": { BackupVaultName: "copies", MinRetentionDays: 30 } },
    { check: "backups", status: "failed", sentence: "at least 30 days", cure: "another vault" },
  ],
];
