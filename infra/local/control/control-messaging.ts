import type { Activity } from "../core/activity.ts";
import type { EventBuses } from "../events/event-buses.ts";
import { type JsonRoutes, refuse } from "../http/json-server.ts";
import type { StoredMessage } from "../queues/message-table.ts";
import type { Queue, Queues } from "../queues/queues.ts";

/** Messages that one answer shows; `depth` says how many there are. */
const MAX_SHOWN = 1_000;

/** Times in epoch milliseconds. A message that becomes visible later than now is in flight. */
const shown = (message: StoredMessage) => ({
  messageId: message.id,
  body: message.body,
  sender: message.sender,
  sentAt: message.sent_at,
  visibleAt: message.visible_at,
  receiveCount: message.receive_count,
  ...(message.dead_letter_source !== null && { deadLetterSource: message.dead_letter_source }),
});

/**
 * Buses and queues on the control server: `GET /events?since=` shows published events, `GET /queues/{name}` the messages
 * of a queue without receiving them, `POST /queues/{name}/redrive` sends dead letters back to the queue that they came
 * from and answers when everything that this caused has finished.
 */
export const controlMessaging = (options: {
  buses: Pick<EventBuses, "list" | "publishedSince">;
  queues: Queues;
  activity: Pick<Activity, "idle">;
}) => {
  const { buses, queues, activity } = options;
  const find = (name: string): Queue | undefined => queues.list().find(({ model }) => model.name === name);
  const noQueue = (name: string) => {
    const names = queues.list().map(({ model }) => model.name);
    return refuse(404, `there is no queue ${name}; there are: ${names.join(", ") || "none"}`);
  };

  const routes: JsonRoutes = {
    "GET /events": ({ query }) => {
      const since = Number(query.get("since") ?? 0);
      if (!Number.isFinite(since)) return refuse(400, "since: expected epoch milliseconds");
      return { status: 200, body: { events: buses.publishedSince(since) } };
    },
    "GET /queues/{name}": ({ parameters: { name = "" } }) => {
      const queue = find(name);
      if (queue === undefined) return noQueue(name);
      return { status: 200, body: { name, depth: queue.depth(), messages: queue.peek(MAX_SHOWN).map(shown) } };
    },
    "POST /queues/{name}/redrive": async ({ parameters: { name = "" } }) => {
      const queue = find(name);
      if (queue === undefined) return noQueue(name);
      const { arn } = queue.model;
      if (!queues.list().some(({ model }) => model.redrive?.deadLetterArn === arn))
        return refuse(409, `${name} is no queue's dead-letter queue: its messages have nowhere to go back to`);
      const moved = queues.redrive(queue);
      await activity.idle();
      return { status: 200, body: { name, moved } };
    },
  };
  const list = () => ({
    buses: buses.list(),
    queues: queues.list().map(({ model, depth }) => ({ name: model.name, depth: depth() })),
  });
  return { list, routes };
};
