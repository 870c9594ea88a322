/** What `stats` says about a selection of events. Spec: "GET /api/integrations/provider/security". */
import * as z from "zod/mini";
import { isAtLeast } from "../../terms/risk-levels.ts";
import type { Counters } from "./counters.ts";

const count = (description: string) =>
  z.number().register(z.globalRegistry, { description, override: { type: "integer", minimum: 0 } });

export const SecurityStatistics = z
  .object({
    totalEvents: count("Events of the selection."),
    highRiskEvents: count("Those of them whose risk level is HIGH or CRITICAL."),
    failureRate: z.number().register(z.globalRegistry, {
      description: "The share of events without success, from 0 to 1; 0 when there is nothing.",
      override: { type: "number", minimum: 0, maximum: 1 },
    }),
    avgResponseTime: z.number().register(z.globalRegistry, {
      description: "The mean `metadata.durationMs` in ms of the events that have one; 0 when none has.",
      override: { type: "number", minimum: 0 },
    }),
  })
  .register(z.globalRegistry, {
    id: "SecurityStatistics",
    description: "Counts of a whole selection of security events, not only of the page.",
  });
export type SecurityStatistics = z.output<typeof SecurityStatistics>;

/** The statistics of the events that were counted. */
export const statisticsOf = (counters: Counters): SecurityStatistics => {
  const sum = (part: (counter: Counters[number]) => number) =>
    counters.reduce((total, counter) => total + part(counter), 0);
  const totalEvents = sum(({ events }) => events);
  const timed = sum((counter) => counter.timed);
  return {
    totalEvents,
    highRiskEvents: sum(({ riskLevel, events }) => (isAtLeast(riskLevel, "HIGH") ? events : 0)),
    failureRate: totalEvents === 0 ? 0 : sum(({ failures }) => failures) / totalEvents,
    avgResponseTime: timed === 0 ? 0 : sum(({ totalMicroseconds }) => totalMicroseconds) / 1_000 / timed,
  };
};
