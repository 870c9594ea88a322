import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { parseNotification } from "../../../shared/notifications/messages/notification.ts";
import { createMuteWorld } from "../../support/mutes.ts";
import {
  changeOf,
  createNotificationWorld,
  destinationAt,
  NOON,
  type NotificationWorld,
  startNotificationTable,
} from "../../support/notifications.ts";

const MINUTE = 60_000;
const escalate = { levels: ["HIGH" as const, "CRITICAL" as const], afterMinutes: 15, to: "manager" };

let table: Awaited<ReturnType<typeof startNotificationTable>>;
let world: NotificationWorld;
let organizations = 0;

beforeAll(async () => {
  table = await startNotificationTable();
});
afterAll(() => table.stop());
beforeEach(async () => {
  world = createNotificationWorld(table.translated(), { organizationId: `acme ${++organizations}` });
  await world.addDestination(destinationAt("team", { escalate }));
  // Takes nothing by itself.
  await world.addDestination(destinationAt("manager", { filter: { changes: [] } }));
});

const { id: alertId } = changeOf("a").alert;

const raise = async (changes: Parameters<typeof changeOf>[1] = {}) => {
  const event = changeOf("a", { organizationId: world.organizationId, at: world.time.now, ...changes });
  world.storedAlerts.set(alertId, event.alert);
  await world.newDispatcher()(event);
};

/** Takes the messages that wait for an acknowledgement. */
const takeWaiting = () => {
  const waiting = world.messages.filter(({ body }) => body.escalates !== undefined);
  for (const one of waiting) world.messages.splice(world.messages.indexOf(one), 1);
  return waiting;
};

const escalation = (to = "manager") => ({
  version: 1 as const,
  organizationId: world.organizationId,
  alertId,
  from: "team",
  to,
});

const sentTo = async (destinationId: string) => {
  takeWaiting();
  await world.sendDue();
  const deliveries = [...world.sent.values()].map(({ delivery }) => delivery);
  return deliveries.filter((one) => one.destinationId === destinationId);
};

describe("a destination with an escalation", () => {
  it("leaves a message that waits for an alert of the levels to be acknowledged", async () => {
    await raise();
    expect(takeWaiting()).toEqual([
      {
        body: {
          organizationId: world.organizationId,
          destinationId: "team",
          deliveryId: expect.any(String),
          escalates: { alertId, to: "manager", dueAt: NOON + 15 * MINUTE },
        },
        delaySeconds: 900,
        group: world.organizationId,
        sentAt: NOON,
      },
    ]);
  });

  it("leaves none for an alert of another level, until its level rises", async () => {
    await raise({ level: "MEDIUM" });
    expect(takeWaiting()).toEqual([]);
    await raise({ change: "repeated", level: "HIGH", raisedLevel: "MEDIUM", escalatedAt: NOON, revision: 2 });
    expect(takeWaiting()).toHaveLength(1);
  });

  it("leaves one again if the event is delivered again, because its message may be lost", async () => {
    await raise();
    takeWaiting();
    await raise();
    expect(takeWaiting()).toHaveLength(1);
  });
});

describe("an escalation that is due", () => {
  it("sends an open alert to the other destination once, past its filter", async () => {
    await raise();
    world.time.now += 15 * MINUTE;
    for (let i = 0; i < 2; i++) await world.newDispatcher()(escalation());
    const [delivery, ...others] = await sentTo("manager");
    expect(others).toEqual([]);
    expect(delivery).toMatchObject({ type: "security.alert.escalated", alertId });
    expect(parseNotification(delivery?.notification ?? "")).toMatchObject({
      data: { alert: { id: alertId, status: "open" }, unacknowledgedMinutes: 15 },
    });
  });

  it.each([
    ["acknowledged", () => raise({ change: "acknowledged", status: "acknowledged", revision: 2 })],
    ["resolved", () => raise({ change: "resolved", status: "resolved", revision: 2 })],
    ["muted", async () => void (await createMuteWorld(world, table.translated()).mute())],
    ["erased", async () => void world.storedAlerts.set(alertId, undefined)],
  ])("sends nothing of an alert that is %s by then", async (_, decide) => {
    await raise();
    await decide();
    await world.newDispatcher()(escalation());
    expect(await sentTo("manager")).toEqual([]);
  });

  it.each([
    ["the destination names no escalation any more", destinationAt("team")],
    ["it names another destination", destinationAt("team", { escalate: { ...escalate, to: "other" } })],
    ["the other destination is paused", destinationAt("manager", { status: "paused" })],
  ])("sends nothing if %s", async (_, changed) => {
    await raise();
    await world.addDestination(changed);
    await world.newDispatcher()(escalation());
    expect(await sentTo("manager")).toEqual([]);
  });

  it("sends the end of the alert there, too", async () => {
    await raise();
    await world.newDispatcher()(escalation());
    await raise({ change: "resolved", status: "resolved", revision: 2 });
    expect((await sentTo("manager")).map(({ type }) => type)).toEqual([
      "security.alert.escalated",
      "security.alert.resolved",
    ]);
  });

  it("goes through the other destination's quiet hours and digests", async () => {
    await world.addDestination(destinationAt("manager", { digest: { every: "hour", at: "08:00", timeZone: "UTC" } }));
    await raise();
    await world.newDispatcher()(escalation());
    world.time.now += 60 * MINUTE;
    expect((await sentTo("manager")).map(({ type }) => type)).toEqual(["security.alerts.summary"]);
  });
});
