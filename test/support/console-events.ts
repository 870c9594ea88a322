/** GET …/security with events that do not have to be recorded: the browser's driver answers in the place of the API. */
import type { Page } from "playwright-core";
import type { SecurityEvent } from "../../shared/security/security-event.ts";

const TYPES = ["PROVIDER_REQUEST", "DATA_READ", "PERMISSION_DENIED", "WEBHOOK_RECEIVED"] as const;

/** An event as the API has it. Greater numbers are newer. */
export const sampleEvent = (number: number, at: number, fields: Partial<SecurityEvent> = {}): SecurityEvent => ({
  id: `01${String(number).padStart(24, "0")}`,
  organizationId: "console",
  userId: `user-${number % 5}`,
  eventType: TYPES[number % TYPES.length] ?? "DATA_READ",
  category: "integration",
  riskLevel: number % 4 === 2 ? "HIGH" : "LOW",
  source: "user",
  ipAddress: `203.0.113.${number % 250}`,
  action: "read_invoices",
  success: number % 4 !== 2,
  metadata: { durationMs: number % 1_000, requestId: `request-${number}` },
  processed: false,
  alertGenerated: false,
  timestamp: at,
  createdAt: at,
  ...fields,
});

/** The live tail asks for the greatest page. */
const TAIL_LIMIT = "1000";

const statsOf = (events: readonly SecurityEvent[]) => ({
  totalEvents: events.length,
  highRiskEvents: 0,
  failureRate: 0,
  avgResponseTime: 0,
});

/**
 * Answers the list, newest first. Pages go on with a cursor.
 * @param read the present events, newest first
 * @param pageSize the greatest number of events of an answer
 */
export const answerEvents = async (
  page: Page,
  read: () => readonly SecurityEvent[],
  pageSize = 1_000,
): Promise<void> => {
  await page.route(/\/provider\/security(\?|$)/, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    // The service's clock may be ahead of this one, so only the tail's period counts: it begins near its newest event.
    const begin = query.get("limit") === TAIL_LIMIT ? Date.parse(query.get("since") ?? "") : 0;
    const selected = read().filter(({ timestamp }) => timestamp >= begin);
    const from = Number(query.get("cursor") ?? 0);
    const to = from + pageSize;
    const nextCursor = to < selected.length ? String(to) : undefined;
    await route.fulfill({
      headers: nextCursor === undefined ? {} : { "x-next-cursor": nextCursor },
      json: {
        events: selected.slice(from, to),
        highRiskEvents: [],
        stats: statsOf(selected),
        suspiciousActivity: [],
        ...(nextCursor !== undefined && { nextCursor }),
      },
    });
  });
};
