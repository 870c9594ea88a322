/** The query and the answer of GET …/security, and the answer of GET …/security/events/{id}. Decisions: docs/decisions.md, "Security events". */
import * as z from "zod/mini";
import { instantParameter } from "../../json/instant.ts";
import { count } from "../../json/number-fields.ts";
import { text } from "../../json/text.ts";
import { lowerCase, upperCase, word } from "../../json/word.ts";
import { isAtLeast, riskLevels } from "../../terms/risk-levels.ts";
import { SuspiciousActivity } from "../alerts/finding.ts";
import type { Selection } from "../event-item.ts";
import { categories, type EventType, eventTypes, SecurityEvent, sources } from "../security-event.ts";
import type { SecurityEventStore } from "../security-event-store.ts";
import type { Counters } from "../statistics/counters.ts";

/** Decisions: the maximum length of identifiers. */
const FILTER_MAX_CHARACTERS = 128;

const trueOrFalse = (description: string) =>
  z
    .pipe(
      z.enum(["true", "false"], { error: "expected true or false" }),
      z.transform((value: "true" | "false") => value === "true"),
    )
    .register(z.globalRegistry, { description, override: { type: "string", enum: ["true", "false"] } });

/** The component of the OpenAPI document that lists the event types. */
export const EVENT_TYPE = "EventType";

const allTypes = Object.keys(eventTypes) as EventType[];

export const SecurityQuery = z.object({
  eventType: z.optional(word(allTypes, upperCase, "Only events of this type, in any case.", EVENT_TYPE)),
  category: z.optional(word(categories, lowerCase, "Only events of this category, in any case.")),
  riskLevel: z.optional(word(riskLevels, upperCase, "Only events of this risk level, in any case.")),
  since: z.optional(instantParameter("Only events from this time on; 24 hours ago by default.")),
  until: z.optional(instantParameter("Only events before this time.")),
  userId: z.optional(text(1, FILTER_MAX_CHARACTERS, "Only events of this user.")),
  processed: z.optional(trueOrFalse("Only events that are marked as processed (true), or only the others (false).")),
  success: z.optional(trueOrFalse("Only events of operations that succeeded (true), or only the others (false).")),
  source: z.optional(word(sources, lowerCase, "Only events of this source, in any case.")),
  ipAddress: z.optional(text(1, FILTER_MAX_CHARACTERS, "Only events of this address, as events have it.")),
});

export const SecurityStatistics = z
  .object({
    totalEvents: count("Events of the selection."),
    highRiskEvents: count("Events of the selection whose risk level is HIGH or CRITICAL."),
    failureRate: z.number().register(z.globalRegistry, {
      description: "The share of events without success, from 0 to 1; 0 if the selection is empty.",
      override: { type: "number", minimum: 0, maximum: 1 },
    }),
    avgResponseTime: z.number().register(z.globalRegistry, {
      description: "The mean `metadata.durationMs` in ms of the events that have one; 0 if no event has.",
      override: { type: "number", minimum: 0 },
    }),
  })
  .register(z.globalRegistry, {
    id: "SecurityStatistics",
    description: "Counts of a whole selection of security events, not only of the page.",
  });
export type SecurityStatistics = z.output<typeof SecurityStatistics>;

/** The statistics of counted events. */
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

export const SecurityReport = z
  .object({
    events: z.array(SecurityEvent),
    highRiskEvents: z.array(SecurityEvent),
    stats: SecurityStatistics,
    suspiciousActivity: z.array(SuspiciousActivity),
    nextCursor: z.optional(
      z.string().register(z.globalRegistry, {
        description: "The `cursor` of the next page, as in the header `x-next-cursor`; absent on the last page.",
      }),
    ),
  })
  .register(z.globalRegistry, {
    id: "SecurityReport",
    description:
      "A page of events, newest first; the newest HIGH and CRITICAL events of the same selection; its statistics; and all unresolved findings, whatever the selection. The second and the last list end where they fill a quarter of a response; their newest entries come first.",
  });

/** An event with the id of its alert. It is here because every recorder loads security-event.ts. */
export const SecurityEventWithAlert = z
  .extend(SecurityEvent, {
    alertId: z.optional(
      z.string().register(z.globalRegistry, {
        description: "The unresolved alert that the event raised; absent if there is none, or it was resolved.",
      }),
    ),
  })
  .register(z.globalRegistry, {
    id: "SecurityEventWithAlert",
    description: "A security event, and the id of its alert.",
  });

/** Decisions: without `since`, the last 24 hours. */
const DEFAULT_PERIOD_MS = 24 * 60 * 60_000;

export type SecurityReportDependencies = {
  events: Pick<SecurityEventStore, "list" | "listHighRisk">;
  statistics: { count(selection: Selection, now: number): Promise<Counters> };
  findings: { listOpen(organizationId: string, now: number): Promise<SuspiciousActivity[]> };
};

type ReportRequest = {
  organizationId: string;
  query: z.output<typeof SecurityQuery>;
  page: { limit: number; after: { id: string } | undefined };
};

/**
 * The report on an organization's events. Its four parts are read in parallel.
 * @throws DomainError `store_unavailable`, or `invalid_field` if the selection is too large to be counted.
 */
export const readSecurityReport = async (
  { events, statistics, findings }: SecurityReportDependencies,
  { organizationId, query, page: { limit, after } }: ReportRequest,
  now: number,
): Promise<z.output<typeof SecurityReport> & { next: { id: string } | undefined }> => {
  const { since = now - DEFAULT_PERIOD_MS, ...filters } = query;
  const selection = { organizationId, since, ...filters };
  // The store refuses a query whose period ends before it begins.
  const isEmpty = filters.until !== undefined && filters.until <= since;
  const [page, highRiskEvents, counters, suspiciousActivity] = await Promise.all([
    isEmpty ? { events: [], next: undefined } : events.list(selection, { limit, after: after?.id, now }),
    isEmpty ? [] : events.listHighRisk(selection, { limit, now }),
    isEmpty ? [] : statistics.count(selection, now),
    findings.listOpen(organizationId, now),
  ]);
  return {
    events: page.events,
    highRiskEvents,
    stats: statisticsOf(counters),
    suspiciousActivity,
    next: page.next === undefined ? undefined : { id: page.next },
  };
};
