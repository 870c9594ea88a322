import * as z from "zod";
import type { EventSourceMappingModel, QueueModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import { PolicyDocument } from "../template/policy-document.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn, nameOf, unnamed } from "../template/template.ts";
import { functionArnOf } from "./functions.ts";

const queuePlan = {
  supported: z.object({
    QueueName: z.string().optional(),
    // The defaults of SQS. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
    VisibilityTimeout: z.int().default(30),
    MessageRetentionPeriod: z.int().default(345_600),
    RedrivePolicy: z.strictObject({ deadLetterTargetArn: z.string(), maxReceiveCount: z.int() }).optional(),
  }),
  ignored: ["SqsManagedSseEnabled", "Tags"],
};

const policyPlan = { supported: z.object({ Queues: z.array(z.string()), PolicyDocument }) };

const mappingPlan = {
  supported: z.object({
    EventSourceArn: z.string().startsWith("arn:aws:sqs:"),
    FunctionName: z.string(),
    BatchSize: z.int().default(10),
    ScalingConfig: z.strictObject({ MaximumConcurrency: z.int().min(2).max(1000) }).optional(),
    FunctionResponseTypes: z.tuple([z.literal("ReportBatchItemFailures")]),
  }),
  ignored: ["Tags"],
};

const readQueue = (stack: StackReader, resource: Resource): QueueModel => {
  const { VisibilityTimeout, MessageRetentionPeriod, RedrivePolicy } = stack.properties(resource, queuePlan);
  return {
    logicalId: resource.logicalId,
    name: resource.ref.slice(resource.ref.lastIndexOf("/") + 1),
    arn: resource.arn,
    visibilityTimeoutSeconds: VisibilityTimeout,
    retentionSeconds: MessageRetentionPeriod,
    ...(RedrivePolicy !== undefined && {
      redrive: { deadLetterArn: RedrivePolicy.deadLetterTargetArn, maxReceiveCount: RedrivePolicy.maxReceiveCount },
    }),
  };
};

const readMapping = (stack: StackReader, resource: Resource): EventSourceMappingModel => {
  const properties = stack.properties(resource, mappingPlan);
  const { EventSourceArn: queueArn, FunctionName, BatchSize: batchSize, ScalingConfig } = properties;
  const functionArn = functionArnOf(stack.scope, FunctionName);
  return {
    logicalId: resource.logicalId,
    queueArn,
    functionArn,
    batchSize,
    ...(ScalingConfig !== undefined && { maxConcurrency: ScalingConfig.MaximumConcurrency }),
  };
};

/** SQS refuses a redrive policy whose dead-letter queue is missing. */
const requireDeadLetters = (queues: readonly QueueModel[]): void => {
  for (const { logicalId, redrive } of queues)
    if (redrive !== undefined && !queues.some(({ arn }) => arn === redrive.deadLetterArn))
      throw new TemplateError(logicalId, `the template declares no dead-letter queue ${redrive.deadLetterArn}`);
};

/** AWS::SQS: standard queues and their policies; AWS::Lambda::EventSourceMapping from queues to functions. */
export const queues: ResourceFamily = {
  identities: {
    "AWS::SQS::Queue": (resource) => {
      const name = nameOf(resource, "QueueName");
      const { accountId, region } = resource.scope;
      // The client of a function sends to the gateway, which finds the queue by the name in the URL.
      const url = `https://sqs.${region}.amazonaws.com/${accountId}/${name}`;
      return { ref: url, attributes: { QueueName: name, Arn: arnIn(resource.scope, "sqs", name) } };
    },
    "AWS::SQS::QueuePolicy": unnamed,
    "AWS::Lambda::EventSourceMapping": unnamed,
  },
  read: (stack) => {
    const found = stack.resources("AWS::SQS::Queue").map((resource) => readQueue(stack, resource));
    requireDeadLetters(found);
    const policies = stack.resources("AWS::SQS::QueuePolicy").flatMap((resource) => {
      const { Queues, PolicyDocument: statements } = stack.properties(resource, policyPlan);
      return Queues.map((url) => [arnIn(stack.scope, "sqs", url.slice(url.lastIndexOf("/") + 1)), statements] as const);
    });
    const mappings = stack.resources("AWS::Lambda::EventSourceMapping");
    return {
      queues: found,
      resourcePolicies: Object.fromEntries(policies),
      eventSourceMappings: mappings.map((resource) => readMapping(stack, resource)),
    };
  },
};
