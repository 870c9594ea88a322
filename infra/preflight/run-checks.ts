/** All checks in the order of their lines. */
import { AwsError, type CallAws, partitionOf } from "../aws/call-aws.ts";
import { stackStatusOf } from "../aws/stack-status.ts";
import type { DeploymentConfig } from "../constructs/resources/deployment-config.ts";
import { checkAlarmTopic, checkLogsPolicy } from "./checks/alarms-and-logs.ts";
import { checkBackups } from "./checks/backups.ts";
import { checkCertificates } from "./checks/certificates.ts";
import { checkDomainNames } from "./checks/domain-names.ts";
import { checkEmail } from "./checks/email.ts";
import { checkConcurrency, checkFunctionUrls } from "./checks/lambda.ts";
import { checkSecrets } from "./checks/secrets.ts";
import { checkBootstrap, checkLimits, checkStack } from "./checks/stack.ts";
import type { Check, Finding, Target } from "./finding.ts";
import { getCallerIdentity } from "./read-operations.ts";

const checks: Readonly<Record<string, Check>> = {
  bootstrap: checkBootstrap,
  stack: checkStack,
  limits: checkLimits,
  concurrency: checkConcurrency,
  "function-urls": checkFunctionUrls,
  email: checkEmail,
  certificates: checkCertificates,
  secrets: checkSecrets,
  "alarm-topic": checkAlarmTopic,
  "access-logs": checkLogsPolicy,
  "domain-names": checkDomainNames,
  backups: checkBackups,
};

/** A check that AWS did not let finish. */
const unfinished = ({ code, operation, message, isDenied }: AwsError): Finding => ({
  status: "unknown",
  sentence: isDenied
    ? `Not checked: you have no right to ${operation}.`
    : `Not checked: ${operation} failed (${code}: ${message}).`,
  cure: isDenied ? `Allow ${operation}, or ask somebody who may look.` : "Run preflight again.",
});

export type Report = {
  account: string;
  region: string;
  stack: string;
  findings: readonly ({ check: string } & Finding)[];
};

/** @param now epoch ms. @throws AwsError if the credentials are not accepted */
export const runChecks = async (
  call: CallAws,
  config: DeploymentConfig,
  region: string,
  now: number,
): Promise<Report> => {
  const { Account: account } = await call(getCallerIdentity, {});
  const stackName = `plant-store-${config.stage}`;
  const stackStatus = await stackStatusOf(call, stackName);
  const target: Target = { call, config, stackName, stackStatus, account, region, partition: partitionOf(region), now };
  const findings = Object.entries(checks).map(async ([check, run]) => {
    const found = await run(target).catch((error: unknown) => {
      if (error instanceof AwsError) return [unfinished(error)];
      throw error;
    });
    return found.map((finding) => ({ check, ...finding }));
  });
  return { account, region, stack: stackName, findings: (await Promise.all(findings)).flat() };
};
