import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { parseNotification } from "../../../shared/notifications/messages/notification.ts";
import { silencedKey } from "../../../shared/notifications/notification-items.ts";
import type { ReportMade } from "../../../shared/reports/report-made.ts";
import { deepIt } from "../../support/deep-it.ts";
import {
  CONSOLE_URL,
  changeOf,
  createNotificationWorld,
  destinationAt,
  NOON,
  type NotificationWorld,
  startNotificationTable,
} from "../../support/notifications.ts";

const MINUTE = 60_000;

let table: Awaited<ReturnType<typeof startNotificationTable>>;
let world: NotificationWorld;
let organizations = 0;

beforeAll(async () => {
  table = await startNotificationTable();
});
beforeEach(() => {
  world = createNotificationWorld(table.translated(), { organizationId: `acme ${++organizations}` });
});
afterAll(() => table.stop());

const dispatch = (n: string, changes: Parameters<typeof changeOf>[1] = {}) =>
  world.newDispatcher()(changeOf(n, { organizationId: world.organizationId, at: world.time.now, ...changes }));

const sendAll = async () => {
  await world.sendDue();
  return [...world.sent.values()];
};
const typesOf = (sent: Awaited<ReturnType<typeof sendAll>>) => sent.map(({ delivery }) => delivery.type);

describe("a change of an alert", () => {
  it("becomes a delivery with a message for each active destination that takes it", async () => {
    await world.addDestination(destinationAt("all"));
    await world.addDestination(destinationAt("critical", { filter: { levels: ["CRITICAL"] } }));
    await world.addDestination(destinationAt("paused", { status: "paused" }));
    await world.addDestination(destinationAt("new", { type: "email", status: "unconfirmed" }));
    await dispatch("a");
    expect(world.messages).toEqual([
      {
        body: { organizationId: world.organizationId, destinationId: "all", deliveryId: expect.any(String) },
        delaySeconds: 0,
        group: world.organizationId,
        sentAt: NOON,
      },
    ]);
    const [sent] = await sendAll();
    expect(sent?.delivery).toMatchObject({ status: "pending", createdAt: NOON, ttl: NOON / 1_000 + 30 * 86_400 });
    const { alert } = changeOf("a");
    expect(parseNotification(sent?.delivery.notification ?? "")).toEqual({
      type: "security.alert.raised",
      timestamp: NOON,
      organizationId: world.organizationId,
      data: {
        alert: {
          id: alert.id,
          title: "Alert a",
          level: "HIGH",
          rule: "system_errors",
          subject: "a",
          status: "open",
          count: 1,
          firstSeen: NOON,
          lastSeen: NOON,
        },
        url: `${CONSOLE_URL}/alerts/${alert.id}`,
      },
    });
    expect(sent?.delivery.alertId).toBe(alert.id);
  });

  it("of no organization, or of one without destinations, is ignored", async () => {
    await dispatch("a", { organizationId: undefined });
    await dispatch("a");
    expect(world.messages).toEqual([]);
  });

  it("is notified once per level and once at the end, however often it repeats or comes", async () => {
    await world.addDestination(destinationAt("one"));
    await dispatch("a", { level: "LOW" });
    for (const revision of [2, 3, 3]) await dispatch("a", { change: "repeated", level: "LOW", revision });
    const risen = { level: "CRITICAL", raisedLevel: "LOW", escalatedAt: NOON } as const;
    for (const revision of [4, 5, 4]) await dispatch("a", { change: "repeated", revision, ...risen });
    for (const revision of [6, 6]) await dispatch("a", { change: "resolved", status: "resolved", revision, ...risen });
    const sent = await sendAll();
    expect(typesOf(sent)).toEqual(["security.alert.raised", "security.alert.escalated", "security.alert.resolved"]);
    expect(sent.map(({ delivery }) => JSON.parse(delivery.notification ?? "").data.previousLevel)).toEqual([
      undefined,
      "LOW",
      undefined,
    ]);
  });

  it("is sent after the message was lost, when the event is delivered again", async () => {
    await world.addDestination(destinationAt("one"));
    world.faults.queue = () => "refused";
    await expect(dispatch("a")).rejects.toThrow("The queue did not take the message");
    expect(await sendAll()).toEqual([]);
    world.faults.queue = () => undefined;
    await dispatch("a", { change: "repeated", revision: 2 });
    expect(world.messages).toEqual([]);
    await dispatch("a");
    expect(typesOf(await sendAll())).toEqual(["security.alert.raised"]);
  });

  it("is sent after the message was lost, although its alert was erased or its destination paused by then", async () => {
    for (const id of ["one", "two"]) await world.addDestination(destinationAt(id));
    world.faults.queue = () => "refused";
    await expect(dispatch("a")).rejects.toThrow("The queue did not take the message");
    world.faults.queue = () => undefined;
    world.storedAlerts.set(changeOf("a").alert.id, undefined);
    await world.addDestination(destinationAt("two", { status: "paused" }));
    world.time.now += MINUTE;
    await dispatch("a", { at: NOON });
    expect(world.messages.map(({ body }) => body.destinationId).sort()).toEqual(["one", "two"]);
  });

  it("notifies the other destinations if one fails", async () => {
    for (const id of ["one", "two", "three"]) await world.addDestination(destinationAt(id));
    let calls = 0;
    world.faults.queue = () => (++calls === 1 ? "refused" : undefined);
    await expect(dispatch("a")).rejects.toThrow("The queue");
    expect(world.messages).toHaveLength(2);
  });
});

describe("a change of an alert that comes late", () => {
  const { alert } = changeOf("a");
  const late = async (stored: Partial<typeof alert> | undefined) => {
    await world.addDestination(destinationAt("one"));
    world.storedAlerts.set(alert.id, stored && { ...alert, ...stored });
    world.time.now += MINUTE;
    await dispatch("a", { at: NOON, message: "Ask ada", resolvedBy: "ada" });
    return (await sendAll()).map(({ delivery }) => JSON.parse(delivery.notification ?? "").data.alert);
  };

  it("is not notified if the alert was erased concurrently", async () => {
    expect(await late(undefined)).toEqual([]);
  });

  it("shows the alert without the texts that were erased concurrently", async () => {
    const [shown] = await late({ title: "[erased]" });
    expect(shown).toMatchObject({ id: alert.id, title: "[erased]" });
    expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(["message"]));
    expect(JSON.stringify(shown)).not.toContain("ada");
  });

  it("is notified as it is otherwise", async () => {
    const [shown] = await late({ message: "Ask ada", resolvedBy: "ada" });
    expect(shown).toMatchObject({ title: alert.title, message: "Ask ada", resolvedBy: "ada" });
  });
});

describe("quiet hours and digests", () => {
  const night = { from: "12:00", to: "13:30", timeZone: "UTC", exceptCritical: true };

  it("hold notifications for one summary, whose message is sent once", async () => {
    await world.addDestination(destinationAt("one", { quietHours: night }));
    for (const n of ["a", "b", "c"]) await dispatch(n);
    await dispatch("d", { level: "CRITICAL" });
    expect(world.messages.map(({ delaySeconds }) => delaySeconds)).toEqual([5_400, 0]);
    expect(typesOf(await sendAll())).toEqual(["security.alert.raised"]);
    world.time.now = NOON + 90 * MINUTE;
    const [, summary] = await sendAll();
    expect(summary?.delivery).toMatchObject({
      type: "security.alerts.summary",
      createdAt: NOON,
      notBefore: world.time.now,
      status: "pending",
      bundle: { reason: "quiet_hours", from: NOON },
    });
    expect(summary?.held.map(({ entry }) => entry.title).sort()).toEqual(["Alert a", "Alert b", "Alert c"]);
  });

  it("hold each level and the end of an alert apart", async () => {
    await world.addDestination(destinationAt("one", { digest: { every: "hour", at: "08:00", timeZone: "UTC" } }));
    await dispatch("a");
    await dispatch("a", { change: "repeated", level: "CRITICAL", raisedLevel: "HIGH", escalatedAt: NOON, revision: 2 });
    await dispatch("a", { change: "resolved", status: "resolved", level: "CRITICAL", revision: 3 });
    world.time.now = NOON + 60 * MINUTE;
    const [summary] = await sendAll();
    expect(summary?.held.map(({ change }) => change).sort()).toEqual(["escalated", "raised", "resolved"]);
  });

  it("hold for the next summary if one has begun to be sent", async () => {
    await world.addDestination(destinationAt("one", { digest: { every: "hour", at: "08:00", timeZone: "UTC" } }));
    await dispatch("a");
    world.time.now = NOON + 60 * MINUTE;
    await sendAll();
    // The clock of this dispatcher is late.
    world.time.now = NOON + 59 * MINUTE;
    await dispatch("b");
    world.time.now = NOON + 120 * MINUTE;
    const [first, second] = await sendAll();
    expect(first?.held.map(({ entry }) => entry.subject)).toEqual(["a"]);
    expect(second?.held.map(({ entry }) => entry.subject)).toEqual(["b"]);
  });

  it("send the message of a summary again that its first notification did not send", async () => {
    await world.addDestination(destinationAt("one", { quietHours: night }));
    world.faults.queue = () => "refused";
    await expect(dispatch("a")).rejects.toThrow("The queue");
    world.faults.queue = () => undefined;
    await dispatch("a");
    expect(world.messages).toHaveLength(1);
  });

  it("send a summary whose first message was refused, and whose destination was paused until the event came again", async () => {
    await world.addDestination(destinationAt("one", { quietHours: night }));
    world.faults.queue = () => "refused";
    await expect(dispatch("a")).rejects.toThrow("The queue");
    world.faults.queue = () => undefined;
    await world.addDestination(destinationAt("one", { quietHours: night, status: "paused" }));
    await dispatch("a");
    await world.addDestination(destinationAt("one", { quietHours: night }));
    world.time.now = NOON + 90 * MINUTE;
    const [summary] = await sendAll();
    expect(summary?.held.map(({ entry }) => entry.title)).toEqual(["Alert a"]);
  });

  it("send the message of a summary with the next notification if the first one could not, and only then", async () => {
    await world.addDestination(destinationAt("one", { quietHours: night }));
    world.faults.queue = () => "refused";
    await expect(dispatch("a")).rejects.toThrow("The queue");
    world.faults.queue = () => undefined;
    for (const n of ["b", "c"]) await dispatch(n);
    expect(world.messages).toHaveLength(1);
  });
});

describe("a storm", () => {
  const subjects = Array.from({ length: 60 }, (_, i) => `${i}`);

  it("of 60 alerts at once is 20 notifications, and one summary ten minutes later", async () => {
    await world.addDestination(destinationAt("one"));
    const dispatcher = world.newDispatcher();
    const other = world.newDispatcher();
    const { organizationId } = world;
    await Promise.all(subjects.map((n, i) => (i % 2 ? dispatcher : other)(changeOf(n, { organizationId }))));
    expect(typesOf(await sendAll())).toEqual(Array(20).fill("security.alert.raised"));
    world.time.now = NOON + 10 * MINUTE;
    const summaries = (await sendAll()).slice(20);
    expect(summaries).toHaveLength(1);
    expect(summaries[0]?.delivery.bundle).toEqual({ reason: "storm", from: NOON });
    expect(summaries[0]?.held).toHaveLength(40);
    await dispatch("later");
    expect(typesOf(await sendAll()).at(-1)).toBe("security.alert.raised");
  });
});

describe("a storm of one level", () => {
  deepIt("leaves 20 places each to CRITICAL and to HIGH", async () => {
    await world.addDestination(destinationAt("one"));
    const { organizationId } = world;
    const dispatcher = world.newDispatcher();
    const levels = ["LOW", "HIGH", "MEDIUM", "CRITICAL"] as const;
    for (const level of levels)
      await Promise.all(
        Array.from({ length: 21 }, (_, i) => dispatcher(changeOf(`${level} ${i}`, { organizationId, level }))),
      );
    const levelsOf = (await sendAll()).map(({ delivery }) => JSON.parse(delivery.notification ?? "").data.alert.level);
    expect(levelsOf.toSorted()).toEqual([
      ...Array(20).fill("CRITICAL"),
      ...Array(20).fill("HIGH"),
      ...Array(20).fill("LOW"),
    ]);
    world.time.now = NOON + 10 * MINUTE;
    const [summary, ...others] = (await sendAll()).slice(60);
    expect([summary?.held.length, others]).toEqual([24, []]);
    for (let i = 0; i < 20; i++) await dispatch(`next ${i}`, { level: "CRITICAL" });
    expect(typesOf((await sendAll()).slice(61))).toEqual(Array(20).fill("security.alert.raised"));
  });
});

describe("the alert of a destination that gets fewer alerts", () => {
  const former = { target: "https://old.example.com", sealed: new Uint8Array([9]) };
  const common = { title: "One was paused", former, ttl: NOON / 1_000 + 3_600 };
  const silence = (n: string, more: object = {}) => {
    const silencing = { destinationId: "one", eventId: `event ${n}`, ...common, ...more };
    return world.addItem(silencedKey(world.organizationId, silencing), silencing);
  };
  const raised = { rule: "notifications_silenced", subject: "one" } as const;
  const refs = async () =>
    (await sendAll()).map(({ delivery }) => `${delivery.destinationId} ${delivery.deliveryId} ${delivery.type}`).sort();

  beforeEach(async () => {
    await world.addDestination(destinationAt("one", { status: "paused" }));
    await world.addDestination(destinationAt("two", { filter: { changes: [] } }));
    const digest = { every: "day", at: "08:00", timeZone: "UTC" } as const;
    await world.addDestination(destinationAt("three", { filter: { levels: ["LOW"], rules: ["manual"] }, digest }));
    await world.addDestination(destinationAt("other", { status: "paused" }));
  });

  it("goes at once to all other active destinations past their filters, and to the old address", async () => {
    await silence("1");
    await dispatch("a", raised);
    expect(world.messages.map(({ delaySeconds }) => delaySeconds)).toEqual([0, 0, 0]);
    expect(await refs()).toEqual(["one", "three", "two"].map((id) => `${id} event 1 security.alert.raised`));
    const [changed] = [...world.sent.values()].filter(({ delivery }) => delivery.destinationId === "one");
    expect(changed?.delivery.former).toEqual(former);
    expect(JSON.parse(changed?.delivery.notification ?? "").data.alert).toMatchObject({
      ...raised,
      title: common.title,
    });
    expect(await world.stores.silencings(world.organizationId, "one")).toEqual([]);
  });

  it("is sent again for a second change, and once however often an event comes", async () => {
    for (const n of ["1", "2"]) {
      await silence(n);
      for (let i = 0; i < 2; i++)
        await dispatch("a", { ...raised, change: n === "1" ? "raised" : "repeated", revision: Number(n) });
    }
    expect(world.messages).toHaveLength(6);
  });

  it("goes to no one who unsubscribed, and to the old address of an only destination that was deleted", async () => {
    await silence("1", { former: undefined });
    await dispatch("a", raised);
    expect(world.messages.map(({ body }) => body.destinationId).sort()).toEqual(["three", "two"]);
    const alone = { organizationId: `${world.organizationId} alone`, destinationId: "gone", eventId: "event 1" };
    await world.addItem(silencedKey(alone.organizationId, alone), { ...alone, ...common });
    await dispatch("b", { ...raised, subject: "gone", organizationId: alone.organizationId });
    expect(world.messages.at(-1)?.body).toEqual({
      organizationId: alone.organizationId,
      destinationId: "gone",
      deliveryId: "event 1",
    });
  });

  it("is sent again to all if the queue refused a message", async () => {
    await silence("1");
    let calls = 0;
    world.faults.queue = () => (++calls === 2 ? "refused" : undefined);
    await expect(dispatch("a", raised)).rejects.toThrow("The queue");
    world.faults.queue = () => undefined;
    await dispatch("a", raised);
    expect(await refs()).toEqual(["one", "three", "two"].map((id) => `${id} event 1 security.alert.raised`));
  });

  it("is sent again to a destination that was paused since, so that its delivery does not stay pending", async () => {
    await silence("1");
    await dispatch("a", raised);
    // The function died before the messages were sent, and before it forgot the change.
    world.messages.length = 0;
    await silence("1");
    await world.addDestination(destinationAt("two", { status: "paused" }));
    await dispatch("a", raised);
    expect(await refs()).toEqual(["one", "three", "two"].map((id) => `${id} event 1 security.alert.raised`));
  });

  it("takes no place in a storm, and its end goes through the filters", async () => {
    await world.addDestination(destinationAt("all"));
    for (let i = 0; i < 20; i++) await dispatch(`${i}`);
    await silence("1");
    await dispatch("a", raised);
    await dispatch("a", { ...raised, change: "resolved", status: "resolved", revision: 2 });
    const sent = (await sendAll()).filter(({ delivery }) => delivery.deliveryId === "event 1");
    expect(sent.map(({ delivery }) => delivery.destinationId).sort()).toEqual(["all", "one", "three", "two"]);
    world.time.now = NOON + 10 * MINUTE;
    const summaries = (await sendAll()).filter(({ delivery }) => delivery.type === "security.alerts.summary");
    expect(summaries.map(({ delivery, held }) => [delivery.destinationId, held.map(({ change }) => change)])).toEqual([
      ["all", ["resolved"]],
    ]);
  });
});

describe("a new report", () => {
  const made = (changes: Partial<ReportMade> = {}): ReportMade => ({
    version: 1,
    organizationId: world.organizationId,
    id: "compliance-2026-11-20",
    kind: "compliance",
    from: NOON - 36 * 60 * MINUTE,
    to: NOON - 12 * 60 * MINUTE,
    ...changes,
  });
  const email = (id: string, reports?: ("daily" | "weekly")[]) =>
    world.addDestination(destinationAt(id, { type: "email", ...(reports && { reports }) }));

  it("is sent once to each e-mail destination that wants its kind", async () => {
    await email("daily", ["daily"]);
    await email("weekly", ["weekly"]);
    await email("none");
    for (const _ of [1, 2]) await world.newDispatcher()(made());
    const sent = await sendAll();
    expect(sent.map(({ delivery }) => [delivery.destinationId, delivery.type])).toEqual([["daily", "report.created"]]);
    expect(parseNotification(sent[0]?.delivery.notification ?? "")).toMatchObject({
      data: {
        id: "compliance-2026-11-20",
        kind: "compliance",
        from: made().from,
        to: made().to,
        url: `${CONSOLE_URL}/reports?kind=compliance&report=compliance-2026-11-20`,
      },
    });
  });

  it("is sent after the message was lost, although its destination was paused by then", async () => {
    await email("daily", ["daily"]);
    world.faults.queue = () => "refused";
    await expect(world.newDispatcher()(made())).rejects.toThrow("The queue");
    world.faults.queue = () => undefined;
    await world.addDestination(destinationAt("daily", { type: "email", reports: ["daily"], status: "paused" }));
    await world.newDispatcher()(made());
    expect(world.messages.map(({ body }) => body.destinationId)).toEqual(["daily"]);
  });

  it("that is made again a month later is not sent", async () => {
    await email("daily", ["daily"]);
    await world.newDispatcher()(made({ to: NOON - 31 * 24 * 60 * MINUTE }));
    expect(world.messages).toEqual([]);
  });
});
