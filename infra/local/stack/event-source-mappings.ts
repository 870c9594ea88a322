import * as z from "zod";
import type { EventSourceMappingModel } from "../core/model.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { flag, wholeNumber } from "../template/values.ts";
import { functionArnOf } from "./function-name.ts";

/** Lambda begins with five batches at a time; more would only wait for instances here. */
const MAX_CONCURRENCY = 5;

const plan = {
  understood: z.object({
    EventSourceArn: z.string().optional(),
    FunctionName: z.string(),
    BatchSize: wholeNumber.default(10),
    Enabled: flag.default(true),
    FunctionResponseTypes: z.array(z.string()).default([]),
    FilterCriteria: z.unknown().optional(),
    ScalingConfig: z.object({ MaximumConcurrency: wholeNumber.optional() }).default({}),
  }),
  nothingLocally: ["MetricsConfig", "ProvisionedPollerConfig", "Tags"],
  notApplied: { MaximumBatchingWindowInSeconds: "its batches are handed over at once, however small" },
};

const readMapping = (stack: StackReader, resource: Resource): EventSourceMappingModel[] => {
  const mapping = stack.properties(resource, plan);
  const { EventSourceArn: queueArn = "", ScalingConfig } = mapping;
  if (!queueArn.startsWith("arn:aws:sqs:")) {
    stack.notRun(resource, "its function gets nothing: only queues are polled");
    return [];
  }
  if (mapping.FilterCriteria !== undefined) {
    stack.notRun(resource, "its function gets nothing: filters of mappings are not understood");
    return [];
  }
  if (!mapping.Enabled) return [];
  return [
    {
      logicalId: resource.logicalId,
      queueArn,
      functionArn: functionArnOf(stack.scope, mapping.FunctionName),
      batchSize: mapping.BatchSize,
      concurrency: Math.min(ScalingConfig.MaximumConcurrency ?? MAX_CONCURRENCY, MAX_CONCURRENCY),
      reportBatchItemFailures: mapping.FunctionResponseTypes.includes("ReportBatchItemFailures"),
    },
  ];
};

/** AWS::Lambda::EventSourceMapping from queues to functions. */
export const eventSourceMappings: ResourceFamily = {
  identities: { "AWS::Lambda::EventSourceMapping": ({ logicalId }) => ({ ref: logicalId, attributes: {} }) },
  read: (stack) => ({
    eventSourceMappings: stack
      .resources("AWS::Lambda::EventSourceMapping")
      .flatMap((resource) => readMapping(stack, resource)),
  }),
};
