import { createHash } from "node:crypto";
import * as z from "zod";
import type { FunctionModel, FunctionUrlModel, PolicyStatement } from "../core/model.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn, nameOf, type Scope, unnamed } from "../template/template.ts";

/** A function named by its name or by its ARN. */
export const functionArnOf = (scope: Scope, nameOrArn: string): string =>
  nameOrArn.startsWith("arn:") ? nameOrArn : arnIn(scope, "lambda", `function:${nameOrArn}`);

const functionPlan = {
  supported: z.object({
    FunctionName: z.string().optional(),
    Runtime: z.string().startsWith("nodejs"),
    Handler: z.string(),
    Role: z.string(),
    Code: z.strictObject({ S3Bucket: z.unknown().optional(), S3Key: z.string() }),
    Environment: z.strictObject({ Variables: z.record(z.string(), z.string()) }).default({ Variables: {} }),
    // The defaults of AWS::Lambda::Function.
    Timeout: z.int().default(3),
    MemorySize: z.int().default(128),
    // 0 stops a function on AWS; here its requests would wait for ever.
    ReservedConcurrentExecutions: z.int().min(1).optional(),
    LoggingConfig: z.strictObject({ LogGroup: z.unknown().optional() }).optional(),
  }),
  ignored: ["Architectures", "Description", "Tags"],
  notApplied: { TracingConfig: "no traces are recorded" },
};

const readFunction = (stack: StackReader, resource: Resource): FunctionModel => {
  const { Handler, Role, Code, Environment, Timeout, MemorySize, ReservedConcurrentExecutions } = stack.properties(
    resource,
    functionPlan,
  );
  return {
    logicalId: resource.logicalId,
    name: resource.ref,
    arn: resource.arn,
    roleArn: Role,
    codeDirectory: stack.assetDirectory(resource, Code.S3Key),
    handler: Handler,
    environment: Environment.Variables,
    timeoutSeconds: Timeout,
    memoryMb: MemorySize,
    ...(ReservedConcurrentExecutions !== undefined && { reservedConcurrency: ReservedConcurrentExecutions }),
  };
};

/** The type of function URLs, whose ports are taken before the template is read. */
export const FUNCTION_URL = "AWS::Lambda::Url";

const urlPlan = {
  supported: z.object({
    AuthType: z.literal("NONE"),
    TargetFunctionArn: z.string(),
    InvokeMode: z.literal("BUFFERED").optional(),
  }),
};

const readUrl = (stack: StackReader, resource: Resource): FunctionUrlModel => {
  const { TargetFunctionArn } = stack.properties(resource, urlPlan);
  const { logicalId } = resource;
  const urlId = createHash("sha256").update(`${stack.scope.stackName}/${logicalId}`).digest("hex").slice(0, 32);
  return { logicalId, urlId, functionArn: functionArnOf(stack.scope, TargetFunctionArn) };
};

const permissionPlan = {
  supported: z.object({
    Action: z.string(),
    FunctionName: z.string(),
    Principal: z.string(),
    SourceArn: z.string().optional(),
    FunctionUrlAuthType: z.string().optional(),
    InvokedViaFunctionUrl: z.boolean().optional(),
  }),
};

/** Lambda writes the same statement into the function's policy. */
const readPermission = (stack: StackReader, resource: Resource): { arn: string; statement: PolicyStatement } => {
  const permission = stack.properties(resource, permissionPlan);
  const { Principal: principal, SourceArn, FunctionUrlAuthType, InvokedViaFunctionUrl } = permission;
  const arn = functionArnOf(stack.scope, permission.FunctionName);
  const condition = {
    ...(SourceArn !== undefined && { ArnLike: { "aws:SourceArn": SourceArn } }),
    ...(FunctionUrlAuthType !== undefined && { StringEquals: { "lambda:FunctionUrlAuthType": FunctionUrlAuthType } }),
    ...(InvokedViaFunctionUrl !== undefined && {
      Bool: { "lambda:InvokedViaFunctionUrl": String(InvokedViaFunctionUrl) },
    }),
  };
  const statement: PolicyStatement = {
    Sid: resource.logicalId,
    Effect: "Allow",
    Principal: principal === "*" ? "*" : { [principal.endsWith(".amazonaws.com") ? "Service" : "AWS"]: principal },
    Action: permission.Action,
    Resource: arn,
    Condition: condition,
  };
  return { arn, statement };
};

/** AWS::Lambda: Node.js functions whose code is an asset, their public URLs, and the permissions to invoke them. */
export const functions: ResourceFamily = {
  identities: {
    "AWS::Lambda::Function": (resource) => {
      const name = nameOf(resource, "FunctionName");
      return { ref: name, attributes: { Arn: arnIn(resource.scope, "lambda", `function:${name}`) } };
    },
    [FUNCTION_URL]: ({ logicalId, scope, text }) => {
      const functionArn = functionArnOf(scope, text("TargetFunctionArn") ?? "");
      const url = scope.urls?.get(logicalId);
      return { ref: functionArn, attributes: { ...(url !== undefined && { FunctionUrl: `${url}/` }) } };
    },
    "AWS::Lambda::Permission": unnamed,
  },
  read: (stack) => {
    const permissions = stack.resources("AWS::Lambda::Permission").map((resource) => readPermission(stack, resource));
    const byFunction = Map.groupBy(permissions, ({ arn }) => arn);
    return {
      functions: stack.resources("AWS::Lambda::Function").map((resource) => readFunction(stack, resource)),
      functionUrls: stack.resources(FUNCTION_URL).map((resource) => readUrl(stack, resource)),
      resourcePolicies: Object.fromEntries(
        [...byFunction].map(([arn, found]) => [arn, found.map(({ statement }) => statement)]),
      ),
    };
  },
};
