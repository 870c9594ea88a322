/** What GET …/security takes. Spec: "GET /api/integrations/provider/security"; decisions: "Security events". */
/** What GET …/security answers. Spec: "GET /api/integrations/provider/security". */
import * as z from "zod/mini";
import { InstantParameter } from "../../json/instant.ts";
import { text } from "../../json/text.ts";
import { isAtLeast, riskLevels } from "../../terms/risk-levels.ts";
import { SuspiciousActivity } from "../alerts/finding.ts";
import type { Selection } from "../event-item.ts";
import { categories, SecurityEvent } from "../security-event.ts";
import type { SecurityEventStore } from "../security-event-store.ts";
import type { Counters } from "../statistics/counters.ts";

/** Decisions: every identifier has at most so many characters. */
const FILTER_MAX_CHARACTERS = 128;

/** One of a list of words, in any case. */
const word = <const Words extends readonly string[]>(words: Words, toCase: (text: string) => string, about: string) => {
  const error = `expected one of ${words.join(", ")}`;
  return z
    .pipe(
      z.pipe(
        z.string({ error }),
        z.transform((value: string) => toCase(value)),
      ),
      z.enum(words, { error }),
    )
    .register(z.globalRegistry, { description: about, override: { type: "string", enum: [...words] } });
};

const upper = (value: string) => value.toUpperCase();
const lower = (value: string) => value.toLowerCase();

const eventType = z.pipe(text(1, FILTER_MAX_CHARACTERS, ""), z.transform(upper)).register(z.globalRegistry, {
  description: "Only events of this type, in any case. A name that no type has matches nothing.",
  override: { type: "string", minLength: 1, maxLength: FILTER_MAX_CHARACTERS },
});

const processed = z
  .pipe(
    z.enum(["true", "false"], { error: "expected true or false" }),
    z.transform((value: "true" | "false") => value === "true"),
  )
  .register(z.globalRegistry, {
    description: "Only events that were marked as processed, or only those that were not.",
    override: { type: "string", enum: ["true", "false"] },
  });

export const SecurityQuery = z.object({
  eventType: z.optional(eventType),
  category: z.optional(word(categories, lower, "Only events of this category, in any case.")),
  riskLevel: z.optional(word(riskLevels, upper, "Only events of this risk level, in any case.")),
  since: z.optional(InstantParameter),
  userId: z.optional(text(1, FILTER_MAX_CHARACTERS, "Only events of this user.")),
  processed: z.optional(processed),
});
export type SecurityQuery = z.output<typeof SecurityQuery>;

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

export const SecurityReport = z
  .object({
    events: z.array(SecurityEvent),
    highRiskEvents: z.array(SecurityEvent),
    stats: SecurityStatistics,
    suspiciousActivity: z.array(SuspiciousActivity),
  })
  .register(z.globalRegistry, {
    id: "SecurityReport",
    description:
      "A page of events, newest first; the newest HIGH and CRITICAL ones of the same selection; its statistics; and the findings that are open, whatever the selection.",
  });
export type SecurityReport = z.output<typeof SecurityReport>;

/** Decisions: without `since`, the last 24 hours. */
const DEFAULT_PERIOD_MS = 24 * 60 * 60_000;

export type SecurityReportParts = {
  events: Pick<SecurityEventStore, "list" | "listHighRisk">;
  statistics: { count(selection: Selection, now: number): Promise<Counters> };
  findings: { listOpen(organizationId: string, now: number): Promise<SuspiciousActivity[]> };
};

type Asked = {
  organizationId: string;
  query: SecurityQuery;
  page: { limit: number; after: { id: string } | undefined };
};

/**
 * Reads the report on what an organization asks for. Its four parts are read side by side.
 * @throws DomainError `store_unavailable`, or `invalid_field` where the selection is too large to be counted.
 */
export const readSecurityReport = async (
  { events, statistics, findings }: SecurityReportParts,
  { organizationId, query, page }: Asked,
  now: number,
): Promise<SecurityReport & { next: { id: string } | undefined }> => {
  const { since = now - DEFAULT_PERIOD_MS, ...filters } = query;
  const selection = { organizationId, since, ...filters };
  const [shown, highRiskEvents, counters, suspiciousActivity] = await Promise.all([
    events.list(selection, { limit: page.limit, after: page.after?.id, now }),
    events.listHighRisk(selection, { limit: page.limit, now }),
    statistics.count(selection, now),
    findings.listOpen(organizationId, now),
  ]);
  return {
    events: shown.events,
    highRiskEvents,
    stats: statisticsOf(counters),
    suspiciousActivity,
    next: shown.next === undefined ? undefined : { id: shown.next },
  };
};
