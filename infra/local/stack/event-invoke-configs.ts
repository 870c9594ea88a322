import * as z from "zod";
import type { AsynchronousInvocationModel } from "../core/model.ts";
import { unnamed } from "../template/identity.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { wholeNumber } from "../template/values.ts";
import { functionArnOf } from "./function-name.ts";

const Destination = z.object({ Destination: z.string() }).optional();

const plan = {
  understood: z.object({
    FunctionName: z.string(),
    MaximumRetryAttempts: wholeNumber.optional(),
    MaximumEventAgeInSeconds: wholeNumber.optional(),
    DestinationConfig: z.object({ OnFailure: Destination, OnSuccess: Destination }).default({}),
  }),
  nothingLocally: ["Qualifier"],
};

/** Queues, buses and functions; a topic or a bucket gets nothing here, which is said. */
const isRun = (arn: string): boolean => /^arn:aws:(sqs|events|lambda):/.test(arn);

const readConfig = (stack: StackReader, resource: Resource): AsynchronousInvocationModel => {
  const config = stack.properties(resource, plan);
  const { OnFailure, OnSuccess } = config.DestinationConfig;
  for (const { Destination: arn } of [OnFailure, OnSuccess].filter((one) => one !== undefined))
    if (!isRun(arn)) stack.notRun(resource, `its destination ${arn} gets nothing`);
  return {
    functionArn: functionArnOf(stack.scope, config.FunctionName),
    ...(config.MaximumRetryAttempts !== undefined && { maximumRetryAttempts: config.MaximumRetryAttempts }),
    ...(config.MaximumEventAgeInSeconds !== undefined && { maximumEventAgeSeconds: config.MaximumEventAgeInSeconds }),
    ...(OnFailure !== undefined && isRun(OnFailure.Destination) && { onFailureArn: OnFailure.Destination }),
    ...(OnSuccess !== undefined && isRun(OnSuccess.Destination) && { onSuccessArn: OnSuccess.Destination }),
  };
};

/** AWS::Lambda::EventInvokeConfig: retries and destinations of asynchronous invocations. */
export const eventInvokeConfigs: ResourceFamily = {
  identities: { "AWS::Lambda::EventInvokeConfig": unnamed },
  read: (stack) => ({
    asynchronousInvocations: stack
      .resources("AWS::Lambda::EventInvokeConfig")
      .map((resource) => readConfig(stack, resource)),
  }),
};
