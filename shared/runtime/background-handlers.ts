/**
 * The Lambda handlers of schedules, bus events and queues. Each invocation writes one log line. Schedules, the bus and
 * queues deliver at least once, and Lambda repeats a failed run twice: repeated work must do no harm.
 */
import middy, { type MiddlewareObj, type Request } from "@middy/core";
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import * as z from "zod/mini";
import { systemClock } from "./clock.ts";
import { readConfig } from "./config.ts";
import { addLogIds, type LogIds, withLogIds, writeLog } from "./log.ts";

/** The counts and flags that a run logs. */
export type RunSummary = Readonly<Record<string, number | boolean>>;

/** @param run.remainingMs what is left of the function's time. */
export type ScheduledWork = (run: { remainingMs: () => number }) => Promise<RunSummary>;

export type ScheduledHandler = (event: unknown, context: Context) => Promise<RunSummary>;

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined ? own : `${own}\ncaused by ${describe(error.cause)}`;
};

const Ids = z.object({
  organizationId: z.optional(z.string()),
  runId: z.optional(z.string()),
  erasureId: z.optional(z.string()),
  exportId: z.optional(z.string()),
  previewId: z.optional(z.string()),
  drillId: z.optional(z.string()),
  eventId: z.optional(z.string()),
});

/** The ids in a detail, whatever else it contains. */
const idsOf = (detail: unknown): LogIds => Ids.safeParse(detail).data ?? {};

/** Logs a run under its name: the summary, or the causes of the failure. */
const logRun = (name: string): MiddlewareObj<unknown, RunSummary, Error, Context> => {
  let startedAt = 0;
  const durationMs = () => systemClock() - startedAt;
  return {
    before: () => {
      startedAt = systemClock();
    },
    after: ({ response }: Request<unknown, RunSummary, Error, Context>) => {
      writeLog("info", name, { durationMs: durationMs(), ...response });
    },
    onError: ({ error }) => {
      writeLog("error", name, { durationMs: durationMs(), cause: describe(error) });
    },
  };
};

/** The fields of an event by which EventBridge's rules choose it. */
const Origin = z.object({ source: z.optional(z.string()), "detail-type": z.optional(z.string()) });

/**
 * Checks that one of the function's triggers sends such events. No rule of the stack sends another event, so it is logged
 * with an alarm. It is dropped, because a retry would not change it.
 */
const createIsConsumed = () => {
  const { CONSUMED_EVENTS: consumed } = readConfig(["CONSUMED_EVENTS"]);
  return (event: unknown): boolean => {
    const { source = "", "detail-type": type = "" } = Origin.safeParse(event).data ?? {};
    if (consumed.has(`${source}/${type}`)) return true;
    const named = { source: source.slice(0, 100), detailType: type.slice(0, 100) };
    writeLog("error", "An event that no trigger of the function sends was refused", {
      alarm: "event_refused",
      ...named,
    });
    return false;
  };
};

/** A handler all of whose log lines carry Lambda's id of the invocation. */
const withInvocationId =
  <Event, Answer>(handler: (event: Event, context: Context) => Answer) =>
  (event: Event, context: Context): Answer =>
    withLogIds({ requestId: context.awsRequestId }, () => handler(event, context));

/** The handler of a schedule. It logs the errors of its work and throws them on. */
export const createScheduledHandler = (name: string, work: ScheduledWork): ScheduledHandler =>
  withInvocationId(
    middy((_event: unknown, context: Context) => work({ remainingMs: () => context.getRemainingTimeInMillis() })).use(
      logRun(name),
    ),
  );

/** `timeMs`: when the event was sent or the schedule fell due, epoch ms; `remainingMs`: what is left of the function's time. */
export type Delivery = { id: string; timeMs: number; remainingMs: () => number };

export type BusHandler = (event: unknown, context: Context) => Promise<RunSummary>;

/**
 * The handler of a rule of the event bus, or of a schedule, whose detail is empty.
 * @param schema of the detail; any other detail throws. An event that no trigger of the function sends is dropped instead.
 * @throws Error at cold start if the environment lacks CONSUMED_EVENTS.
 */
export const createBusHandler = <Schema extends z.ZodMiniType>(
  name: string,
  schema: Schema,
  work: (detail: z.output<Schema>, delivery: Delivery) => Promise<RunSummary>,
): BusHandler => {
  // What EventBridge puts around the detail. A repeated delivery has the same `id`.
  const Envelope = z.object({ id: z.string(), time: z.string(), detail: z.unknown() });
  const isConsumed = createIsConsumed();
  return withInvocationId(
    middy(async (event: unknown, context: Context): Promise<RunSummary> => {
      if (!isConsumed(event)) return { isRefused: true };
      const { id, time, detail } = Envelope.parse(event);
      addLogIds(idsOf(detail));
      const remainingMs = () => context.getRemainingTimeInMillis();
      return work(schema.parse(detail), { id, timeMs: Date.parse(time), remainingMs });
    }).use(logRun(name)),
  );
};

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** A received message. `receives`: how often the queue has delivered it, this time included. */
export type ReceivedMessage = { id: string; receiptHandle: string; receives: number; remainingMs: () => number };

/**
 * Works on all messages of a batch at once, so a batch takes as long as its slowest message. Only failed and postponed
 * messages are delivered again.
 * @param handleOne answers true for a message that is done, and undefined for one that is postponed.
 */
const handleBatch = (
  name: string,
  handleOne: (body: unknown, record: SQSRecord, context: Context) => Promise<true | undefined>,
): QueueHandler => {
  const tryOne = async (record: SQSRecord, context: Context): Promise<boolean | undefined> => {
    try {
      return await handleOne(JSON.parse(record.body), record, context);
    } catch (error) {
      writeLog("error", name, { cause: error instanceof Error ? error.stack : String(error) });
      return false;
    }
  };

  return withInvocationId(async ({ Records }: SQSEvent, context) => {
    const isDone = await Promise.all(
      Records.map((record) => withLogIds({ messageId: record.messageId }, () => tryOne(record, context))),
    );
    const kept = Records.filter((_record, index) => !isDone[index]).map(({ messageId }) => ({
      itemIdentifier: messageId,
    }));
    writeLog("info", name, { messages: Records.length, failed: isDone.filter((one) => one === false).length });
    return { batchItemFailures: kept };
  });
};

/**
 * The handler of a queue that a rule of the event bus fills.
 * @param name for its log lines.
 * @param work.receives how often the queue has delivered the message, this time included.
 * @param schema of the detail; a message with any other detail fails until it becomes a dead letter, which raises an alarm.
 *   An event that no rule puts into the queue is dropped instead.
 * @throws Error at cold start if the environment lacks CONSUMED_EVENTS.
 */
export const createQueueHandler = <Schema extends z.ZodMiniType>(
  name: string,
  schema: Schema,
  work: (detail: z.output<Schema>, receives: number) => Promise<void>,
): QueueHandler => {
  // What EventBridge puts around the detail of an event that a rule sends to a queue.
  const Envelope = z.object({ detail: z.unknown() });
  const isConsumed = createIsConsumed();
  return handleBatch(name, async (body, { attributes }) => {
    if (!isConsumed(body)) return true;
    const { detail } = Envelope.parse(body);
    addLogIds(idsOf(detail));
    await work(schema.parse(detail), Number(attributes.ApproximateReceiveCount));
    return true;
  });
};

/**
 * The handler of a queue that functions fill (queue.ts).
 * @param name for its log lines.
 * @param schema of the body; a message with any other body fails until it becomes a dead letter, which raises an alarm.
 * @param work returns the seconds after which the message must come again; undefined if the message is done.
 * @param postpone hides a message for that many seconds (`postpone` of queue.ts).
 */
export const createMessageHandler = <Schema extends z.ZodMiniType>(
  name: string,
  schema: Schema,
  work: (body: z.output<Schema>, message: ReceivedMessage) => Promise<number | undefined>,
  postpone: (receiptHandle: string, seconds: number) => Promise<void>,
): QueueHandler =>
  handleBatch(name, async (body, { messageId: id, receiptHandle, attributes }, context) => {
    addLogIds(idsOf(body));
    const receives = Number(attributes.ApproximateReceiveCount);
    const remainingMs = () => context.getRemainingTimeInMillis();
    const seconds = await work(schema.parse(body), { id, receiptHandle, receives, remainingMs });
    if (seconds === undefined) return true;
    await postpone(receiptHandle, seconds);
    return undefined;
  });
