import * as z from "zod";
import type { AsynchronousInvocationModel, FunctionModel } from "../core/model.ts";
import { nameOf } from "../template/identity.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn } from "../template/template.ts";
import { text, wholeNumber } from "../template/values.ts";

const FunctionProperties = z.object({
  FunctionName: z.string().optional(),
  Runtime: z.string().optional(),
  Handler: z.string().optional(),
  Role: z.string(),
  Code: z.object({ S3Key: z.string().optional() }),
  Environment: z.object({ Variables: z.record(z.string(), text).default({}) }).default({ Variables: {} }),
  // The defaults of AWS::Lambda::Function.
  Timeout: wholeNumber.default(3),
  MemorySize: wholeNumber.default(128),
  DeadLetterConfig: z.object({ TargetArn: z.string().optional() }).default({}),
  LoggingConfig: z.object({ LogFormat: z.string().optional(), ApplicationLogLevel: z.string().optional() }).default({}),
});

const plan = {
  understood: FunctionProperties,
  nothingLocally: ["Architectures", "Description", "KmsKeyArn", "RuntimeManagementConfig", "SnapStart", "Tags"],
  notApplied: {
    EphemeralStorage: "the size of /tmp is not limited",
    FileSystemConfigs: "no file system is mounted",
    Layers: "layers are not mounted: what it imports from them is missing",
    ReservedConcurrentExecutions: "its reserved concurrency is not applied",
    TracingConfig: "no traces are recorded",
    VpcConfig: "it is not confined to its VPC",
  },
};

type Read = { functions: FunctionModel[]; asynchronousInvocations: AsynchronousInvocationModel[] };

const readFunction = (stack: StackReader, resource: Resource): Read => {
  const properties = stack.properties(resource, plan);
  const { Runtime, Handler, Role, Code, Environment, DeadLetterConfig, LoggingConfig, ...limits } = properties;
  if (!Runtime?.startsWith("nodejs") || Handler === undefined || Code.S3Key === undefined) {
    stack.notRun(resource, "the function is not run: only Node.js functions whose code is an asset are");
    return { functions: [], asynchronousInvocations: [] };
  }
  if (LoggingConfig.LogFormat === "JSON" || LoggingConfig.ApplicationLogLevel !== undefined) {
    stack.notRun(resource, "its log lines are printed as it writes them: format and level are not applied");
  }
  const { TargetArn: deadLetterArn } = DeadLetterConfig;
  if (deadLetterArn?.startsWith("arn:aws:sqs:") === false)
    stack.notRun(resource, `its dead-letter target ${deadLetterArn} gets nothing: only queues do`);
  const found: FunctionModel = {
    logicalId: resource.logicalId,
    name: resource.ref,
    arn: resource.arn,
    roleArn: Role,
    codeDirectory: stack.assetDirectory(resource, Code.S3Key),
    handler: Handler,
    environment: Environment.Variables,
    timeoutSeconds: limits.Timeout,
    memoryMb: limits.MemorySize,
  };
  return {
    functions: [found],
    asynchronousInvocations: deadLetterArn === undefined ? [] : [{ functionArn: resource.arn, deadLetterArn }],
  };
};

/** AWS::Lambda::Function: Node.js functions whose code is an asset directory. */
export const functions: ResourceFamily = {
  identities: {
    "AWS::Lambda::Function": (resource) => {
      const name = nameOf(resource, "FunctionName");
      return { ref: name, attributes: { Arn: arnIn(resource.scope, "lambda", `function:${name}`) } };
    },
  },
  read: (stack) => {
    const read = stack.resources("AWS::Lambda::Function").map((resource) => readFunction(stack, resource));
    return {
      functions: read.flatMap((one) => one.functions),
      asynchronousInvocations: read.flatMap((one) => one.asynchronousInvocations),
    };
  },
};
