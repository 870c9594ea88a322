import { type CallAws, orUndefined } from "../../aws/call-aws.ts";
import { type Check, failed, ok, warning } from "../finding.ts";
import {
  describeAccountLimits,
  getAccountSettings,
  getAccountSummary,
  getParameter,
  listStacks,
} from "../read-operations.ts";

/** What `cdk bootstrap` must have made: https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html */
const BOOTSTRAP_PARAMETER = "/cdk-bootstrap/hnb659fds/version";
/** The synthesised manifest asks for this version. */
const LEAST_BOOTSTRAP_VERSION = 6;

export const checkBootstrap: Check = async ({ call, account, region }) => {
  const cure = `npx cdk bootstrap aws://${account}/${region}`;
  const answer = await orUndefined(call(getParameter, { Name: BOOTSTRAP_PARAMETER }));
  if (answer === undefined) return [failed("The account is not bootstrapped for the CDK in this region.", cure)];
  const { Value: version } = answer.Parameter;
  return Number(version) >= LEAST_BOOTSTRAP_VERSION
    ? [ok(`The account is bootstrapped for the CDK (version ${version}).`)]
    : [failed(`The account's CDK bootstrap has version ${version}, and needs ${LEAST_BOOTSTRAP_VERSION}.`, cure)];
};

/** A stack in one of these states accepts no update. */
const STUCK = /^(ROLLBACK_COMPLETE|ROLLBACK_FAILED|CREATE_FAILED|DELETE_FAILED)$/;

export const checkStack: Check = async ({ stackName, stackStatus }) => {
  if (stackStatus === undefined) return [ok(`There is no stack ${stackName} yet.`)];
  if (STUCK.test(stackStatus)) {
    return [
      failed(
        `The stack ${stackName} is ${stackStatus}: its first deployment failed, and it accepts no update.`,
        `npm run remove-failed -- ${stackName}`,
      ),
    ];
  }
  return stackStatus.endsWith("_FAILED")
    ? [
        warning(
          `The stack ${stackName} is ${stackStatus}.`,
          `aws cloudformation continue-update-rollback --stack-name ${stackName}`,
        ),
      ]
    : [ok(`The stack ${stackName} exists (${stackStatus}): this is not its first deployment.`)];
};

/** What a deployment adds at most, nested stacks, roles of functions and bundles included, with room for a release. */
const NEEDED = { stacks: 25, roles: 150, codeBytes: 200_000_000 };

/** CloudFormation lists deleted stacks for 90 days. */
const countStacks = async (call: CallAws): Promise<number> => {
  let count = 0;
  let token: string | undefined;
  do {
    const page = await call(listStacks, token === undefined ? {} : { NextToken: token });
    count += page.StackSummaries.filter(({ StackStatus }) => StackStatus !== "DELETE_COMPLETE").length;
    token = page.NextToken;
  } while (token !== undefined);
  return count;
};

const MB = 1_000_000;

export const checkLimits: Check = async ({ call, stackStatus }) => {
  if (stackStatus !== undefined) return [ok("The account's limits had room for this stack.")];
  const [stacks, { AccountLimits }, { SummaryMap }, { AccountLimit, AccountUsage }] = await Promise.all([
    countStacks(call),
    call(describeAccountLimits, {}),
    call(getAccountSummary, {}),
    call(getAccountSettings, {}),
  ]);
  const iam = new Map(SummaryMap.map(({ key, value }) => [key, value]));
  const stackLimit = AccountLimits.find(({ Name }) => Name === "StackLimit")?.Value ?? Number.POSITIVE_INFINITY;
  const rolesLeft = (iam.get("RolesQuota") ?? Number.POSITIVE_INFINITY) - (iam.get("Roles") ?? 0);
  const codeLeft = AccountLimit.TotalCodeSize - AccountUsage.TotalCodeSize;
  const scarce = [
    ...(stackLimit - stacks < NEEDED.stacks
      ? [
          failed(
            `CloudFormation has room for ${stackLimit - stacks} more stacks; the service needs up to ${NEEDED.stacks}.`,
            "Delete stacks, or raise the quota “Stack count” of CloudFormation (L-0485CB21).",
          ),
        ]
      : []),
    ...(rolesLeft < NEEDED.roles
      ? [
          failed(
            `IAM has room for ${rolesLeft} more roles; the service needs up to ${NEEDED.roles}, one for each function.`,
            "Delete roles, or raise the quota “Roles per account” of IAM (L-FE177D64).",
          ),
        ]
      : []),
    ...(codeLeft < NEEDED.codeBytes
      ? [
          failed(
            `Lambda has room for ${Math.floor(codeLeft / MB)} MB more code; the service needs up to ${NEEDED.codeBytes / MB} MB.`,
            "Delete old functions and versions, or raise the quota “Function and layer storage” of Lambda (L-2ACBD22F).",
          ),
        ]
      : []),
  ];
  return scarce.length > 0 ? scarce : [ok("CloudFormation, IAM and Lambda have room for the stack.")];
};
