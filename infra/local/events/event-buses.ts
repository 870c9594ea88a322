import { randomUUID } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { StackModel } from "../core/model.ts";
import type { Observe } from "../core/observation.ts";
import type { Deliver } from "./deliver.ts";
import { compileEventPattern } from "./event-pattern.ts";

/** An event as published; `epochMs` is its time, by default the time of publishing. */
export type NewEvent = {
  source: string;
  detailType: string;
  detail: Record<string, unknown>;
  resources?: string[];
  epochMs?: number;
};

/** An event on a bus, as its targets receive it. */
export type BusEvent = {
  version: "0";
  id: string;
  "detail-type": string;
  source: string;
  account: string;
  /** To the second, as in EventBridge. */
  time: string;
  region: string;
  resources: string[];
  detail: Record<string, unknown>;
};

/** `publishedAt` in epoch milliseconds of the local clock; `rules` are the names of those that matched. */
export type PublishedEvent = { bus: string; publishedAt: number; rules: string[]; event: BusEvent };

export type EventBuses = {
  /** Sends the event to the targets of every rule that matches, without waiting for them. @returns the event's id. */
  publish(busName: string, event: NewEvent): string;
  /** Of the last 1,000 events, those published at that time or later (epoch ms), oldest first. */
  publishedSince(epochMs: number): PublishedEvent[];
  list(): { name: string; rules: { name: string; enabled: boolean; targets: string[] }[] }[];
};

/** Published events that are kept in memory; the limit bounds the memory of a local cloud that runs for days. */
const MAX_KEPT = 1_000;

/** The buses of the stack with their rules. A bus that the template does not declare loses its events. */
export const createEventBuses = (options: {
  model: Pick<StackModel, "buses" | "rules" | "accountId" | "region">;
  clock: Pick<Clock, "now">;
  deliver: Deliver;
  log: (line: string) => void;
  observe?: Observe;
}): EventBuses => {
  const { model, clock, deliver, log, observe } = options;
  const rules = model.rules.map((rule) => ({ ...rule, matches: compileEventPattern(rule.pattern) }));
  const published: PublishedEvent[] = [];
  const rulesOf = (bus: string) => rules.filter(({ busName }) => busName === bus);

  return {
    publish(busName, { source, detailType, detail, resources = [], epochMs }) {
      const now = clock.now();
      const event: BusEvent = {
        version: "0",
        id: randomUUID(),
        "detail-type": detailType,
        source,
        account: model.accountId,
        time: `${new Date(epochMs ?? now).toISOString().slice(0, 19)}Z`,
        region: model.region,
        resources,
        detail,
      };
      if (!model.buses.some(({ name }) => name === busName))
        log(`LOST an event: ${detailType} was put on the bus ${busName}, which the template does not declare`);
      const matching = rulesOf(busName).filter((rule) => rule.enabled && rule.matches(event));
      const names = matching.map(({ name }) => name);
      published.push({ bus: busName, publishedAt: now, rules: names, event });
      observe?.({ kind: "event", bus: busName, detailType, rules: names });
      if (published.length > MAX_KEPT) published.shift();
      for (const rule of matching) for (const target of rule.targets) void deliver(rule, target, event);
      return event.id;
    },
    publishedSince: (epochMs) => published.filter(({ publishedAt }) => publishedAt >= epochMs),
    list: () =>
      model.buses.map(({ name }) => ({
        name,
        rules: rulesOf(name).map((rule) => ({
          name: rule.name,
          enabled: rule.enabled,
          targets: rule.targets.map(({ arn }) => arn),
        })),
      })),
  };
};
