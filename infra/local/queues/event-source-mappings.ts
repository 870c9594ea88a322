import type { Activity } from "../core/activity.ts";
import type { Clock } from "../core/clock.ts";
import type { EventSourceMappingModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import type { Authorizer } from "../iam/authorizer.ts";
import type { Functions } from "../lambda/functions.ts";
import { batchEvent, failedIn } from "./lambda-batch.ts";
import type { Queue, Queues, ReceivedMessage } from "./queues.ts";

/** What a function's role must allow, or Lambda does not take the mapping. */
const ACTIONS = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
/** A batch is as large as a synchronous event may be, with room for what surrounds each message. */
const MAX_BATCH_BYTES = 5 * 1_048_576;
/** A timer waits no longer, since the machine may sleep; and no shorter, lest a failing batch be tried without a pause. */
const [MIN_WAIT_MS, MAX_WAIT_MS] = [10, 60_000];

export type EventSourceMappings = {
  /** Hands over what is visible. It counts as activity from now on until the functions have done their work. */
  poll(): void;
  /** When the next message that is hidden now will be polled, in epoch milliseconds. */
  nextDueAt(): number | undefined;
  /** Nothing is handed over any more. */
  stop(): void;
};

type Surroundings = {
  queues: Queues;
  functions: Pick<Functions, "invoke">;
  activity: Pick<Activity, "begin">;
  clock: Pick<Clock, "now">;
  log: (line: string) => void;
};

/** A message that failed comes again when its visibility time-out has passed on the local cloud's clock. */
const startMapping = (mapping: EventSourceMappingModel, queue: Queue, surroundings: Surroundings) => {
  const { functions, activity, clock, log } = surroundings;
  const { functionArn, queueArn, batchSize, concurrency, reportBatchItemFailures } = mapping;
  let running = 0;
  let isPolling = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const work = async (messages: readonly ReceivedMessage[]): Promise<void> => {
    const result = await functions.invoke(functionArn, JSON.stringify(batchEvent(messages, queueArn)));
    if (!result.ok) return;
    const failed = reportBatchItemFailures ? failedIn(messages, result.payload) : [];
    if (failed.length > 0) log(`${failed.length} of ${messages.length} messages of ${queue.model.name} failed`);
    for (const message of messages) if (!failed.includes(message)) queue.delete(message.receipt);
  };

  const pull = (): void => {
    while (!isStopped && running < concurrency) {
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

  /** Not at once: messages that are sent together are received together. */
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
 * Polls the queues that feed functions, beginning with what an earlier start left, at the first `poll`.
 * @throws TemplateError naming a mapping whose function may not receive from its queue: Lambda refuses it, too.
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
