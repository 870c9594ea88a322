import { randomBytes } from "node:crypto";
import type { FunctionModel } from "../core/model.ts";

/**
 * The whole environment of one instance: the template's variables and those that Lambda sets, but not the user's.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 * @param overrides replace variables that the template declares; they never add one.
 */
export const functionEnvironment = (options: {
  fn: FunctionModel;
  region: string;
  endpointUrl: string;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken: string };
  overrides?: Readonly<Record<string, string>>;
  nowMs: number;
}): Record<string, string> => {
  const { fn, region, endpointUrl, credentials, overrides = {}, nowMs } = options;
  const declared = Object.entries(fn.environment).map(([name, value]) => [name, overrides[name] ?? value]);
  const day = new Date(nowMs).toISOString().slice(0, 10).replaceAll("-", "/");
  return {
    ...Object.fromEntries(declared),
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ENDPOINT_URL: endpointUrl,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    AWS_LAMBDA_FUNCTION_NAME: fn.name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(fn.memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${fn.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: `${day}/[$LATEST]${randomBytes(16).toString("hex")}`,
    LAMBDA_TASK_ROOT: fn.codeDirectory,
    _HANDLER: fn.handler,
    LANG: "en_US.UTF-8",
    PATH: "/usr/local/bin:/usr/bin:/bin",
    TZ: ":UTC",
  };
};
