/** What a check says about the account, and what a check is given. */
import type { CallAws } from "../aws/call-aws.ts";
import type { DeploymentConfig } from "../constructs/resources/deployment-config.ts";

export type Finding = {
  /**
   * `failed`: the deployment fails, or a part of the service does not work. `warning`: it works, and something will disturb.
   * `unknown`: the caller may not look. `skipped`: the settings do not need it.
   */
  status: "ok" | "warning" | "failed" | "unknown" | "skipped";
  sentence: string;
  /** What to do about it, if anything. */
  cure?: string;
};

export type Target = {
  call: CallAws;
  config: DeploymentConfig;
  stackName: string;
  /** Undefined if there is no such stack. */
  stackStatus: string | undefined;
  account: string;
  region: string;
  partition: string;
  /** Epoch milliseconds. */
  now: number;
};

/** Findings in the order of their lines. @throws AwsError, which the runner words */
export type Check = (target: Target) => Promise<readonly Finding[]>;

export const ok = (sentence: string): Finding => ({ status: "ok", sentence });
export const skipped = (sentence: string): Finding => ({ status: "skipped", sentence });
export const warning = (sentence: string, cure: string): Finding => ({ status: "warning", sentence, cure });
export const failed = (sentence: string, cure: string): Finding => ({ status: "failed", sentence, cure });

/** The region that an ARN names. */
export const regionOfArn = (arn: string): string => arn.split(":")[3] ?? "";
