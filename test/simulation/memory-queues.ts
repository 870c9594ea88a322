/**
 * The queues of a simulation. A message comes at least once, in any order, and not before its delay. A received message is
 * hidden until it is done, fails or was postponed. Functions fill a queue by SQS's commands, the bus by `put`.
 */
import { backgroundFunctions, type Trigger } from "../../shared/api/background-functions.ts";
import type { QueueName } from "../../shared/api/queues.ts";
import type { Functions, Outcome } from "./functions.ts";
import type { Scheduler } from "./scheduler.ts";

/** `hiddenUntil`: epoch ms; a receiver has postponed the message. */
type Message = { id: string; body: string; receives: number; hiddenUntil?: number };

type Command = {
  QueueUrl: string;
  Entries?: { Id: string; MessageBody: string; DelaySeconds?: number }[];
  ReceiptHandle?: string;
  VisibilityTimeout?: number;
};

/** Waiting for a summary, and every try to send, count as receives (infra/constructs/notification-queues.ts). */
const MAX_RECEIVES: Readonly<Record<QueueName, number>> = {
  SecurityEventNotRecorded: 5,
  WebhookReceived: 5,
  AlertsToNotify: 100,
  NotificationsToSend: 100,
  MailFeedback: 100,
};

const consumerOf = (queue: QueueName) => {
  for (const [name, { timeoutSeconds, triggers }] of Object.entries(backgroundFunctions))
    for (const trigger of triggers as readonly Trigger[])
      if ("queueOf" in trigger && trigger.queueOf === queue)
        return { name, timeoutSeconds, batchSize: trigger.batchSize };
  throw new Error(`No function receives from ${queue}.`);
};

export const createMemoryQueues = (
  { after, between, now, random }: Scheduler,
  functions: Functions,
  { mayRepeat, track }: { mayRepeat: () => boolean; track: (work: Promise<unknown>) => unknown },
) => {
  const visible = new Map<QueueName, Message[]>();
  /** All messages that are not done, by their receipt handles. */
  const kept = new Map<string, Message>();
  const deadLetters: { queue: QueueName; message: Message }[] = [];
  /** The bodies of all messages that a queue has ever taken. */
  const taken = new Map<QueueName, Set<string>>();
  let made = 0;
  let downUntil = 0;

  const receive = async (queue: QueueName): Promise<void> => {
    const { name, timeoutSeconds, batchSize } = consumerOf(queue);
    const batch = (visible.get(queue) ?? []).splice(0, between(1, batchSize));
    if (batch.length === 0) return;
    const Records = batch.map(({ id, body, receives }) => ({
      messageId: id,
      receiptHandle: id,
      body,
      attributes: { ApproximateReceiveCount: String(receives + 1) },
    }));
    const outcome: Outcome = await functions.invoke(name, { Records }, timeoutSeconds);
    const answer = outcome.status === "answered" ? (outcome.value as { batchItemFailures: object[] }) : undefined;
    const failed = new Set(
      (answer?.batchItemFailures as { itemIdentifier: string }[] | undefined)?.map((one) => one.itemIdentifier),
    );
    for (const message of batch) {
      if (answer !== undefined && !failed.has(message.id)) {
        kept.delete(message.id);
        continue;
      }
      message.receives++;
      if (message.receives >= MAX_RECEIVES[queue]) {
        kept.delete(message.id);
        deadLetters.push({ queue, message });
        continue;
      }
      const { hiddenUntil } = message;
      delete message.hiddenUntil;
      // The visibility time-out of a queue is six times the function's.
      const pause = timeoutSeconds * 1_000 * (outcome.status === "died" ? 6 : 1);
      after(hiddenUntil === undefined ? pause : hiddenUntil - now(), () => show(queue, message));
    }
  };

  const show = (queue: QueueName, message: Message): void => {
    const messages = visible.get(queue) ?? [];
    visible.set(queue, messages);
    messages.splice(Math.floor(random() * (messages.length + 1)), 0, message);
    after(between(1, 3_000), () => void track(receive(queue)));
  };

  /** Puts a message into a queue, which delivers it after a time. */
  const put = (queue: QueueName, body: string, delayMs = 0): void => {
    const message = { id: `message-${++made}`, body, receives: 0 };
    kept.set(message.id, message);
    taken.set(queue, (taken.get(queue) ?? new Set()).add(body));
    after(delayMs, () => show(queue, message));
  };

  const take = ({ QueueUrl, Entries = [] }: Command): { Successful: { Id: string }[] } => {
    const queue = QueueUrl.split("/").at(-1) as QueueName;
    for (const { MessageBody, DelaySeconds = 0 } of Entries)
      for (let copies = mayRepeat() ? 2 : 1; copies > 0; copies--) put(queue, MessageBody, DelaySeconds * 1_000);
    return { Successful: Entries.map(({ Id }) => ({ Id })) };
  };

  return {
    put,
    deadLetters,
    takenBy: (queue: QueueName): string[] => [...(taken.get(queue) ?? [])],

    /** The answer to a command of SQS; undefined for another operation. @throws Error while the queues take nothing. */
    call(operation: string, command: object): object | undefined {
      const input = command as Command;
      if (operation === "SendMessageBatch") {
        if (now() < downUntil) throw Object.assign(new Error("ServiceUnavailable"), { name: "ServiceUnavailable" });
        return take(input);
      }
      if (operation !== "ChangeMessageVisibility") return undefined;
      const { ReceiptHandle = "", VisibilityTimeout = 0 } = input;
      const message = kept.get(ReceiptHandle);
      if (message !== undefined) message.hiddenUntil = now() + VisibilityTimeout * 1_000;
      return {};
    },

    /** The answers of SQS that takes a part of a batch. */
    refusals(operation: string, command: object): (() => object)[] {
      if (operation !== "SendMessageBatch") return [];
      const { Entries = [], ...rest } = command as Command;
      const half = Entries.length >> 1;
      const Failed = Entries.slice(half).map(({ Id }) => ({ Id, Code: "InternalError" }));
      return [() => ({ ...take({ ...rest, Entries: Entries.slice(0, half) }), Failed })];
    },

    /** The queues take no messages of functions for a time. */
    breakFor(ms: number): void {
      downUntil = now() + ms;
    },

    /** Puts dead letters back into their queues, as an operator does. */
    redrive(): void {
      for (const { queue, message } of deadLetters.splice(0)) put(queue, message.body);
    },

    hasVisible: () => [...visible.values()].some((messages) => messages.length > 0),
    isEmpty: () => kept.size === 0,
  };
};
