import { randomUUID } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { QueueModel } from "../core/model.ts";
import { type MessageAttributes, openMessageTable, type StoredMessage } from "./message-table.ts";

export type NewMessage = {
  body: string;
  attributes?: MessageAttributes;
  /** Seconds; the queue's own delay where it is left out. */
  delaySeconds?: number;
  /** The session's ARN of the function that sends, or the name of a service. */
  sender: string;
};

export type Depth = { visible: number; inFlight: number; delayed: number };

/** One message that was received; the handle is good until the message is received again. */
export type ReceivedMessage = StoredMessage & { receipt: string };

export type Queue = {
  model: QueueModel;
  /** @returns the message's id. @throws Error when the disk refuses. */
  send(message: NewMessage): string;
  /** The oldest visible ones, hidden from now on; what was received too often goes to the dead-letter queue instead. */
  receive(options: { max: number; visibilitySeconds?: number; maxBytes?: number }): ReceivedMessage[];
  /** False where no message has this handle any more. */
  isReceived(receipt: string): boolean;
  delete(receipt: string): void;
  /** Counted from now; 0 shows it again at once. */
  changeVisibility(receipt: string, seconds: number): void;
  purge(): void;
  depth(): Depth;
  /** The oldest messages, received by nobody. */
  peek(max: number): StoredMessage[];
  /** When the next hidden message becomes visible, in epoch milliseconds. */
  nextVisibleAt(): number | undefined;
  /** Called whenever there may be something to receive; answers how not to be called any more. */
  onArrival(listener: () => void): () => void;
};

export type Queues = {
  list(): Queue[];
  find(arn: string): Queue | undefined;
  /**
   * Sends the messages of a dead-letter queue back to the queues that they came from.
   * @returns how many moved; those stay that no queue handed over, such as the dead letters of rules.
   */
  redrive(deadLetters: Queue): number;
  close(): void;
};

/** The queues of the stack; visibility, delay and retention go by the local cloud's clock. */
export const openQueues = (options: {
  queues: readonly QueueModel[];
  dataDirectory: string;
  clock: Pick<Clock, "now">;
}): Queues => {
  const { clock } = options;
  const table = openMessageTable(options.dataDirectory);
  const listeners = new Map<string, Set<() => void>>(options.queues.map(({ name }) => [name, new Set()]));
  const arrived = (name: string) => {
    for (const listener of [...(listeners.get(name) ?? [])]) listener();
  };

  const open = (model: QueueModel): Queue => {
    const { name, arn, redrive } = model;
    const deadLetters = options.queues.find((one) => one.arn === redrive?.deadLetterArn);
    const expire = () => table.removeSentUntil(name, clock.now() - model.retentionSeconds * 1000);
    const isSpent = ({ receive_count: count }: StoredMessage) =>
      redrive !== undefined && deadLetters !== undefined && count >= redrive.maxReceiveCount;

    return {
      model,
      send({ body, attributes = {}, delaySeconds = model.delaySeconds, sender }) {
        const [id, now] = [randomUUID(), clock.now()];
        const visibleAt = now + delaySeconds * 1000;
        table.insert({ id, queue: name, body, attributes, sender, sent_at: now, visible_at: visibleAt });
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
            const candidates = table.visible(name, now, max - found.length);
            const spent = candidates.filter(isSpent);
            for (const { id } of spent) table.moveToDeadLetters(id, deadLetters?.name ?? "", now, arn);
            moved ||= spent.length > 0;
            const wanted = candidates.filter((one) => !isSpent(one));
            for (const message of wanted) {
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
            // With a visibility time-out of 0 the same ones would be found again.
            if (spent.length === 0) break;
          }
          return found;
        });
        if (moved && deadLetters !== undefined) arrived(deadLetters.name);
        return received;
      },
      isReceived: (receipt) => table.find(name, receipt) !== undefined,
      delete: (receipt) => table.remove(name, receipt),
      changeVisibility(receipt, seconds) {
        table.hideUntil(name, receipt, clock.now() + seconds * 1000);
        arrived(name);
      },
      purge: () => table.removeSentUntil(name, Number.MAX_SAFE_INTEGER),
      depth() {
        expire();
        return table.depth(name, clock.now());
      },
      peek(max) {
        expire();
        return table.all(name, max);
      },
      nextVisibleAt: () => table.nextVisibleAfter(name, clock.now()),
      onArrival(listener) {
        listeners.get(name)?.add(listener);
        return () => void listeners.get(name)?.delete(listener);
      },
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
