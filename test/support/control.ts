import type { Service } from "./service.ts";

type Queue = { name: string; depth: { visible: number; inFlight: number } };
type Message = { receiveCount: number };

/** The control server of a running local cloud: docs/local-cloud.md. */
export const controlOf = ({ stack }: Pick<Service, "stack">) => {
  const ask = async <Answer>(path = "/", method: "GET" | "POST" = "GET"): Promise<Answer> => {
    const response = await fetch(`${stack.controlUrl}${path}`, { method });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  const onlyOne = async <Named extends { name: string }>(list: "queues" | "schedules", name: RegExp) => {
    const all = (await ask<Record<typeof list, Named[]>>())[list];
    const [found, ...others] = all.filter((one) => name.test(one.name));
    if (found === undefined || others.length > 0)
      throw new Error(`expected one of ${JSON.stringify(all.map((one) => one.name))} to match ${name}`);
    return found;
  };
  return {
    /** The time that functions see, epoch milliseconds. */
    now: async (): Promise<number> => (await ask<{ now: number }>()).now,
    /** The details of all events on the bus, oldest first. */
    published: async <Detail>(): Promise<Detail[]> =>
      (await ask<{ events: { event: { detail: Detail } }[] }>("/events")).events.map(({ event }) => event.detail),
    queues: async (): Promise<Queue[]> => (await ask<{ queues: Queue[] }>()).queues,
    /** The queue whose name matches, with its messages. @throws Error unless exactly one matches */
    async queue(name: RegExp): Promise<Queue & { messages: Message[] }> {
      const queue = await onlyOne<Queue>("queues", name);
      return { ...(await ask<Queue & { messages: Message[] }>(`/queues/${queue.name}`)), name: queue.name };
    },
    redrive: (queue: string) => ask<{ moved: number }>(`/queues/${queue}/redrive`, "POST"),
    /** Fires the schedule whose name matches. Resolves when everything that it caused has ended. @throws Error as `queue` */
    fire: async (name: RegExp): Promise<void> => {
      await ask(`/schedules/${(await onlyOne("schedules", name)).name}`, "POST");
    },
  };
};
