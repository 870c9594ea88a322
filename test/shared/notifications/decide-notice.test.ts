import { describe, expect, it } from "@jest/globals";
import { decideNotice } from "../../../shared/notifications/decide-notice.ts";
import type { DestinationFilter } from "../../../shared/notifications/destination-settings.ts";
import type { NoticeItem } from "../../../shared/notifications/notification-items.ts";
import type { Alert, AlertChange } from "../../../shared/security/alerts/alert.ts";
import { alertHash, alertId } from "../../../shared/security/alerts/alert-item.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;

const alertAt = (raisedAt: number, changes: Partial<Alert> = {}): Alert => ({
  id: alertId(alertHash("event", "event_threshold", "s"), raisedAt, new Uint8Array(16)),
  title: "t",
  level: "HIGH",
  rule: "event_threshold",
  subject: "s",
  status: "open",
  count: 1,
  revision: 1,
  firstSeen: raisedAt,
  lastSeen: raisedAt,
  eventIds: [],
  ...changes,
});

type Case = {
  change: AlertChange;
  alert?: Partial<Alert>;
  raisedAt?: number;
  filter?: DestinationFilter;
  notice?: NoticeItem;
};

const decide = ({ change, alert, raisedAt = NOON + MINUTE, filter = {}, notice = {} }: Case) => {
  const due = decideNotice({ change, alert: alertAt(raisedAt, alert) }, { filter, createdAt: NOON }, notice);
  return due && [due.change, due.claim, ...(due.previousLevel === undefined ? [] : [due.previousLevel])].join(" ");
};

const said = { deliveryId: "d", revision: 9 };
const before = NOON - MINUTE;
const risen = { level: "CRITICAL", raisedLevel: "LOW", escalatedAt: NOON + 2 * MINUTE } as const;
const resolved = { status: "resolved" } as const;

describe("a change of an alert", () => {
  it.each<[string, Case, string | undefined]>([
    ["raised", { change: "raised" }, "raised HIGH"],
    [
      "raised before the destination was created, and published since",
      { change: "raised", raisedAt: before },
      "raised HIGH",
    ],
    ["raised, for reports only", { change: "raised", filter: { changes: [] } }, undefined],
    ["risen, for reports only", { change: "repeated", alert: risen, filter: { changes: [] } }, undefined],
    ["resolved, for reports only", { change: "resolved", alert: resolved, filter: { changes: [] } }, undefined],
    ["raised again, at the same level", { change: "repeated", notice: { HIGH: said } }, undefined],
    ["raised again, before a new destination knows it", { change: "repeated", raisedAt: before }, undefined],
    ["raised again, before the event that raised it", { change: "repeated" }, undefined],
    [
      "raised, after it was notified at a higher level",
      { change: "raised", alert: { level: "LOW" }, notice: { HIGH: said } },
      undefined,
    ],
    ["risen", { change: "repeated", alert: risen, notice: { LOW: said } }, "escalated CRITICAL LOW"],
    ["risen twice", { change: "repeated", alert: risen, notice: { LOW: said, HIGH: said } }, "escalated CRITICAL HIGH"],
    ["risen, before the event that raised it", { change: "repeated", alert: risen }, "escalated CRITICAL LOW"],
    [
      "risen before the destination was created",
      { change: "repeated", alert: { ...risen, escalatedAt: before } },
      undefined,
    ],
    ["raised and risen, published as one", { change: "raised", alert: risen }, "raised CRITICAL"],
    [
      "risen, published as acknowledged",
      { change: "acknowledged", alert: risen, notice: { LOW: said } },
      "escalated CRITICAL LOW",
    ],
    ["raised, published as acknowledged", { change: "acknowledged", alert: { status: "acknowledged" } }, "raised HIGH"],
    ["acknowledged", { change: "acknowledged", notice: { HIGH: said } }, undefined],
    ["acknowledged, of a time before the destination", { change: "acknowledged", raisedAt: before }, undefined],
    ["acknowledged, of the time of the destination", { change: "acknowledged", raisedAt: NOON }, "raised HIGH"],
    [
      "risen when the destination was created",
      { change: "repeated", raisedAt: before, alert: { ...risen, escalatedAt: NOON } },
      "escalated CRITICAL LOW",
    ],
    [
      "risen when the destination was created, and resolved",
      { change: "resolved", raisedAt: before, alert: { ...risen, ...resolved, escalatedAt: NOON } },
      "resolved resolved",
    ],
    ["assigned", { change: "assigned" }, undefined],
    ["commented on", { change: "commented", alert: risen }, undefined],
    ["resolved", { change: "resolved", alert: resolved, notice: { HIGH: said } }, "resolved resolved"],
    ["resolved, before anything was notified", { change: "resolved", alert: resolved }, "resolved resolved"],
    [
      "resolved, of a time before the destination",
      { change: "resolved", alert: resolved, raisedAt: before },
      undefined,
    ],
    ["resolved twice", { change: "resolved", alert: resolved, notice: { HIGH: said, resolved: said } }, undefined],
    ["raised, after it was notified as resolved", { change: "raised", notice: { resolved: said } }, undefined],
  ])("is notified once: %s", (_, changed, expected) => {
    expect(decide(changed)).toBe(expected);
  });
});

describe("a filter", () => {
  it.each<[string, Case, string | undefined]>([
    ["takes a level of its list", { change: "raised", filter: { levels: ["HIGH", "CRITICAL"] } }, "raised HIGH"],
    ["takes no other level", { change: "raised", filter: { levels: ["CRITICAL"] } }, undefined],
    [
      "takes an alert that rises into its levels",
      { change: "repeated", alert: risen, filter: { levels: ["CRITICAL"] } },
      "escalated CRITICAL LOW",
    ],
    [
      "of raised alerts takes no alert that rises into its levels",
      { change: "acknowledged", alert: risen, filter: { levels: ["CRITICAL"], changes: ["raised"] } },
      undefined,
    ],
    ["takes a rule of its list", { change: "raised", filter: { rules: ["event_threshold"] } }, "raised HIGH"],
    ["takes no other rule", { change: "raised", filter: { rules: ["manual"] } }, undefined],
    [
      "of raised alerts takes no rise",
      { change: "repeated", alert: risen, notice: { LOW: said }, filter: { changes: ["raised"] } },
      undefined,
    ],
    [
      "of raised alerts takes no end",
      { change: "resolved", alert: resolved, notice: { HIGH: said }, filter: { changes: ["raised"] } },
      undefined,
    ],
    [
      "of raised alerts takes an alert that was resolved before its event came",
      { change: "resolved", alert: resolved, filter: { changes: ["raised"] } },
      "raised HIGH",
    ],
    ["of rises takes no new alert", { change: "raised", filter: { changes: ["escalated"] } }, undefined],
    [
      "of rises takes a rise",
      { change: "repeated", alert: risen, filter: { changes: ["escalated"] } },
      "escalated CRITICAL LOW",
    ],
    [
      "of ends takes the end of an alert that it was not told of",
      { change: "resolved", alert: resolved, filter: { changes: ["resolved"] } },
      "resolved resolved",
    ],
    ["of ends takes nothing else", { change: "raised", filter: { changes: ["resolved"] } }, undefined],
  ])("%s", (_, changed, expected) => {
    expect(decide(changed)).toBe(expected);
  });
});
