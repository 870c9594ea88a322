import type { Activity } from "../core/activity.ts";
import type { Clock } from "../core/clock.ts";
import type { EventSourceMappingModel } from "../core/model.ts";
import type { Observe } from "../core/observation.ts";
import { TemplateError } from "../core/template-error.ts";
import type { Authorizer } from "../iam/authorizer.ts";
import type { Functions } from "../lambda/functions.ts";
import { batchEvent, failedIn } from "./lambda-batch.ts";
import type { Queue, Queues, ReceivedMessage } from "./queues.ts";

/** Batches that a function works on at the same time, if its mapping has no bound. Lambda begins with as many. */
const DEFAULT_CONCURRENCY = 5;
/** The actions that a function's role must allow; otherwise Lambda refuses the mapping. */
const ACTIONS = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
/** The limit of a synchronous event is 6 MB; the rest is for what surrounds each message. */
const MAX_BATCH_BYTES = 5 * 1_048_576;
/** Bounds of a timer: the machine may sleep, and a batch that fails must not be retried without a pause. */
const [MIN_WAIT_MS, MAX_WAIT_MS] = [10, 60_000];

export type EventSourceMappings = {
  /** Invokes functions with the visible messages. Counts as activity until the functions have ended. */
  poll(): void;
  /** When the next hidden message is polled, in epoch milliseconds. */
  nextDueAt(): number | undefined;
  /** No function is invoked after this. */
  stop(): void;
};

type Surroundings = {
  queues: Queues;
  functions: Pick<Functions, "invokeIfFree">;
  activity: Pick<Activity, "begin">;
  clock: Pick<Clock, "now">;
  log: (line: string) => void;
  observe?: Observe;
};

/**
 * A message that failed is received again when its visibility time-out has passed on the local cloud's clock. So is a
 * message whose batch was throttled: it has been received, so the receive counts.
 */
const startMapping = (mapping: EventSourceMappingModel, queue: Queue, surroundings: Surroundings) => {
  const { functions, activity, clock, log, observe } = surroundings;
  const { functionArn, queueArn, batchSize, maxConcurrency = DEFAULT_CONCURRENCY } = mapping;
  let running = 0;
  let isPolling = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const work = async (messages: readonly ReceivedMessage[]): Promise<void> => {
    const result = await functions.invokeIfFree(functionArn, JSON.stringify(batchEvent(messages, queueArn)));
    if (!result.ok) return;
    const failed = failedIn(messages, result.payload);
    observe?.({ kind: "batch", queue: queue.model.name, messages: messages.length, failed: failed.length });
    if (failed.length > 0) log(`${failed.length} of ${messages.length} messages of ${queue.model.name} failed`);
    for (const message of messages) if (!failed.includes(message)) queue.delete(message.receipt);
  };

  const pull = (): void => {
    while (!isStopped && running < maxConcurrency) {
      const messages = queue.receive({
        max: batchSize,
        visibilitySeconds: Math.max(queue.model.visibilityTimeoutSeconds, 1),
        maxBytes: MAX_BATCH_BYTES,
      });
      if (messages.length === 0) break;
      running++;
      const end = activity.begin();
      void work(messages)
        .catch((error) => log(`the mapping ${mapping.logicalId}: ${error}`))
        .finally(() => {
          running--;
          pull();
          end();
        });
    }
    clearTimeout(timer);
    const next = isStopped ? undefined : queue.nextVisibleAt();
    if (next !== undefined)
      timer = setTimeout(poll, Math.min(Math.max(next - clock.now(), MIN_WAIT_MS), MAX_WAIT_MS)).unref();
  };

  /** Pulls a moment later, so that messages that are sent together are received together. */
  const poll = (): void => {
    if (isPolling || isStopped) return;
    isPolling = true;
    const end = activity.begin();
    setImmediate(() => {
      isPolling = false;
      try {
        pull();
      } catch (error) {
        log(`the mapping ${mapping.logicalId}: ${error}`);
      }
      end();
    });
  };

  queue.onArrival(poll);
  return {
    poll,
    nextDueAt: queue.nextVisibleAt,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
};

/**
 * Polls the queues that invoke functions. The first `poll` receives what an earlier start left.
 * @throws TemplateError naming a mapping whose function may not receive from its queue: Lambda refuses it too.
 */
export const createEventSourceMappings = (
  mappings: readonly EventSourceMappingModel[],
  authorizer: Authorizer,
  surroundings: Surroundings,
): EventSourceMappings => {
  const started = mappings.flatMap((mapping) => {
    const { logicalId, functionArn, queueArn } = mapping;
    for (const action of ACTIONS) {
      const principal = { kind: "function", functionArn } as const;
      const { allowed, reason } = authorizer.judge({ principal, action, resource: queueArn });
      if (!allowed)
        throw new TemplateError(logicalId, `its function's role may not ${action} on ${queueArn} ${reason}`);
    }
    const queue = surroundings.queues.find(queueArn);
    return queue === undefined ? [] : [startMapping(mapping, queue, surroundings)];
  });
  return {
    poll() {
      for (const { poll } of started) poll();
    },
    nextDueAt() {
      const times = started.map(({ nextDueAt }) => nextDueAt()).filter((time) => time !== undefined);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    stop() {
      for (const { stop } of started) stop();
    },
  };
};
