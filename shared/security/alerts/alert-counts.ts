/** How many alerts of an organization are unresolved, by status and level: for GET …/security. Pure. */
import * as z from "zod/mini";
import { count } from "../../json/number-fields.ts";
import { riskLevels } from "../../terms/risk-levels.ts";
import { Alert } from "./alert.ts";

/** The most alerts to count. There is one per rule and subject, so mostly a few. */
export const MAX_COUNTED_ALERTS = 1_000;

const byLevel = (description: string) =>
  z
    .object({ LOW: count("LOW."), MEDIUM: count("MEDIUM."), HIGH: count("HIGH."), CRITICAL: count("CRITICAL.") })
    .register(z.globalRegistry, { description });

export const AlertCounts = z
  .object({
    open: byLevel("Open alerts, by level."),
    acknowledged: byLevel("Acknowledged alerts, by level."),
    partial: z.boolean().register(z.globalRegistry, {
      description: `Whether there are more than ${MAX_COUNTED_ALERTS} unresolved alerts: the numbers are then of ${MAX_COUNTED_ALERTS} of them.`,
    }),
  })
  .register(z.globalRegistry, { id: "AlertCounts", description: "The numbers of unresolved alerts." });
export type AlertCounts = z.output<typeof AlertCounts>;

/** The attributes of an alert's item that counting needs. `ttl`: epoch seconds. */
const CountedAlert = z.object({
  status: Alert.shape.status,
  level: Alert.shape.level,
  drill: Alert.shape.drill,
  ttl: z.number(),
});

export const COUNTED_ATTRIBUTES = Object.keys(CountedAlert.shape);

/** @param items unresolved alerts, as stored. `now`: epoch ms; alerts that have expired by then, and those of drills, do not count. */
export const countAlerts = (items: readonly unknown[], partial: boolean, now: number): AlertCounts => {
  const none = () => Object.fromEntries(riskLevels.map((level) => [level, 0])) as AlertCounts["open"];
  const counts = { open: none(), acknowledged: none(), resolved: none() };
  for (const item of items) {
    const { status, level, drill, ttl } = CountedAlert.parse(item);
    if (ttl > now / 1_000 && drill !== true) counts[status][level]++;
  }
  return { open: counts.open, acknowledged: counts.acknowledged, partial };
};
