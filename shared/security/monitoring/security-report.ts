/** The query and the answer of GET …/security, and the answer of GET …/security/events/{id}. Decisions: docs/decisions.md, "Security events". */
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import { instantParameter } from "../../json/instant.ts";
import { text } from "../../json/text.ts";
import { trueOrFalse } from "../../json/true-or-false.ts";
import { lowerCase, upperCase, word } from "../../json/word.ts";
import { riskLevels } from "../../terms/risk-levels.ts";
import { AlertCounts } from "../alerts/alert-counts.ts";
import { SuspiciousActivity } from "../alerts/finding.ts";
import type { Selection } from "../event-item.ts";
import { categories, type EventType, eventTypes, SecurityEvent, sources } from "../security-event.ts";
import type { SecurityEventStore } from "../security-event-store.ts";
import type { CountedIntervals } from "../statistics/counters.ts";
import { intervalNames, intervalsOf, requireIntervals, SecurityStatistics, statisticsOf } from "./statistics.ts";

/** Decisions: the maximum length of identifiers. */
const FILTER_MAX_CHARACTERS = 128;

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
  interval: z.optional(
    z.enum(intervalNames, { error: `expected one of ${intervalNames.join(", ")}` }).register(z.globalRegistry, {
      description:
        "Also counts by UTC hour (a period of at most 168 hours) or day (at most 92 days), in `stats.intervals`.",
      override: { type: "string", enum: [...intervalNames] },
    }),
  ),
  alertCounts: z.optional(trueOrFalse("Whether to count the unresolved alerts too, in `alertCounts`.")),
});

export const SecurityReport = z
  .object({
    events: z.array(SecurityEvent),
    highRiskEvents: z.array(SecurityEvent),
    stats: SecurityStatistics,
    suspiciousActivity: z.array(SuspiciousActivity),
    alertCounts: z.optional(AlertCounts),
    nextCursor: z.optional(
      z.string().register(z.globalRegistry, {
        description: "The `cursor` of the next page, as in the header `x-next-cursor`; absent on the last page.",
      }),
    ),
  })
  .register(z.globalRegistry, {
    id: "SecurityReport",
    description:
      "A page of events, newest first; the newest HIGH and CRITICAL events of the same selection; its statistics; all unresolved findings and, on request, the numbers of unresolved alerts, whatever the selection. The second and the last list end where they fill a quarter of a response; their newest entries come first.",
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
  statistics: { count(selection: Selection, now: number, intervalMs?: number): Promise<CountedIntervals> };
  alerts: { countUnresolved(organizationId: string, now: number): Promise<AlertCounts> };
  findings: { listOpen(organizationId: string, now: number): Promise<SuspiciousActivity[]> };
};

type ReportRequest = {
  organizationId: string;
  query: z.output<typeof SecurityQuery>;
  page: { limit: number; after: { id: string } | undefined };
};

/**
 * The report on an organization's events. Its parts are read in parallel.
 * @throws DomainError `store_unavailable`, or `invalid_field` if the selection is too large to be counted.
 */
export const readSecurityReport = async (
  { events, statistics, alerts, findings }: SecurityReportDependencies,
  { organizationId, query, page: { limit, after } }: ReportRequest,
  now: number,
): Promise<z.output<typeof SecurityReport> & { next: { id: string } | undefined }> => {
  const { since = now - DEFAULT_PERIOD_MS, interval, alertCounts: isCountingAlerts, ...filters } = query;
  const selection = { organizationId, since, ...filters };
  // The store refuses a query whose period ends before it begins.
  const isEmpty = filters.until !== undefined && filters.until <= since;
  const length = interval && requireIntervals(interval, selection, now);
  const [page, highRiskEvents, counted, suspiciousActivity, alertCounts] = await Promise.all([
    isEmpty ? { events: [], next: undefined } : events.list(selection, { limit, after: after?.id, now }),
    isEmpty ? [] : events.listHighRisk(selection, { limit, now }),
    isEmpty ? new Map() : statistics.count(selection, now, length),
    findings.listOpen(organizationId, now),
    isCountingAlerts ? alerts.countUnresolved(organizationId, now) : undefined,
  ]);
  return {
    events: page.events,
    highRiskEvents,
    stats: {
      ...statisticsOf(counted),
      ...(length !== undefined && { intervals: intervalsOf(counted, length, selection, now) }),
    },
    suspiciousActivity,
    ...definedFields({ alertCounts }),
    next: page.next === undefined ? undefined : { id: page.next },
  };
};
