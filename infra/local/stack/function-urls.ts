import { createHash } from "node:crypto";
import * as z from "zod";
import type { FunctionUrlModel } from "../core/model.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { functionArnOf } from "./function-name.ts";

/** What `functionUrls` of the scope has addresses for. */
export const FUNCTION_URL = "AWS::Lambda::Url";

const plan = {
  understood: z.object({
    AuthType: z.string(),
    TargetFunctionArn: z.string(),
    InvokeMode: z.string().default("BUFFERED"),
  }),
  nothingLocally: ["Qualifier"],
  notApplied: { Cors: "no CORS headers are added, and OPTIONS reaches the function" },
};

const readUrl = (stack: StackReader, resource: Resource): FunctionUrlModel[] => {
  const { AuthType, TargetFunctionArn, InvokeMode } = stack.properties(resource, plan);
  if (AuthType !== "NONE") {
    stack.notRun(resource, `the URL is not served: nothing here checks its ${AuthType} authorization`);
    return [];
  }
  if (InvokeMode !== "BUFFERED") {
    stack.notRun(resource, "the URL is not served: no answers are streamed");
    return [];
  }
  const { logicalId } = resource;
  const urlId = createHash("sha256").update(`${stack.scope.stackName}/${logicalId}`).digest("hex").slice(0, 32);
  return [{ logicalId, urlId, functionArn: functionArnOf(stack.scope, TargetFunctionArn) }];
};

/** AWS::Lambda::Url: those that need no signature. */
export const functionUrls: ResourceFamily = {
  identities: {
    [FUNCTION_URL]: ({ logicalId, scope, text }) => {
      const functionArn = functionArnOf(scope, text("TargetFunctionArn") ?? "");
      const url = scope.functionUrls?.get(logicalId);
      return {
        ref: functionArn,
        attributes: { FunctionArn: functionArn, ...(url !== undefined && { FunctionUrl: `${url}/` }) },
      };
    },
  },
  read: (stack) => ({
    functionUrls: stack.resources(FUNCTION_URL).flatMap((resource) => readUrl(stack, resource)),
  }),
};
