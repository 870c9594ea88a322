import { randomUUID } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { QueueModel } from "../core/model.ts";
import { type Depth, openMessageTable, type StoredMessage } from "./message-table.ts";

/** The limit of SQS. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const MAX_MESSAGE_BYTES = 1_048_576;

/** A received message; the receipt is valid until the message is received again. */
export type ReceivedMessage = StoredMessage & { receipt: string };

export type Queue = {
  model: QueueModel;
  /**
   * @param message.sender the service or function that sends; `delaySeconds`: how long the message is hidden at first;
   * `group`: the MessageGroupId.
   * @returns the message's id. @throws Error if the body is too large.
   */
  send(message: { body: string; sender: string; delaySeconds?: number; group?: string }): string;
  /**
   * The oldest visible messages, first those of groups of which the fewest are in flight (a fair queue), hidden from now on. Those received too
   * often move to the dead-letter queue instead.
   */
  receive(options: { max: number; visibilitySeconds?: number; maxBytes?: number }): ReceivedMessage[];
  delete(receipt: string): void;
  /**
   * Hides a received message for that time from now on; 0 makes it visible.
   * @returns `visible` if it is visible already, and `unknown` if no message has that receipt; both change nothing.
   */
  changeVisibility(receipt: string, seconds: number): "changed" | "visible" | "unknown";
  depth(): Depth;
  /** The oldest messages, without receiving them. */
  peek(max: number): StoredMessage[];
  /** When the next hidden message becomes visible, in epoch milliseconds. */
  nextVisibleAt(): number | undefined;
  /** Calls the listener whenever there may be something to receive. */
  onArrival(listener: () => void): void;
};

export type Queues = {
  list(): Queue[];
  find(arn: string): Queue | undefined;
  /**
   * Sends the messages of a dead-letter queue back to the queues that they came from.
   * @returns how many moved. A message that was sent to the dead-letter queue itself stays.
   */
  redrive(deadLetters: Queue): number;
  close(): void;
};

/** The queues of the stack; visibility and retention follow the local cloud's clock. */
export const openQueues = (options: {
  queues: readonly QueueModel[];
  dataDirectory: string;
  clock: Pick<Clock, "now">;
  /** Whether queues are fair to groups of messages. SQS promises no order, so nothing may rely on it. By default they are. */
  isFair?: boolean;
}): Queues => {
  const { clock, isFair = true } = options;
  const table = openMessageTable(options.dataDirectory);
  const listeners = new Map<string, Set<() => void>>(options.queues.map(({ name }) => [name, new Set()]));
  const arrived = (name: string) => {
    for (const listener of listeners.get(name) ?? []) listener();
  };

  const open = (model: QueueModel): Queue => {
    const { name, arn, redrive } = model;
    const deadLetters = options.queues.find((one) => one.arn === redrive?.deadLetterArn);
    const expire = () => table.removeSentUntil(name, clock.now() - model.retentionSeconds * 1000);
    const isSpent = ({ receive_count: count }: StoredMessage) =>
      redrive !== undefined && deadLetters !== undefined && count >= redrive.maxReceiveCount;

    return {
      model,
      send({ body, sender, delaySeconds = 0, group }) {
        if (Buffer.byteLength(body) > MAX_MESSAGE_BYTES)
          throw new Error(`the message for ${name} is larger than ${MAX_MESSAGE_BYTES} bytes`);
        const id = randomUUID();
        const now = clock.now();
        table.insert({ id, queue: name, body, sender, visible_at: now + delaySeconds * 1000 }, { nowMs: now, group });
        arrived(name);
        return id;
      },
      receive({ max, visibilitySeconds = model.visibilityTimeoutSeconds, maxBytes = Number.POSITIVE_INFINITY }) {
        const now = clock.now();
        let moved = false;
        const received = table.transaction(() => {
          expire();
          const found: ReceivedMessage[] = [];
          let bytes = 0;
          while (found.length < max) {
            const candidates = (isFair ? table.visibleFairly : table.visible)(name, now, max - found.length);
            const spent = candidates.filter(isSpent);
            for (const { id } of spent) table.moveToDeadLetters(id, deadLetters?.name ?? "", now, arn);
            moved ||= spent.length > 0;
            for (const message of candidates.filter((one) => !isSpent(one))) {
              bytes += Buffer.byteLength(message.body);
              if (found.length > 0 && bytes > maxBytes) return found;
              const receipt = randomUUID();
              const visibleAt = now + visibilitySeconds * 1000;
              table.receive(message.id, receipt, visibleAt, now);
              found.push({
                ...message,
                receipt,
                visible_at: visibleAt,
                receive_count: message.receive_count + 1,
                first_received_at: message.first_received_at ?? now,
              });
            }
            // With a visibility time-out of 0, the next round would find the same messages again.
            if (spent.length === 0) break;
          }
          return found;
        });
        if (moved && deadLetters !== undefined) arrived(deadLetters.name);
        return received;
      },
      delete: (receipt) => table.remove(name, receipt),
      changeVisibility(receipt, seconds) {
        const now = clock.now();
        if (!table.changeVisibility(name, receipt, now + seconds * 1000, now))
          return table.hasReceipt(name, receipt) ? "visible" : "unknown";
        // A mapping that waits for the next visible message must set its timer again.
        arrived(name);
        return "changed";
      },
      depth() {
        expire();
        return table.depth(name, clock.now());
      },
      peek(max) {
        expire();
        return table.all(name, max);
      },
      nextVisibleAt: () => table.nextVisibleAfter(name, clock.now()),
      onArrival: (listener) => void listeners.get(name)?.add(listener),
    };
  };

  const opened = options.queues.map(open);
  return {
    list: () => opened,
    find: (arn) => opened.find(({ model }) => model.arn === arn),
    redrive(deadLetters) {
      const now = clock.now();
      const moved = table.all(deadLetters.model.name, Number.MAX_SAFE_INTEGER).flatMap((message) => {
        const source = opened.find(({ model }) => model.arn === message.dead_letter_source)?.model.name;
        if (source === undefined || message.visible_at > now) return [];
        table.renew(message.id, randomUUID(), source, now);
        return [source];
      });
      for (const source of new Set(moved)) arrived(source);
      return moved.length;
    },
    close: table.close,
  };
};
