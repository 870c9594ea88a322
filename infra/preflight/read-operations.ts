/** What preflight reads of an account. Each operation only reads, and each output has only the members that a check uses. */
import * as z from "zod";
import { jsonOperations, pathOperations, queryOperations } from "../aws/operation.ts";
import { cloudFormation } from "../aws/stack-status.ts";
import { xmlList } from "../aws/xml-list.ts";

const sts = queryOperations({ endpoint: "sts", version: "2011-06-15" });
const iam = queryOperations({ endpoint: "iam", version: "2010-05-08" });
const sns = queryOperations({ endpoint: "sns", version: "2010-03-31" });
const lambda = pathOperations({ endpoint: "lambda", format: "json" });
const ses = pathOperations({ endpoint: "email", signingName: "ses", format: "json" });
const apiGateway = pathOperations({ endpoint: "apigateway", format: "json" });
const awsBackup = pathOperations({ endpoint: "backup", format: "json" });
const route53 = pathOperations({ endpoint: "route53", format: "xml" });
const acm = jsonOperations({ endpoint: "acm", target: "CertificateManager" });
const secretsManager = jsonOperations({ endpoint: "secretsmanager", target: "secretsmanager" });
const logs = jsonOperations({ endpoint: "logs", target: "Logs_20140328" });
const ssm = jsonOperations({ endpoint: "ssm", target: "AmazonSSM" });

export const getCallerIdentity = sts("GetCallerIdentity", z.object({ Account: z.string(), Arn: z.string() }));

export const getAccountSettings = lambda(
  "GetAccountSettings",
  () => ({ path: "/2016-08-19/account-settings" }),
  z.object({
    AccountLimit: z.object({
      ConcurrentExecutions: z.number(),
      UnreservedConcurrentExecutions: z.number(),
      TotalCodeSize: z.number(),
    }),
    AccountUsage: z.object({ TotalCodeSize: z.number() }),
  }),
);

export const simulatePrincipalPolicy = iam(
  "SimulatePrincipalPolicy",
  z.object({
    EvaluationResults: xmlList(
      "member",
      z.object({
        EvalActionName: z.string(),
        EvalDecision: z.enum(["allowed", "explicitDeny", "implicitDeny"]),
        OrganizationsDecisionDetail: z.object({ AllowedByOrganizations: z.stringbool() }).optional(),
      }),
    ),
  }),
);

/** The counts of IAM by name, such as `Roles` and `RolesQuota`. */
export const getAccountSummary = iam(
  "GetAccountSummary",
  z.object({ SummaryMap: xmlList("entry", z.object({ key: z.string(), value: z.coerce.number() })) }),
);

export const listTypes = cloudFormation(
  "ListTypes",
  z.object({ TypeSummaries: xmlList("member", z.object({ TypeName: z.string() })) }),
);

export const listStacks = cloudFormation(
  "ListStacks",
  z.object({
    StackSummaries: xmlList("member", z.object({ StackStatus: z.string() })),
    NextToken: z.string().optional(),
  }),
);

/** The limits of CloudFormation by name, such as `StackLimit`. */
export const describeAccountLimits = cloudFormation(
  "DescribeAccountLimits",
  z.object({ AccountLimits: xmlList("member", z.object({ Name: z.string(), Value: z.coerce.number() })) }),
);

/** The attributes of a topic by name, such as `KmsMasterKeyId`. */
export const getTopicAttributes = sns(
  "GetTopicAttributes",
  z.object({ Attributes: xmlList("entry", z.object({ key: z.string(), value: z.string() })) }),
);

export const getAccount = ses(
  "GetAccount",
  () => ({ path: "/v2/email/account" }),
  z.object({ EnforcementStatus: z.string(), ProductionAccessEnabled: z.boolean(), SendingEnabled: z.boolean() }),
);

export const getEmailIdentity = ses(
  "GetEmailIdentity",
  ({ EmailIdentity }: { EmailIdentity: string }) => ({
    path: `/v2/email/identities/${encodeURIComponent(EmailIdentity)}`,
  }),
  z.object({ VerifiedForSendingStatus: z.boolean(), ConfigurationSetName: z.string().optional() }),
);

export const getConfigurationSet = ses(
  "GetConfigurationSet",
  ({ ConfigurationSetName }: { ConfigurationSetName: string }) => ({
    path: `/v2/email/configuration-sets/${encodeURIComponent(ConfigurationSetName)}`,
  }),
  z.object({ SendingOptions: z.object({ SendingEnabled: z.boolean() }).optional() }),
);

export const getDomainName = apiGateway(
  "GetDomainName",
  ({ domainName }: { domainName: string }) => ({ path: `/v2/domainnames/${domainName}` }),
  z.object({ domainName: z.string() }),
);

export const getHostedZone = route53(
  "GetHostedZone",
  ({ Id }: { Id: string }) => ({ path: `/2013-04-01/hostedzone/${Id}` }),
  z.object({
    HostedZone: z.object({
      Name: z.string(),
      Config: z.object({ PrivateZone: z.stringbool().optional() }).optional(),
    }),
  }),
);

/** The record sets of a zone from a name on, in the order of names. */
export const listResourceRecordSets = route53(
  "ListResourceRecordSets",
  ({ HostedZoneId, StartRecordName }: { HostedZoneId: string; StartRecordName: string }) => ({
    path: `/2013-04-01/hostedzone/${HostedZoneId}/rrset`,
    query: { name: StartRecordName, maxitems: "20" },
  }),
  z.object({
    ResourceRecordSets: xmlList("ResourceRecordSet", z.object({ Name: z.string(), Type: z.string() })),
  }),
);

export const describeCertificate = acm(
  "DescribeCertificate",
  z.object({
    Certificate: z.object({
      Status: z.string(),
      DomainName: z.string(),
      SubjectAlternativeNames: z.array(z.string()).default([]),
      /** Epoch seconds. */
      NotAfter: z.number().optional(),
      RenewalEligibility: z.string().optional(),
    }),
  }),
);

export const describeSecret = secretsManager("DescribeSecret", z.object({ DeletedDate: z.number().optional() }));

export const getSecretValue = secretsManager("GetSecretValue", z.object({ SecretString: z.string().optional() }));

export const describeResourcePolicies = logs(
  "DescribeResourcePolicies",
  z.object({
    resourcePolicies: z.array(z.object({ policyName: z.string(), policyDocument: z.string() })).default([]),
  }),
);

export const getParameter = ssm("GetParameter", z.object({ Parameter: z.object({ Value: z.string() }) }));

/** By resource type, such as `DynamoDB`. */
const preferences = z.record(z.string(), z.boolean()).default({});

export const describeRegionSettings = awsBackup(
  "DescribeRegionSettings",
  () => ({ path: "/account-settings" }),
  z.object({ ResourceTypeOptInPreference: preferences, ResourceTypeManagementPreference: preferences }),
);

export const describeBackupVault = awsBackup(
  "DescribeBackupVault",
  ({ name }: { name: string }) => ({ path: `/backup-vaults/${name}` }),
  z.object({ MinRetentionDays: z.number().optional() }),
);
