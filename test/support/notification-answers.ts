/** Answers of the endpoints of notifications in every state that the console shows, for tests of its views. */
import type { Page } from "playwright-core";
import type { Destination, NotificationDelivery } from "../../functions/console/app/api/types.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const destination = (id: string, changes: Partial<Destination>, now: number): Destination => ({
  id,
  type: "webhook",
  name: id,
  target: "https://alerts.example.com/hook",
  status: "active",
  filter: {},
  createdAt: now - 30 * DAY,
  createdBy: "ada",
  changedAt: now - 30 * DAY,
  changedBy: "ada",
  ...changes,
});

/** A destination of each type and in each state. @param now epoch ms */
export const destinationsInAllStates = (now: number): Destination[] => [
  destination(
    "active",
    {
      name: "On-call pager",
      lastDeliveredAt: now - 90 * SECOND,
      oldSecretValidUntil: now + 20 * HOUR,
      filter: { levels: ["HIGH", "CRITICAL"], changes: ["raised", "escalated"], rules: ["repeated_auth_failures"] },
      quietHours: { from: "22:00", to: "07:00", timeZone: "Europe/Berlin", exceptCritical: true },
    },
    now,
  ),
  destination(
    "unconfirmed",
    {
      type: "email",
      name: "Security team",
      target: "security@example.com",
      status: "unconfirmed",
      digest: { every: "day", at: "08:00", timeZone: "America/New_York" },
      reports: ["daily", "weekly"],
    },
    now,
  ),
  destination(
    "failing",
    {
      type: "teams",
      name: "Operations in Teams",
      target: "https://prod-12.westeurope.logic.azure.com/…",
      failingSince: now - 3 * HOUR,
      lastDeliveredAt: now - 4 * HOUR,
    },
    now,
  ),
  destination(
    "paused-failing",
    {
      type: "slack",
      name: "#alerts in Slack",
      target: "https://hooks.slack.com/…",
      status: "paused",
      pausedBecause: "failing",
      failingSince: now - 6 * DAY,
      pausedAt: now - 22 * HOUR,
      digest: { every: "hour", at: "08:00", timeZone: "UTC" },
    },
    now,
  ),
  destination(
    "bounced",
    {
      type: "email",
      target: "left@example.com",
      status: "paused",
      pausedBecause: "failing",
      failingBecause: "bounced",
      failingSince: now - DAY,
      pausedAt: now - DAY,
    },
    now,
  ),
  destination("gone", { status: "paused", pausedBecause: "gone", pausedAt: now - DAY }, now),
  destination(
    "unsubscribed",
    {
      type: "email",
      target: "former@example.com",
      status: "paused",
      pausedBecause: "unsubscribed",
      pausedAt: now - 2 * DAY,
    },
    now,
  ),
  destination("by-user", { status: "paused", pausedBecause: "user", pausedAt: now - HOUR }, now),
];

/** Deliveries in each state, newest first. */
export const deliveriesInAllStates = (now: number): NotificationDelivery[] => {
  const answered = (at: number, status: number, answer: string) => ({ at, latencyMs: 84, status, answer });
  const id = (letter: string): string => `01K9ZZZZZZZZZZZZZZZZZZZZZZ.01K9ZZZZZZZZZZZZZZZZZZZZZ${letter}`;
  return [
    {
      id: id("F"),
      type: "notification.test",
      status: "pending",
      createdAt: now - SECOND,
      requestedBy: "ada",
      attempts: [],
    },
    {
      id: id("E"),
      type: "security.alerts.summary",
      status: "pending",
      createdAt: now - HOUR,
      attempts: [],
      notBefore: now + 5 * HOUR,
    },
    {
      id: id("D"),
      type: "security.alert.escalated",
      status: "pending",
      createdAt: now - HOUR,
      notBefore: now + 24 * 60 * SECOND,
      alertId: "01K9ALERT",
      attempts: [
        { at: now - HOUR, latencyMs: 10_000, error: "timed_out" },
        answered(now - HOUR + 5 * SECOND, 503, "<html><body>Service Unavailable</body></html>"),
        answered(now - HOUR + 66 * SECOND, 429, '{"error":"rate_limited","retry_after":1440}'),
      ],
    },
    {
      id: id("C"),
      type: "security.alert.raised",
      status: "delivered",
      createdAt: now - 2 * HOUR,
      endedAt: now - 2 * HOUR,
      alertId: "01K9ALERT",
      attempts: [answered(now - 2 * HOUR, 200, "ok")],
    },
    {
      id: id("B"),
      type: "security.alert.resolved",
      status: "failed",
      createdAt: now - 2 * DAY,
      endedAt: now - DAY,
      alertId: "01K9ALERT",
      error: "no_tries_left",
      attempts: [{ at: now - DAY, latencyMs: 12, error: "refused_address" }],
    },
    {
      id: id("A"),
      type: "report.created",
      status: "failed",
      createdAt: now - 3 * DAY,
      endedAt: now - 3 * DAY,
      error: "paused",
      attempts: [],
    },
  ];
};

/** Answers the page's requests to these endpoints. @param change makes other answers of them */
export const answerInAllStates = async (page: Page, change: (body: unknown) => unknown = (body) => body) => {
  const now = Date.now();
  await page.route(/\/provider\/notifications$/, (route) =>
    route.fulfill({ json: change(destinationsInAllStates(now)) }),
  );
  await page.route(/\/notifications\/[^/]+\/deliveries/, (route) =>
    route.fulfill({ json: change(deliveriesInAllStates(now)) }),
  );
};
