import * as z from "zod";
import type { PolicyStatement, QueueModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import { queueUrl } from "../queues/queue-url.ts";
import { nameOf, unnamed } from "../template/identity.ts";
import { PolicyDocument } from "../template/policy-document.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn } from "../template/template.ts";
import { flag, wholeNumber } from "../template/values.ts";

const plan = {
  understood: z.object({
    QueueName: z.string().optional(),
    FifoQueue: flag.default(false),
    // The defaults of SQS. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
    VisibilityTimeout: wholeNumber.default(30),
    MessageRetentionPeriod: wholeNumber.default(345_600),
    DelaySeconds: wholeNumber.default(0),
    ReceiveMessageWaitTimeSeconds: wholeNumber.default(0),
    MaximumMessageSize: wholeNumber.default(1_048_576),
    RedrivePolicy: z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: wholeNumber }).optional(),
    RedriveAllowPolicy: z
      .object({ redrivePermission: z.string().default("allowAll"), sourceQueueArns: z.array(z.string()).default([]) })
      .default({ redrivePermission: "allowAll", sourceQueueArns: [] }),
  }),
  nothingLocally: ["KmsDataKeyReusePeriodSeconds", "KmsMasterKeyId", "SqsManagedSseEnabled", "Tags"],
};

const policyPlan = { understood: z.object({ Queues: z.array(z.string()), PolicyDocument }) };

type Queue = { model: QueueModel; serves: (sourceArn: string) => boolean };

const readQueue = (stack: StackReader, resource: Resource): Queue[] => {
  const properties = stack.properties(resource, plan);
  if (properties.FifoQueue) {
    stack.notRun(resource, "it holds no messages and calls to it are denied: only standard queues are run");
    return [];
  }
  const { RedrivePolicy, RedriveAllowPolicy } = properties;
  const { redrivePermission, sourceQueueArns } = RedriveAllowPolicy;
  const model: QueueModel = {
    logicalId: resource.logicalId,
    name: resource.attributes.QueueName ?? resource.logicalId,
    arn: resource.arn,
    visibilityTimeoutSeconds: properties.VisibilityTimeout,
    retentionSeconds: properties.MessageRetentionPeriod,
    delaySeconds: properties.DelaySeconds,
    receiveWaitSeconds: properties.ReceiveMessageWaitTimeSeconds,
    maximumMessageBytes: properties.MaximumMessageSize,
    ...(RedrivePolicy !== undefined && {
      redrive: { deadLetterArn: RedrivePolicy.deadLetterTargetArn, maxReceiveCount: RedrivePolicy.maxReceiveCount },
    }),
  };
  const serves = (arn: string) =>
    redrivePermission === "allowAll" || (redrivePermission === "byQueue" && sourceQueueArns.includes(arn));
  return [{ model, serves }];
};

/** SQS refuses a redrive policy whose dead-letter queue is missing or does not let the queue in. */
const requireRedrive = ({ model }: Queue, all: readonly Queue[]): void => {
  const { logicalId, arn, redrive } = model;
  if (redrive === undefined) return;
  const deadLetters = all.find((one) => one.model.arn === redrive.deadLetterArn);
  if (deadLetters === undefined)
    throw new TemplateError(logicalId, `its dead-letter queue ${redrive.deadLetterArn} is none that is run here`);
  if (!deadLetters.serves(arn))
    throw new TemplateError(logicalId, `its dead-letter queue ${deadLetters.model.logicalId} does not serve it`);
};

/** Policies name queues by their URL, that is by Ref. */
const readPolicies = (stack: StackReader): Record<string, PolicyStatement[]> => {
  const policies: Record<string, PolicyStatement[]> = {};
  for (const resource of stack.resources("AWS::SQS::QueuePolicy")) {
    const { Queues, PolicyDocument: statements } = stack.properties(resource, policyPlan);
    for (const url of Queues) {
      const arn = arnIn(stack.scope, "sqs", url.slice(url.lastIndexOf("/") + 1));
      policies[arn] = [...(policies[arn] ?? []), ...statements];
    }
  }
  return policies;
};

/** AWS::SQS::Queue, standard ones, with their policies. */
export const queues: ResourceFamily = {
  identities: {
    "AWS::SQS::Queue": (resource) => {
      const name = nameOf(resource, "QueueName");
      const { gatewayUrl, accountId } = resource.scope;
      // The SDK sends to the host in the queue's URL, wherever that is: it must be the local one.
      const url = gatewayUrl === undefined ? {} : { QueueUrl: queueUrl(gatewayUrl, accountId, name) };
      return {
        ...(url.QueueUrl !== undefined && { ref: url.QueueUrl }),
        attributes: { QueueName: name, Arn: arnIn(resource.scope, "sqs", name), ...url },
      };
    },
    "AWS::SQS::QueuePolicy": unnamed,
    "AWS::SQS::QueueInlinePolicy": unnamed,
  },
  read: (stack) => {
    for (const resource of stack.resources("AWS::SQS::QueueInlinePolicy"))
      stack.notRun(resource, "it is not applied: write an AWS::SQS::QueuePolicy");
    const found = stack.resources("AWS::SQS::Queue").flatMap((resource) => readQueue(stack, resource));
    for (const queue of found) requireRedrive(queue, found);
    return { queues: found.map(({ model }) => model), resourcePolicies: readPolicies(stack) };
  },
};
