import { orUndefined } from "../../aws/call-aws.ts";
import { type Check, type Finding, failed, ok, skipped, warning } from "../finding.ts";
import { getAccountSettings, listTypes, simulatePrincipalPolicy } from "../read-operations.ts";

/** Lambda leaves at least this many to functions without a reservation. */
const UNRESERVED = 100;
/** The default of accounts that are no longer new. */
const USUAL_CONCURRENCY = 1_000;

const raise =
  "aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 " +
  `--desired-value ${USUAL_CONCURRENCY}`;

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html */
export const checkConcurrency: Check = async ({ call, config, stackStatus }) => {
  const { AccountLimit } = await call(getAccountSettings, {});
  const { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: unreserved } = AccountLimit;
  const reserved = Object.values(config.reservedConcurrency).reduce((sum, count) => sum + count, 0);
  // An existing stack's reservations are already subtracted.
  if (reserved > 0 && stackStatus === undefined && unreserved - reserved < UNRESERVED) {
    return [
      failed(
        `reservedConcurrency takes ${reserved} of ${unreserved} unreserved concurrent executions; ${UNRESERVED} must be left.`,
        `Reserve at most ${Math.max(0, unreserved - UNRESERVED)}, or raise the quota: ${raise}`,
      ),
    ];
  }
  return quota < UNRESERVED
    ? [
        warning(
          `Lambda runs only ${quota} functions at once in this account and region: enough to look at the console, too few for organizations.`,
          raise,
        ),
      ]
    : [ok(`Lambda runs ${quota} functions at once.`)];
};

const CHOOSE_API = "Deploy with --context webhookEntrance=api: webhooks then arrive at an HTTP API.";

/** What CloudFormation does for a public function URL, as the policies of the organization see it. */
const PUBLIC_URL_ACTIONS = ["lambda:CreateFunctionUrlConfig", "lambda:AddPermission"];

const simulatedUrl: Check = async ({ call, account, region, partition, stackName }) => {
  const { EvaluationResults } = await call(simulatePrincipalPolicy, {
    PolicySourceArn: `arn:${partition}:iam::${account}:role/cdk-hnb659fds-cfn-exec-role-${account}-${region}`,
    ActionNames: PUBLIC_URL_ACTIONS,
    ResourceArns: [`arn:${partition}:lambda:${region}:${account}:function:${stackName}-receive-webhook`],
    ContextEntries: [
      { ContextKeyName: "lambda:FunctionUrlAuthType", ContextKeyType: "string", ContextKeyValues: ["NONE"] },
      { ContextKeyName: "lambda:Principal", ContextKeyType: "string", ContextKeyValues: ["*"] },
    ],
  });
  return EvaluationResults.filter(({ EvalDecision }) => EvalDecision !== "allowed").map((result): Finding => {
    const { EvalActionName, OrganizationsDecisionDetail } = result;
    return OrganizationsDecisionDetail?.AllowedByOrganizations === false
      ? failed(
          `A policy of your organization (SCP) forbids public function URLs: ${EvalActionName} is denied.`,
          CHOOSE_API,
        )
      : failed(
          `CloudFormation's role of the CDK bootstrap may not make public function URLs: ${EvalActionName} is denied.`,
          CHOOSE_API,
        );
  });
};

/** Proactive controls of Control Tower, such as CT.LAMBDA.PR.2 and PR.5, are hooks of CloudFormation. */
const hooks: Check = async ({ call }) => {
  const { TypeSummaries } = await call(listTypes, { Type: "HOOK", Visibility: "PRIVATE" });
  const names = TypeSummaries.map(({ TypeName }) => TypeName);
  if (names.length === 0) return [];
  return [
    warning(
      `CloudFormation hooks are registered (${names.join(", ")}): one of them may refuse a public function URL.`,
      `Ask who governs the account about CT.LAMBDA.PR.2 and CT.LAMBDA.PR.5, or avoid the URL. ${CHOOSE_API}`,
    ),
  ];
};

export const checkFunctionUrls: Check = async (target) => {
  if (target.config.webhookEntrance === "api")
    return [skipped("Webhooks arrive at an HTTP API: there is no public function URL.")];
  const denied = await orUndefined(simulatedUrl(target));
  if (denied === undefined) {
    return [
      {
        status: "unknown",
        sentence:
          "Whether public function URLs are forbidden depends on the role of the CDK bootstrap, which does not exist yet.",
        cure: "Bootstrap, and run preflight again.",
      },
    ];
  }
  if (denied.length > 0) return denied;
  const found = await hooks(target);
  return found.length > 0 ? found : [ok("No policy or hook that this account can see forbids a public function URL.")];
};
