/** A notification of each type, with texts that are harmless or hostile. */
import type { Notification, NotifiedAlert } from "../../../../shared/notifications/messages/notification.ts";

/** Texts that could become markup, mentions, headers or expressions somewhere. */
export const HOSTILE = [
  "<script>alert(1)</script>",
  "<!channel> <!here> <@U012AB3CD> <https://evil.example|Sign in>",
  "*bold* _italic_ ~gone~ `code` :rotating_light: @channel",
  "[Sign in](https://evil.example) **bold** <at>Everyone</at>",
  "{{DATE(2026-11-22T00:00:00Z)}} $\u007bdata} @{triggerBody()} <%= 1 %>",
  "Subject\r\nBcc: victim@example.com\r\n\r\nbody",
  "a\u202etxt.exe\u2066\u200b\ufeff",
  '"><img src=x onerror=alert(1)>',
  "&lt;already&gt; & escaped",
  "\ud800 lone surrogate \udc00",
  "\u0000\u001b[31mred\u0007",
  "é🛡️".repeat(2_000),
  "&".repeat(5_000),
  "",
];

const at = Date.UTC(2026, 10, 22, 21, 19);
const base = { timestamp: at, organizationId: "acme" };
const url = "https://api.example.com/console/alerts?alert=01ABC&tab=open";

const alertWith = (text: string): NotifiedAlert => ({
  id: "01ABC",
  title: text,
  level: "HIGH",
  rule: "repeated_auth_failures",
  subject: text,
  status: "open",
  count: 3,
  firstSeen: at - 60_000,
  lastSeen: at,
  message: text,
  attack: [
    { tactic: "TA0006", technique: "T1110" },
    { tactic: "TA0006", technique: "T1110.003" },
  ],
  resolvedBy: text,
});

/** One of each type. @param text stands wherever users' texts can stand. */
export const notificationsWith = (text: string): Notification[] => [
  { ...base, type: "security.alert.raised", data: { alert: alertWith(text), url } },
  { ...base, type: "security.alert.escalated", data: { alert: alertWith(text), previousLevel: "MEDIUM", url } },
  { ...base, type: "security.alert.resolved", data: { alert: alertWith(text), url } },
  {
    ...base,
    organizationId: text,
    type: "security.alerts.summary",
    data: {
      reason: "storm",
      from: at - 600_000,
      to: at,
      total: 2_000,
      url,
      byLevel: { CRITICAL: 3, HIGH: 1_997 },
      byChange: { raised: 2_000 },
      leftOut: { CRITICAL: 3, HIGH: 1_977 },
      alerts: Array.from({ length: 20 }, () => ({ ...alertWith(text), change: "raised" as const, url })),
    },
  },
  {
    ...base,
    type: "report.created",
    data: { id: "r1", kind: "review", from: at - 7 * 86_400_000, to: at, url },
  },
  { ...base, type: "notification.test", data: { destination: { id: "01D", name: text } } },
  { ...base, type: "destination.confirmation", data: { destination: { id: "01D", name: text }, expiresAt: at } },
];
