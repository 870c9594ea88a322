import * as z from "zod";
import { nameOf } from "../identity.ts";
import type { FunctionModel } from "../model.ts";
import type { Resource, ResourceFamily, StackReader } from "../stack-reader.ts";
import { arnIn } from "../template.ts";
import { text, wholeNumber } from "../values.ts";

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
  LoggingConfig: z.object({ LogFormat: z.string().optional(), ApplicationLogLevel: z.string().optional() }).default({}),
});

const plan = {
  understood: FunctionProperties,
  nothingLocally: ["Architectures", "Description", "KmsKeyArn", "RuntimeManagementConfig", "SnapStart", "Tags"],
  notApplied: {
    DeadLetterConfig: "failed asynchronous invocations are not handed to its dead-letter target",
    EphemeralStorage: "the size of /tmp is not limited",
    FileSystemConfigs: "no file system is mounted",
    Layers: "layers are not mounted: what it imports from them is missing",
    ReservedConcurrentExecutions: "its reserved concurrency is not applied",
    TracingConfig: "no traces are recorded",
    VpcConfig: "it is not confined to its VPC",
  },
};

const readFunction = (stack: StackReader, resource: Resource): FunctionModel[] => {
  const { Runtime, Handler, Role, Code, Environment, LoggingConfig, ...limits } = stack.properties(resource, plan);
  if (!Runtime?.startsWith("nodejs") || Handler === undefined || Code.S3Key === undefined) {
    stack.notRun(resource, "the function is not run: only Node.js functions whose code is an asset are");
    return [];
  }
  if (LoggingConfig.LogFormat === "JSON" || LoggingConfig.ApplicationLogLevel !== undefined) {
    stack.notRun(resource, "its log lines are printed as it writes them: format and level are not applied");
  }
  return [
    {
      logicalId: resource.logicalId,
      name: resource.ref,
      arn: resource.arn,
      roleArn: Role,
      codeDirectory: stack.assetDirectory(resource, Code.S3Key),
      handler: Handler,
      environment: Environment.Variables,
      timeoutSeconds: limits.Timeout,
      memoryMb: limits.MemorySize,
    },
  ];
};

/** AWS::Lambda::Function: Node.js functions whose code is an asset directory. */
export const functions: ResourceFamily = {
  identities: {
    "AWS::Lambda::Function": (resource) => {
      const name = nameOf(resource, "FunctionName");
      return { ref: name, attributes: { Arn: arnIn(resource.scope, "lambda", `function:${name}`) } };
    },
  },
  read: (stack) => ({
    functions: stack.resources("AWS::Lambda::Function").flatMap((resource) => readFunction(stack, resource)),
  }),
};
