import { randomUUID } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { RuleModel, StackModel } from "../core/model.ts";
import type { Deliver } from "./deliver.ts";
import { compileEventPattern } from "./event-pattern.ts";
import { type BusEvent, createPublishedEvents, type PublishedEvent } from "./published-events.ts";

/** An event as its publisher gives it; `epochMs` is its time, the bus's own where it is left out. */
export type NewEvent = {
  source: string;
  detailType: string;
  detail: Record<string, unknown>;
  resources?: string[];
  epochMs?: number;
};

export type EventBuses = {
  /** Hands the event to the targets of every rule that matches, without waiting for them. @returns the event's id. */
  publish(busName: string, event: NewEvent): string;
  /** Of the last events of all buses, those published at that time or later (epoch ms), oldest first. */
  publishedSince(epochMs: number): PublishedEvent[];
  list(): { name: string; rules: { name: string; enabled: boolean; targets: string[] }[] }[];
};

/** The buses of the stack with their rules. A bus that the template does not declare takes events and loses them. */
export const createEventBuses = (options: {
  model: Pick<StackModel, "buses" | "rules" | "accountId" | "region">;
  clock: Pick<Clock, "now">;
  deliver: Deliver;
  log: (line: string) => void;
}): EventBuses => {
  const { model, clock, deliver, log } = options;
  const rules = model.rules.map((rule) => ({ ...rule, matches: compileEventPattern(rule.pattern) }));
  const published = createPublishedEvents();
  const rulesOf = (busName: string): (RuleModel & { matches: (event: unknown) => boolean })[] =>
    rules.filter((rule) => rule.busName === busName);

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
      published.add({ bus: busName, publishedAt: now, rules: matching.map(({ name }) => name), event });
      for (const rule of matching) for (const target of rule.targets) void deliver(rule, target, event);
      return event.id;
    },
    publishedSince: published.since,
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
