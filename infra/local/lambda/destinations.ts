import { randomUUID } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { AsynchronousInvocationModel, StackModel } from "../core/model.ts";
import type { EventBuses } from "../events/event-buses.ts";
import type { Denial } from "../gateway/gateway.ts";
import type { Authorizer } from "../iam/authorizer.ts";
import type { Queues } from "../queues/queues.ts";
import { busNameOf } from "../stack/event-buses.ts";
import type { HandOver, SettledInvocation } from "./invoke-asynchronously.ts";

/** The function's retries, age and destinations: what its configurations say together. */
export const asynchronousInvocationOf = (
  model: Pick<StackModel, "asynchronousInvocations">,
  functionArn: string,
): AsynchronousInvocationModel =>
  Object.assign(
    { functionArn },
    ...model.asynchronousInvocations.filter((configured) => configured.functionArn === functionArn),
  );

/** The record that a destination gets. Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html */
const recordOf = (settled: SettledInvocation, requestId: string, nowMs: number): Record<string, unknown> => {
  const { functionArn, payload, attempts, condition, result } = settled;
  return {
    version: "1.0",
    timestamp: new Date(nowMs).toISOString(),
    requestContext: {
      requestId,
      functionArn: `${functionArn}:$LATEST`,
      condition,
      approximateInvokeCount: attempts,
    },
    requestPayload: JSON.parse(payload),
    responseContext: {
      statusCode: 200,
      executedVersion: "$LATEST",
      ...(!result.ok && { functionError: "Unhandled" }),
    },
    responsePayload: result.ok ? JSON.parse(result.payload) : result.error,
  };
};

/** Sends records to queues, buses and functions, and bare events to dead-letter queues, under the function's own role. */
export const createHandOver = (options: {
  model: StackModel;
  authorizer: Authorizer;
  queues: Queues;
  buses: Pick<EventBuses, "publish">;
  /** Invokes a destination that is a function, without waiting. */
  invoke: (functionArn: string, payload: string) => void;
  clock: Pick<Clock, "now">;
  onDenied: (denial: Denial) => void;
  log: (line: string) => void;
}): HandOver => {
  const { model, authorizer, queues, buses, invoke, clock, onDenied, log } = options;

  const isAllowed = (functionArn: string, action: string, resource: string, context = {}): boolean => {
    const { allowed, reason } = authorizer.judge({
      principal: { kind: "function", functionArn },
      action,
      resource,
      context,
    });
    const logicalId = model.functions.find(({ arn }) => arn === functionArn)?.logicalId ?? functionArn;
    if (!allowed) onDenied({ logicalId, action, resource, reason });
    return allowed;
  };

  const enqueue = (functionArn: string, arn: string, body: string, attributes = {}): boolean => {
    if (!isAllowed(functionArn, "sqs:SendMessage", arn)) return false;
    const queue = queues.find(arn);
    if (queue === undefined || Buffer.byteLength(body) > queue.model.maximumMessageBytes) return false;
    queue.send({ body, attributes, sender: functionArn });
    return true;
  };

  const toDestination = (arn: string, settled: SettledInvocation, requestId: string): boolean => {
    const { functionArn, result } = settled;
    const record = recordOf(settled, requestId, clock.now());
    if (arn.startsWith("arn:aws:sqs:")) return enqueue(functionArn, arn, JSON.stringify(record));
    if (arn.startsWith("arn:aws:lambda:")) {
      if (!isAllowed(functionArn, "lambda:InvokeFunction", arn)) return false;
      invoke(arn, JSON.stringify(record));
      return true;
    }
    const detailType = `Lambda Function Invocation Result - ${result.ok ? "Success" : "Failure"}`;
    const context = { "events:source": ["lambda"], "events:detail-type": [detailType] };
    if (!isAllowed(functionArn, "events:PutEvents", arn, context)) return false;
    const resources = [arn, `${functionArn}:$LATEST`];
    buses.publish(busNameOf(arn), { source: "lambda", detailType, detail: record, resources });
    return true;
  };

  const toDeadLetters = (
    arn: string,
    { functionArn, payload, result }: SettledInvocation,
    requestId: string,
  ): boolean =>
    enqueue(functionArn, arn, payload, {
      RequestID: { DataType: "String", StringValue: requestId },
      ErrorCode: { DataType: "Number", StringValue: "200" },
      ErrorMessage: { DataType: "String", StringValue: result.ok ? "" : result.error.errorMessage.slice(0, 1024) },
    });

  return (settled) => {
    const { onSuccessArn, onFailureArn, deadLetterArn } = asynchronousInvocationOf(model, settled.functionArn);
    const requestId = randomUUID();
    const attempt = (arn: string | undefined, work: (arn: string) => boolean): boolean => {
      let isTaken = false;
      try {
        isTaken = arn !== undefined && work(arn);
      } catch (error) {
        log(`cannot reach ${arn}: ${error instanceof Error ? error.message : String(error)}`);
      }
      if (arn !== undefined && !isTaken)
        log(`LOST what became of an event for ${settled.functionArn}: ${arn} did not take it`);
      return isTaken;
    };
    if (settled.result.ok) {
      attempt(onSuccessArn, (arn) => toDestination(arn, settled, requestId));
      return true;
    }
    const isRecorded = attempt(onFailureArn, (arn) => toDestination(arn, settled, requestId));
    const isKept = attempt(deadLetterArn, (arn) => toDeadLetters(arn, settled, requestId));
    return isRecorded || isKept;
  };
};
