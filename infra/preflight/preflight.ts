/**
 * `npm run preflight`: reads an AWS account before the first deployment, and says what would make it fail or disturb it.
 *
 *   npm run preflight -- --context stage=prod --context issuer=… [--region eu-central-1] [--json]
 *
 *   --context KEY=VALUE, -c   as for `cdk deploy`; cdk.json and cdk.context.json count too
 *   --region REGION           default: the context key region, AWS_REGION, or the profile's
 *   --json                    the report as JSON
 *
 * It takes the credentials that the AWS SDK finds (AWS_PROFILE, the environment, SSO), and only reads.
 * Exit code 0: nothing failed, 1: something failed, 2: the command, the settings or the credentials are wrong.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { AwsError, createAwsCaller } from "../aws/call-aws.ts";
import { readContext } from "../aws/read-context.ts";
import { parseContext } from "../config.ts";
import { type Report, runChecks } from "./run-checks.ts";

const WORDS = { ok: "ok", warning: "WARN", failed: "FAIL", unknown: "?", skipped: "skip" } as const;
const WIDTH = 4;

const print = ({ account, region, stack, findings }: Report): void => {
  for (const { check, status, sentence, cure } of findings) {
    console.log(`${WORDS[status].padEnd(WIDTH)}  ${check}: ${sentence}`);
    if (cure !== undefined) console.log(`${" ".repeat(WIDTH)}  → ${cure}`);
  }
  const count = (status: keyof typeof WORDS) => findings.filter((one) => one.status === status).length;
  console.log(
    `${stack} in ${account}, ${region}: ${count("failed")} failed, ${count("warning")} warnings, ${count("unknown")} not checked`,
  );
};

const prepare = async () => {
  const { values } = parseArgs({
    options: {
      context: { type: "string", short: "c", multiple: true, default: [] },
      region: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const context = readContext(join(import.meta.dirname, "..", ".."), values.context);
  const wanted = values.region ?? (typeof context.region === "string" ? context.region : undefined);
  // Any client finds region and credentials as all of the SDK does.
  const { config: sdk } = new DynamoDBClient(wanted === undefined ? {} : { region: wanted });
  const region = await sdk.region();
  const call = createAwsCaller({ region, credentials: sdk.credentials, endpointUrl: process.env.AWS_ENDPOINT_URL });
  return { json: values.json, region, call, config: parseContext(context, region) };
};

try {
  const { json, region, call, config } = await prepare();
  const report = await runChecks(call, config, region, Date.now());
  if (json) console.log(JSON.stringify(report, undefined, 2));
  else print(report);
  process.exitCode = report.findings.some(({ status }) => status === "failed") ? 1 : 0;
} catch (error) {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error;
  console.error(
    error instanceof AwsError ? `AWS refused ${error.operation} (${error.code}): ${error.message}` : error.message,
  );
  process.exitCode = 2;
}
