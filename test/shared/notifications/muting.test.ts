/** What mutes withhold, and what is sent when they end. docs/rules.md, "Mutes". */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { sweepExpired } from "../../../infra/local/dynamodb/ttl-sweep.ts";
import { parseNotification } from "../../../shared/notifications/messages/notification.ts";
import { tableModel } from "../../support/embedded-dynamodb.ts";
import { createMuteWorld } from "../../support/mutes.ts";
import {
  changeOf,
  createNotificationWorld,
  destinationAt,
  NOON,
  type NotificationWorld,
  startNotificationTable,
} from "../../support/notifications.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { tableDefinition } from "../../support/service-tables.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

quietLog();

let table: Awaited<ReturnType<typeof startNotificationTable>>;
let world: NotificationWorld;
let muting: ReturnType<typeof createMuteWorld>;
let organizations = 0;

beforeAll(async () => {
  table = await startNotificationTable();
});
beforeEach(() => {
  world = createNotificationWorld(table.translated(), { organizationId: `acme ${++organizations}` });
  muting = createMuteWorld(world, table.translated());
});
afterAll(() => table.stop());

const dispatch = async (n: string, changes: Parameters<typeof changeOf>[1] = {}) => {
  const event = changeOf(n, { organizationId: world.organizationId, at: world.time.now, ...changes });
  world.storedAlerts.set(event.alert.id, event.alert);
  await world.newDispatcher()(event);
};

const risen = (level: "HIGH" | "CRITICAL", raisedLevel: "MEDIUM" | "HIGH" = "HIGH") =>
  ({ change: "repeated", level, raisedLevel, escalatedAt: world.time.now }) as const;
const ended = { change: "resolved", status: "resolved", revision: 9 } as const;

/** What was sent to each destination: single notifications as change and level, summaries as reason and alerts. */
const sent = async () => {
  await world.sendDue();
  return [...world.sent.values()].map(({ delivery, held }) => {
    if (delivery.notification === undefined) {
      const inIt = held.map(({ change, entry }) => `${change} ${entry.subject}`).sort();
      return `${delivery.destinationId}: ${delivery.bundle?.reason} ${inIt.join(", ")}`;
    }
    const { type, data } = parseNotification(delivery.notification);
    if (!("alert" in data)) throw new Error("A single delivery is not about an alert.");
    return `${delivery.destinationId}: ${type.replace("security.alert.", "")} ${data.alert.subject} ${data.alert.level}`;
  });
};

const endAndWork = async (mute: Parameters<typeof muting.end>[0]) => {
  await muting.end(mute);
  await muting.work();
};

/** Time goes on, and what has expired is deleted. */
const passUntil = async (time: number) => {
  world.time.now = time;
  await sweepExpired(table.endpoint, [tableModel(tableDefinition("notifications"))], time);
};

/** The worker of mutes claims what it sends, and the queue does not take the message. */
const crashBeforeSending = async () => {
  world.faults.queue = () => "refused";
  await expect(muting.work()).rejects.toThrow("Working on 1 mutes failed.");
  world.faults.queue = () => undefined;
};

describe("a mute", () => {
  it("withholds a raised alert, counts it, and sends it once when it ends", async () => {
    await world.addDestination(destinationAt("one"));
    await world.addDestination(destinationAt("critical", { filter: { levels: ["CRITICAL"] } }));
    const mute = await muting.mute();
    for (let i = 0; i < 2; i++) await dispatch("a");
    expect(await sent()).toEqual([]);
    expect(await muting.read(mute)).toMatchObject({ hiddenAlerts: 1, hiddenNotifications: 1, hiddenHIGH: 1 });
    world.time.now += HOUR;
    await muting.work();
    await muting.work();
    await dispatch("a");
    expect(await sent()).toEqual(["one: raised a HIGH"]);
    expect(await muting.read(mute)).toMatchObject({ endedAt: mute.until });
    expect([...muting.events.values()]).toMatchObject([{ eventType: "ALERT_MUTE_ENDED", source: "system" }]);
    expect(await muting.mutes.live(world.organizationId)).toEqual([]);
  });

  it("counts alerts without destinations, and a rise into its levels", async () => {
    const mute = await muting.mute({ levels: ["HIGH"] });
    await dispatch("a", { level: "MEDIUM" });
    expect(await muting.read(mute)).toMatchObject({ hiddenAlerts: 0 });
    world.time.now += MINUTE;
    await dispatch("a", { ...risen("HIGH", "MEDIUM"), revision: 2 });
    expect(await muting.read(mute)).toMatchObject({ hiddenAlerts: 1, hiddenNotifications: 0, hiddenHIGH: 1 });
  });

  it("counts a raising and a rise of one alert, at the higher level", async () => {
    await world.addDestination(destinationAt("one"));
    const mute = await muting.mute();
    await dispatch("a", { level: "MEDIUM" });
    await dispatch("a", { ...risen("HIGH", "MEDIUM"), revision: 2 });
    expect(await muting.read(mute)).toMatchObject({
      hiddenAlerts: 1,
      hiddenNotifications: 2,
      hiddenHIGH: 1,
      hiddenMEDIUM: 0,
    });
    await endAndWork(mute);
    expect(await sent()).toEqual(["one: raised a HIGH"]);
  });

  it("sends a withheld rise as such where the raising was sent", async () => {
    await world.addDestination(destinationAt("one"));
    await dispatch("a", { level: "MEDIUM" });
    world.time.now += MINUTE;
    const mute = await muting.mute();
    await dispatch("a", { ...risen("HIGH", "MEDIUM"), revision: 2 });
    await endAndWork(mute);
    expect(await sent()).toEqual(["one: raised a MEDIUM", "one: escalated a HIGH"]);
  });

  it("lets a rise to CRITICAL through as such, and sends nothing again at its end", async () => {
    await world.addDestination(destinationAt("one"));
    const mute = await muting.mute();
    await dispatch("a");
    await dispatch("a", { ...risen("CRITICAL"), revision: 2 });
    expect(await sent()).toEqual(["one: escalated a CRITICAL"]);
    await endAndWork(mute);
    expect(await sent()).toEqual(["one: escalated a CRITICAL"]);
  });

  it("withholds a rise to CRITICAL if it includes CRITICAL", async () => {
    await world.addDestination(destinationAt("one"));
    const mute = await muting.mute({ includeCritical: true });
    await dispatch("a", { level: "CRITICAL" });
    expect(await sent()).toEqual([]);
    await endAndWork(mute);
    expect(await sent()).toEqual(["one: raised a CRITICAL"]);
  });

  it("sends neither an alert that was resolved meanwhile, nor its end, in any order of the events", async () => {
    await world.addDestination(destinationAt("one"));
    const mute = await muting.mute();
    await dispatch("a");
    await dispatch("a", ended);
    // The end overtakes the raising.
    await dispatch("b", ended);
    await endAndWork(mute);
    await world.newDispatcher()(changeOf("b", { organizationId: world.organizationId, at: world.time.now }));
    expect(await sent()).toEqual([]);
  });

  it("sends no end of an alert that was resolved while it was hidden, even if the event of the end is late", async () => {
    await world.addDestination(destinationAt("one"));
    const mute = await muting.mute();
    await dispatch("a");
    const resolved = changeOf("a", { organizationId: world.organizationId, at: world.time.now, ...ended });
    world.storedAlerts.set(resolved.alert.id, resolved.alert);
    await endAndWork(mute);
    await world.newDispatcher()(resolved);
    expect(await sent()).toEqual([]);
  });

  it("sends no end of an alert that it has hidden for 90 days, nor of one that another mute hid before", async () => {
    await world.addDestination(destinationAt("one"));
    const first = await muting.mute({ until: NOON + 90 * DAY });
    await dispatch("a");
    world.time.now = NOON + 80 * DAY;
    const second = await muting.mute({ until: NOON + 170 * DAY });
    await dispatch("b");
    await passUntil(first.until);
    await muting.work();
    expect(await muting.read(second)).toMatchObject({ hiddenAlerts: 2, hiddenNotifications: 2 });
    await passUntil(second.until);
    await dispatch("a", ended);
    await dispatch("b", ended);
    await muting.work();
    expect(await sent()).toEqual([]);
  });

  it("sends at its end what is new for the destination, after 90 days too", async () => {
    await world.addDestination(destinationAt("one"));
    await dispatch("a", { level: "MEDIUM" });
    const mute = await muting.mute({ until: NOON + 90 * DAY });
    await dispatch("a", { ...risen("HIGH", "MEDIUM"), revision: 2 });
    await dispatch("b");
    await dispatch("b", { ...risen("CRITICAL"), revision: 2 });
    const before = ["one: raised a MEDIUM", "one: escalated b CRITICAL"];
    expect(await sent()).toEqual(before);
    await passUntil(mute.until);
    await muting.work();
    expect(await sent()).toEqual([...before, "one: escalated a HIGH"]);
  });

  it("sends the end of an alert where its raising went", async () => {
    await world.addDestination(destinationAt("one"));
    await dispatch("a");
    world.time.now += MINUTE;
    await muting.mute();
    await dispatch("a", ended);
    expect(await sent()).toEqual(["one: raised a HIGH", "one: resolved a HIGH"]);
  });

  it("sends nothing to a destination that was made after the raising", async () => {
    const mute = await muting.mute();
    await dispatch("a");
    await world.addDestination(destinationAt("new", { createdAt: NOON + 1 }));
    world.time.now += MINUTE;
    await endAndWork(mute);
    expect(await sent()).toEqual([]);
  });

  it("leaves alone what was raised before it, and what was held before it", async () => {
    await world.addDestination(destinationAt("one"));
    await world.addDestination(destinationAt("hourly", { digest: { every: "hour", at: "08:00", timeZone: "UTC" } }));
    await dispatch("a");
    world.time.now += 1_000;
    const mute = await muting.mute();
    const late = changeOf("b", { organizationId: world.organizationId, at: NOON });
    world.storedAlerts.set(late.alert.id, late.alert);
    await world.newDispatcher()(late);
    world.time.now = NOON + HOUR;
    expect((await sent()).sort()).toEqual([
      "hourly: digest raised a, raised b",
      "one: raised a HIGH",
      "one: raised b HIGH",
    ]);
    expect(await muting.read(mute)).toMatchObject({ hiddenAlerts: 0 });
  });

  it("hands an alert over to another mute that acts on it, whose end sends it", async () => {
    await world.addDestination(destinationAt("one"));
    const first = await muting.mute();
    await dispatch("a");
    world.time.now += MINUTE;
    const second = await muting.mute({ levels: ["HIGH"], rules: undefined });
    await endAndWork(first);
    expect(await sent()).toEqual([]);
    expect(await muting.read(second)).toMatchObject({ hiddenAlerts: 1, hiddenNotifications: 1 });
    await endAndWork(second);
    expect(await sent()).toEqual(["one: raised a HIGH"]);
  });

  it("sends what it had claimed before a crash, even if another mute acts on the alert by then", async () => {
    await world.addDestination(destinationAt("one"));
    const first = await muting.mute();
    await dispatch("a");
    await muting.end(first);
    await crashBeforeSending();
    const second = await muting.mute({ from: NOON - HOUR });
    await muting.work();
    expect(await sent()).toEqual(["one: raised a HIGH"]);
    await endAndWork(second);
    expect(await sent()).toEqual(["one: raised a HIGH"]);
  });

  it("sends what it had claimed before a crash, even if the alert is resolved by then", async () => {
    await world.addDestination(destinationAt("one"));
    const mute = await muting.mute();
    await dispatch("a");
    await muting.end(mute);
    await crashBeforeSending();
    await dispatch("a", ended);
    await muting.work();
    expect((await sent()).sort()).toEqual(["one: raised a HIGH", "one: resolved a HIGH"]);
  });

  it("sends what it had claimed before a crash, even if the alert waits in a summary at a lower level", async () => {
    const quietHours = { from: "11:00", to: "13:30", timeZone: "UTC", exceptCritical: true };
    await world.addDestination(destinationAt("quiet", { quietHours }));
    await dispatch("a");
    world.time.now += MINUTE;
    const mute = await muting.mute({ includeCritical: true });
    await dispatch("a", { ...risen("CRITICAL"), revision: 2 });
    await muting.end(mute);
    await crashBeforeSending();
    await muting.work();
    expect(await sent()).toEqual(["quiet: escalated a CRITICAL"]);
  });

  it("sends no end if the raising is withheld while the end is dispatched", async () => {
    await world.addDestination(destinationAt("one"));
    const mute = await muting.mute();
    const raised = changeOf("a", { organizationId: world.organizationId });
    // The alert has risen out of the mute's levels, and its end overtakes the raising.
    const resolved = changeOf("a", { organizationId: world.organizationId, ...risen("CRITICAL"), ...ended });
    const { notices } = world;
    const dispatchEnd = world.newDispatcher({
      ...notices,
      async deliver(...args) {
        await world.newDispatcher()(raised);
        return notices.deliver(...args);
      },
    });
    await dispatchEnd(resolved);
    expect(await sent()).toEqual([]);
    expect(await muting.read(mute)).toMatchObject({ hiddenNotifications: 1 });
  });

  it("withholds nothing if the end is sent while the raising is dispatched", async () => {
    await world.addDestination(destinationAt("one"));
    const mute = await muting.mute();
    const resolved = changeOf("a", { organizationId: world.organizationId, ...risen("CRITICAL"), ...ended });
    const { notices } = world;
    let isFirst = true;
    const dispatchRaising = world.newDispatcher({
      ...notices,
      async read(...args) {
        const notice = await notices.read(...args);
        if (isFirst) await world.newDispatcher()(resolved);
        isFirst = false;
        return notice;
      },
    });
    await dispatchRaising(changeOf("a", { organizationId: world.organizationId }));
    expect(await sent()).toEqual(["one: resolved a CRITICAL"]);
    expect(await muting.read(mute)).toMatchObject({ hiddenNotifications: 0 });
  });

  it("sends the end of an alert where its escalation went", async () => {
    await world.addDestination(destinationAt("one", { escalate: { levels: ["HIGH"], afterMinutes: 5, to: "two" } }));
    await world.addDestination(destinationAt("two", { filter: { levels: ["CRITICAL"] } }));
    await dispatch("a");
    const { id: alertId } = changeOf("a").alert;
    const { organizationId } = world;
    await world.newDispatcher()({ version: 1, organizationId, alertId, from: "one", to: "two" });
    const isWatch = ({ body }: (typeof world.messages)[number]) => body.escalates !== undefined;
    world.messages.splice(world.messages.findIndex(isWatch), 1);
    world.time.now += MINUTE;
    await muting.mute({ from: NOON - HOUR });
    await dispatch("a", ended);
    expect((await sent()).sort()).toEqual([
      "one: raised a HIGH",
      "one: resolved a HIGH",
      "two: escalated a HIGH",
      "two: resolved a HIGH",
    ]);
  });

  it("sends at the end of each weekly span, and stays", async () => {
    await world.addDestination(destinationAt("one"));
    const weekly = { days: ["saturday" as const], from: "11:00", to: "12:30", timeZone: "UTC" };
    const mute = await muting.mute({ weekly, until: NOON + 8 * DAY });
    await dispatch("a");
    world.time.now = NOON + 30 * MINUTE;
    await muting.work();
    expect(await sent()).toEqual(["one: raised a HIGH"]);
    expect(await muting.read(mute)).not.toHaveProperty("endedAt");
    expect(muting.events.size).toBe(0);
    world.time.now = NOON + 7 * DAY;
    expect(await muting.mutes.live(world.organizationId)).toHaveLength(1);
  });

  it("sends more than five alerts as one summary, which takes no place in a storm window", async () => {
    await world.addDestination(destinationAt("one"));
    await world.addDestination(destinationAt("some", { filter: { levels: ["CRITICAL", "MEDIUM"] } }));
    const mute = await muting.mute();
    for (const n of ["a", "b", "c"]) await dispatch(n);
    for (const n of ["d", "e", "f"]) await dispatch(n, { level: "MEDIUM" });
    await endAndWork(mute);
    await muting.work();
    expect((await sent()).sort()).toEqual([
      "one: mute_ended raised a, raised b, raised c, raised d, raised e, raised f",
      "some: raised d MEDIUM",
      "some: raised e MEDIUM",
      "some: raised f MEDIUM",
    ]);
    await expect(world.windowOf("one")).rejects.toThrow();
  });

  it("sends one summary if an event comes again while the summary is filled", async () => {
    await world.addDestination(destinationAt("one"));
    const mute = await muting.mute();
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    for (const n of names) await dispatch(n);
    await muting.end(mute);
    const { notices } = world;
    await muting.work({
      ...notices,
      async hold(claim, ...rest) {
        const result = await notices.hold(claim, ...rest);
        const again = names.find((n) => changeOf(n).alert.id === claim.alert.id) ?? "";
        await world.newDispatcher()(changeOf(again, { organizationId: world.organizationId }));
        await world.sendDue();
        return result;
      },
    });
    expect(await sent()).toEqual([`one: mute_ended ${names.map((n) => `raised ${n}`).join(", ")}`]);
  });

  it("sends a summary of the time from the beginning of its span to the end of it", async () => {
    await world.addDestination(destinationAt("one"));
    const weekly = { days: ["saturday" as const], from: "11:00", to: "12:30", timeZone: "UTC" };
    await muting.mute({ weekly, from: NOON - DAY, until: NOON + 8 * DAY });
    for (const n of ["a", "b", "c", "d", "e", "f"]) await dispatch(n);
    // The worker comes later than the end.
    world.time.now = NOON + 33 * MINUTE;
    await muting.work();
    await world.sendDue();
    expect([...world.sent.values()]).toMatchObject([
      { delivery: { bundle: { from: NOON - HOUR }, notBefore: NOON + 30 * MINUTE } },
    ]);
  });

  it("leaves what it sends to digests and quiet hours", async () => {
    await world.addDestination(destinationAt("hourly", { digest: { every: "hour", at: "08:00", timeZone: "UTC" } }));
    const mute = await muting.mute();
    for (const n of ["a", "b", "c", "d", "e", "f"]) await dispatch(n);
    await endAndWork(mute);
    expect(await sent()).toEqual([]);
    world.time.now = NOON + HOUR;
    expect(await sent()).toEqual(["hourly: digest raised a, raised b, raised c, raised d, raised e, raised f"]);
  });

  it("is told of to every active destination, past filters, digests, quiet hours and mutes", async () => {
    await world.addDestination(destinationAt("filtered", { filter: { levels: ["CRITICAL"], changes: [] } }));
    await world.addDestination(destinationAt("hourly", { digest: { every: "hour", at: "08:00", timeZone: "UTC" } }));
    await world.addDestination(destinationAt("paused", { status: "paused" }));
    await muting.mute({ rules: undefined, levels: ["LOW", "MEDIUM", "HIGH"] });
    for (let i = 0; i < 2; i++) await dispatch("m", { rule: "alerts_muted", level: "MEDIUM" });
    expect((await sent()).sort()).toEqual(["filtered: raised m MEDIUM", "hourly: raised m MEDIUM"]);
  });
});
