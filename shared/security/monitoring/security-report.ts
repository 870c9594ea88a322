/** What GET …/security answers. Spec: "GET /api/integrations/provider/security". */
import * as z from "zod/mini";
import { SuspiciousActivity } from "../alerts/finding.ts";
import { SecurityEvent } from "../security-event.ts";
import type { SecurityEventStore } from "../security-event-store.ts";
import type { SecurityQuery } from "../security-query.ts";
import type { Selection } from "../selection.ts";
import { SecurityStatistics } from "../statistics/statistics.ts";

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
  statistics: { count(selection: Selection, now: number): Promise<SecurityStatistics> };
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
  const [shown, highRiskEvents, stats, suspiciousActivity] = await Promise.all([
    events.list(selection, { limit: page.limit, after: page.after?.id, now }),
    events.listHighRisk(selection, { limit: page.limit, now }),
    statistics.count(selection, now),
    findings.listOpen(organizationId, now),
  ]);
  return {
    events: shown.events,
    highRiskEvents,
    stats,
    suspiciousActivity,
    next: shown.next === undefined ? undefined : { id: shown.next },
  };
};
