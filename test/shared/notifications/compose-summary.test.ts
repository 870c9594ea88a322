import { describe, expect, it } from "@jest/globals";
import { composeSummary } from "../../../shared/notifications/compose-summary.ts";
import { Notification } from "../../../shared/notifications/messages/notification.ts";
import type { HeldItem } from "../../../shared/notifications/notification-items.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const consoleUrl = "https://api.example/console";
const bundle = { createdAt: NOON, notBefore: NOON + 600_000, bundle: { reason: "storm", from: NOON } } as const;

const held = (id: string, at: number, changes: Partial<HeldItem["entry"]> = {}): HeldItem => {
  const entry: HeldItem["entry"] = {
    id,
    title: `alert ${id}`,
    level: "HIGH",
    rule: "manual",
    subject: "s",
    count: 1,
    firstSeen: at,
    lastSeen: at,
    status: "open",
    change: "raised",
    url: `${consoleUrl}/alerts/${id}`,
    ...changes,
  };
  return { change: entry.change, at, entry };
};
const summarise = (items: HeldItem[]) => composeSummary({ organizationId: "acme", bundle, consoleUrl }, items);

describe("a summary", () => {
  it("counts all notifications, and shows the newest state of each alert", async () => {
    const items = [
      held("a", NOON + 1),
      held("a", NOON + 3, { level: "CRITICAL", change: "escalated", count: 2 }),
      held("b", NOON + 2),
    ];
    const summary = await summarise(items.reverse());
    expect(Notification.parse(summary)).toEqual(summary);
    expect(summary).toMatchObject({
      type: "security.alerts.summary",
      organizationId: "acme",
      timestamp: NOON + 600_000,
      data: {
        reason: "storm",
        from: NOON,
        to: NOON + 600_000,
        url: `${consoleUrl}/alerts`,
        total: 3,
        byLevel: { HIGH: 2, CRITICAL: 1 },
        byChange: { raised: 2, escalated: 1 },
        leftOut: {},
        alerts: [
          { id: "a", level: "CRITICAL", change: "escalated", url: `${consoleUrl}/alerts/a` },
          { id: "b", level: "HIGH", change: "raised" },
        ],
      },
    });
  });

  it("shows the newest 20 alerts of many, in whatever order they are read", async () => {
    const items = Array.from({ length: 1_000 }, (_, i) => held(`${(i * 617) % 1_000}`, NOON + ((i * 617) % 1_000)));
    const { data } = await summarise(items);
    expect(data.total).toBe(1_000);
    expect(data.alerts.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, i) => `${999 - i}`));
    expect(data.leftOut).toEqual({ HIGH: 980 });
  });

  it("lists an old CRITICAL alert before newer ones of lower levels, and counts those left out by level", async () => {
    const flood = Array.from({ length: 300 }, (_, i) => held(`${i}`, NOON + 2 + i, { level: i % 2 ? "LOW" : "HIGH" }));
    const critical = [held("a", NOON), held("a", NOON + 1, { level: "CRITICAL", change: "escalated" })];
    const { data } = await summarise([...critical, ...flood]);
    expect(data.alerts.map(({ id, level }) => `${level} ${id}`)).toEqual([
      "CRITICAL a",
      ...Array.from({ length: 19 }, (_, i) => `HIGH ${298 - 2 * i}`),
    ]);
    expect(data.leftOut).toEqual({ HIGH: 131, LOW: 150 });
  });
});
