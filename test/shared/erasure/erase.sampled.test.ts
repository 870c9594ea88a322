import { beforeAll, describe, expect, it } from "@jest/globals";
import { userHash } from "../../../shared/detection/detection.ts";
import { eventLeaf } from "../../../shared/evidence/sealed-log.ts";
import { prefixOfOrganization } from "../../../shared/exports/write-file.ts";
import { parseNotification } from "../../../shared/notifications/messages/notification.ts";
import { parseDeliveryItem } from "../../../shared/notifications/notification-items.ts";
import { inParallel } from "../../../shared/runtime/in-parallel.ts";
import { isNoteKey } from "../../../shared/security/alerts/alert-note.ts";
import { fromItem } from "../../../shared/security/event-item.ts";
import { hourName } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { ERASED_TEXT } from "../../../shared/work/location.ts";
import { depth, isDeep } from "../../support/depth.ts";
import { ACCOUNT, personOf, RECORDS, seed, startRunOf } from "./seed.ts";
import { mentionsOf, useWorld, type World } from "./world.ts";

const world = useWorld();

const by = (organizationId: string, userId = "root") => ({
  caller: { organizationId, userId, sessionId: "session of root" },
  origin: { requestId: "r-9", ipAddress: "203.0.113.1", userAgent: "browser of root" },
});

const ofScope = (organizationId: string, stored: Awaited<ReturnType<World["scan"]>>) => {
  const scope = organizationKey(organizationId);
  return Object.fromEntries(
    Object.entries(stored).map(([table, items]) => [
      table,
      items.filter((item) => item.scope === scope || item.id === scope || item.o === organizationId),
    ]),
  ) as typeof stored;
};

/** The fields that statistics count; no erasure changes them. */
const countedOf = (items: readonly Record<string, unknown>[]) =>
  items.map(({ id, eventType, category, riskLevel, success, ms, ttl, timestamp }) => ({
    id,
    eventType,
    category,
    riskLevel,
    success,
    ms,
    ttl,
    timestamp,
  }));

const isNote = ({ key }: Record<string, unknown>): boolean => isNoteKey(String(key));

/** What is left of the notes by, for and about bob. */
const OTHER_NOTES = [
  { change: "assigned", by: "carol" },
  { change: "commented", text: ERASED_TEXT },
  { change: "commented", by: "carol", text: ERASED_TEXT },
];

const eventsBefore = async (organizationId: string) => ofScope(organizationId, await world.scan()).securityEvents;

const isFileOf = (organizationId: string) => (key: string) => key.startsWith(prefixOfOrganization(organizationId));

describe("an organization whose data is all erased", () => {
  let organizationId: string;
  let filesBefore: number;
  let other: string;
  let before: Awaited<ReturnType<World["scan"]>>;
  let after: Awaited<ReturnType<World["scan"]>>;
  let otherBefore: unknown;
  let requestedAt: number;

  beforeAll(async () => {
    organizationId = world.newOrganization();
    other = world.newOrganization();
    await seed(world, organizationId);
    await seed(world, other, 30);
    await startRunOf(world, organizationId, "bob");
    before = ofScope(organizationId, await world.scan());
    otherBefore = ofScope(other, await world.scan());
    filesBefore = world.memory.keys().filter(isFileOf(organizationId)).length;
    requestedAt = world.time.now;
    await world.request({ scope: "all", reason: "we leave" }, by(organizationId));
    await world.deliverAll();
    after = ofScope(organizationId, await world.scan());
  });

  it("has a completed erasure with the numbers of what was removed", async () => {
    const [erasure, ...others] = await world.list(organizationId);
    expect(others).toEqual([]);
    expect(erasure).toMatchObject({ scope: "all", status: "completed", requestedAt, requestedBy: "root" });
    expect(erasure?.dueAt).toBe(requestedAt + 30 * 86_400_000);
    expect(erasure?.reason).toBeUndefined();
    expect(erasure?.removed).toEqual({
      // 10 of each user and 3 others, without one that has nothing personal; 4 requests of exports; then two late ones, two
      // changes of destinations that were not recorded, the disconnect and the request.
      records: RECORDS,
      webhookEvents: 3,
      events: 22 + 4 + 2 + 2 + 1 + 1,
      reports: 2,
      alerts: before.securityAlerts.filter((item) => !isNote(item)).length,
      detections: 4,
      // The settings' change and author, the destinations' changes, the circuit's authors, the run, its page, the state, a read mark; the notes;
      // destinations with what was sent to them, and exports with their files; the reviews of a report.
      other: 1 + 9 + before.securityAlerts.filter(isNote).length + 3 + 4,
    });
  });

  it("waits for the worker of the active run, and takes about a minute", async () => {
    const [erasure] = await world.list(organizationId);
    expect((erasure?.completedAt ?? 0) - requestedAt).toBeGreaterThanOrEqual(45_000);
    expect((erasure?.completedAt ?? 0) - requestedAt).toBeLessThan(120_000);
    expect(
      await world.main.runs.list(organizationId, { limit: 9, after: undefined, now: world.time.now }),
    ).toMatchObject({
      items: [
        { id: "01R", status: "cancelled" },
        { id: "01A", status: "failed" },
      ],
    });
  });

  it("has no records, findings or reports left", () => {
    expect(after.records).toEqual([]);
    expect(after.webhookEvents).toEqual([]);
    expect(after.securityAlerts).toEqual([]);
    expect(after.detection.map(({ key }) => String(key).split("#")[0])).toEqual(["unjudged"]);
    expect(after.reports.map(({ key }) => key)).toEqual(["due#review#2026-11-16", "erased"]);
    expect(after.syncRuns.map(({ key }) => key)).toEqual(["run#01A", "run#01R", "state"]);
    // The numbers of destinations, and of exports that run.
    expect(before.notifications.length).toBeGreaterThan(30);
    expect(after.notifications).toEqual([{ scope: organizationKey(organizationId), key: "destinations", count: 0 }]);
    expect(before.exports).toHaveLength(4 + 1);
    expect(after.exports).toEqual([{ scope: organizationKey(organizationId), key: "running" }]);
    expect(mentionsOf({ ...after, connections: [] }, "cus_")).toEqual([]);
    expect(mentionsOf(after, "@example.com")).toEqual([]);
  });

  it("keeps the counted fields of its events, and nothing personal", () => {
    const ids = new Set(before.securityEvents.map(({ id }) => id));
    expect(countedOf(after.securityEvents.filter(({ id }) => ids.has(id)))).toEqual(countedOf(before.securityEvents));
    for (const text of [
      "bob",
      "carol",
      "root",
      "192.0.2.7",
      "198.51.100.9",
      "203.0.113.1",
      "browser",
      "session",
      ACCOUNT,
    ]) {
      expect(mentionsOf({ ...after, erasures: [], settings: [] }, text)).toEqual([]);
    }
    expect(after.settings).toMatchObject([{ ipAllowlist: ["192.0.2.0/24"], changedBy: "" }]);
  });

  it("is disconnected, and another account may connect at once", async () => {
    expect(await world.main.connections.read(organizationId)).toEqual({ status: "disconnected" });
    expect(Object.keys(after.connections[0] ?? {}).sort()).toEqual(["id", "status", "token"]);
    const owners = await world.main.directory.ownersOf(ACCOUNT);
    expect(owners.filter((owner) => owner.organizationId === organizationId)).toEqual([]);
    await world.main.changes.connect(
      organizationId,
      {
        connectionId: "connection 2",
        method: "api_key",
        accountId: "acct_2",
        connectedAt: 1,
        credentials: new Uint8Array([1]),
        credentialsVersion: "1",
      },
      {
        eventType: "PROVIDER_CONNECTION_ESTABLISHED",
        connectionId: "connection 2",
        accountId: "acct_2",
        method: "api_key",
        at: 1,
        source: "user",
      },
    );
    expect(await world.main.connections.read(organizationId)).toMatchObject({ status: "connected" });
  });

  it("has two events of the erasure, which name its id", () => {
    const [erasure] = after.erasures.filter(({ key }) => String(key).startsWith("erasure#"));
    const id = String(erasure?.key).slice("erasure#".length);
    const recorded = after.securityEvents.filter(({ eventType }) => String(eventType).startsWith("ERASURE"));
    expect(recorded.map(({ eventType, category }) => [eventType, category])).toEqual([
      ["ERASURE_REQUESTED", "compliance"],
      ["ERASURE_COMPLETED", "compliance"],
    ]);
    for (const { metadata } of recorded)
      expect(JSON.parse(String(metadata))).toMatchObject({ erasureId: id, scope: "all" });
  });

  it("has no objects and uploads left in the bucket", () => {
    expect(filesBefore).toBe(2);
    expect(world.memory.keys().filter(isFileOf(organizationId))).toEqual([]);
    expect(world.memory.openUploads().filter(({ key }) => isFileOf(organizationId)(key))).toEqual([]);
  });

  it("leaves another organization unchanged", async () => {
    expect(ofScope(other, await world.scan())).toEqual(otherBefore);
    expect(world.memory.keys().filter(isFileOf(other))).toHaveLength(2);
  });

  it("is completed: another worker finds nothing to do", async () => {
    const [erasure] = await world.list(organizationId);
    await expect(world.deliver({ organizationId, erasureId: erasure?.id ?? "" })).resolves.toMatchObject({
      isTaken: false,
    });
  });
});

describe("an erased user", () => {
  let organizationId: string;
  let other: string;
  let before: Awaited<ReturnType<World["scan"]>>;
  let after: Awaited<ReturnType<World["scan"]>>;
  let otherBefore: unknown;

  beforeAll(async () => {
    organizationId = world.newOrganization();
    other = world.newOrganization();
    await seed(world, organizationId, 40);
    await seed(world, other, 3);
    await startRunOf(world, organizationId, "bob");
    before = ofScope(organizationId, await world.scan());
    otherBefore = ofScope(other, await world.scan());
    world.published.length = 0;
    await world.request({ scope: "user", userId: "bob", reason: "bob asked" }, by(organizationId));
    await world.deliverAll();
    after = ofScope(organizationId, await world.scan());
  });

  it("is not mentioned anywhere, and neither are the user's addresses and browsers", () => {
    for (const text of ["bob", "192.0.2.7", "browser of bob", userHash(organizationKey(organizationId), "bob")]) {
      expect(mentionsOf(before, text).length).toBeGreaterThan(0);
      expect(
        mentionsOf({ ...after, settings: after.settings.map(({ ipAllowlist: _, ...rest }) => rest) }, text),
      ).toEqual([]);
    }
  });

  it("has a completed erasure with the numbers of what was removed", async () => {
    const [erasure] = await world.list(organizationId);
    expect(erasure).toMatchObject({ scope: "user", status: "completed", requestedBy: "root" });
    expect(erasure?.removed).toEqual({
      // Ten of bob's and his export, the count of his failures, two of carol's that mention him, two late ones, and two changes of
      // destinations that were not recorded.
      records: 0,
      webhookEvents: 0,
      events: 11 + 1 + 2 + 2 + 2,
      reports: 1,
      // Two about him, by id and by address; one that he typed; two findings that mention him.
      alerts: 2 + 1 + 2,
      detections: 2,
      // With the destinations' changes; three notes by, for and about him; three destinations by, for and named after him; of three deleted alerts a
      // delivery, two notices and a held notification each, a summary and a test; three silencings of destinations and deliveries to
      // an old address; three exports; the reviews of a report.
      other: 1 + 6 + 1 + 3 + 3 + (3 * 4 + 2) + 3 + 3,
    });
  });

  it("leaves records and the data of others as they were", async () => {
    expect(after.records).toEqual(before.records);
    expect(after.webhookEvents).toEqual(before.webhookEvents);
    const carols = (items: readonly Record<string, unknown>[]) => items.filter(({ userId }) => userId === "carol");
    const untouched = ({ metadata }: Record<string, unknown>) => !String(metadata).includes("bob");
    const emptied = (metadata: unknown) => String(metadata).replace(/"[^"]*bob"/, '""');
    expect(carols(before.securityEvents).filter(untouched).length).toBe(10 + 2);
    expect(carols(after.securityEvents)).toEqual(
      carols(before.securityEvents).map((event) =>
        untouched(event)
          ? event
          : {
              ...event,
              metadata: emptied(event.metadata),
              erasure: expect.any(String),
              hash: expect.any(Uint8Array),
              salt: expect.any(Uint8Array),
            },
      ),
    );
    expect(ofScope(other, await world.scan())).toEqual(otherBefore);
  });

  it("keeps the leaf of each emptied event, and takes its salt away", () => {
    const emptied = after.securityEvents.filter(({ erasure, salt }) => erasure !== undefined && salt !== undefined);
    const stored = new Map(before.securityEvents.map((event) => [event.id, event]));
    const known = emptied.flatMap((event) => {
      const old = stored.get(event.id);
      return old === undefined ? [] : [{ event, old }];
    });
    expect(known.length).toBeGreaterThan(10);
    for (const { event, old } of known) {
      expect(event.hash).toEqual(eventLeaf(fromItem(old), old.salt as Uint8Array));
      expect(event.salt).not.toEqual(old.salt);
    }
  });

  it("has the hours of all emptied events sealed again", () => {
    const emptied = after.securityEvents.filter(({ erasure }) => erasure !== undefined);
    const hours = new Set(emptied.map(({ timestamp }) => `seal#${hourName(Number(timestamp))}`));
    expect(hours.size).toBeGreaterThan(0);
    const marks = after.securityRollups.flatMap(({ period }) => (String(period).startsWith("seal#") ? [period] : []));
    expect(new Set(marks)).toEqual(hours);
  });

  it("keeps the counted fields of the events", () => {
    const ids = new Set(before.securityEvents.map(({ id }) => id));
    expect(countedOf(after.securityEvents.filter(({ id }) => ids.has(id)))).toEqual(countedOf(before.securityEvents));
  });

  it("keeps alerts about others or about no user", async () => {
    const kept = after.securityAlerts.filter((item) => !isNote(item));
    const subjects = kept.map(({ subject, rule }) => (rule === "manual" ? "typed" : subject)).sort();
    expect(subjects).toEqual([
      "AUTHENTICATION_FAILURE address:198.51.100.9",
      "PERMISSION_DENIED user:carol",
      "organization",
      "organization",
      "typed",
    ]);
    const { items } = await world.main.alerts.list(organizationId, {
      status: undefined,
      limit: 50,
      after: undefined,
      now: world.time.now,
    });
    expect(items).toHaveLength(5);
    expect(items.filter(({ subject }) => subject === "organization")).toMatchObject([
      { evidence: { count: 3 } },
      { evidence: { count: 3 } },
    ]);
  });

  it("keeps the notes of these alerts, without its mentions, and deletes those of deleted alerts", async () => {
    const { items } = await world.main.alerts.list(organizationId, {
      limit: 50,
      after: undefined,
      now: world.time.now,
    });
    const histories = await Promise.all(
      items.map(async (alert) => ({ alert, notes: await world.main.notes.list(organizationId, alert.id) })),
    );
    expect(histories.flatMap(({ notes }) => notes)).toHaveLength(after.securityAlerts.filter(isNote).length);
    expect(before.securityAlerts.filter(isNote).length).toBe(after.securityAlerts.filter(isNote).length + 3);
    const seen = { by: "carol", text: "I have seen it" };
    for (const { alert, notes } of histories) {
      const said = notes.map(({ change, note: { id: _, ...rest } }) => ({ change, ...rest }));
      const others = alert.rule === "unusual_api_usage" ? OTHER_NOTES : [];
      expect(said).toEqual([{ change: "commented", ...seen }, ...others]);
      expect(alert).not.toHaveProperty("assignee");
    }
  });

  it("keeps the results of detection about others", () => {
    const window = after.detection.find(({ key }) => String(key).startsWith("window#"));
    expect(JSON.parse(String(window?.findings))).toMatchObject([{ subject: "user:carol" }]);
    expect(JSON.parse(String(window?.carried))).toMatchObject([{ userId: "carol" }]);
    expect(Object.keys(JSON.parse(String(window?.today)).users)).toEqual([
      userHash(organizationKey(organizationId), "carol"),
    ]);
    expect(after.detection.length).toBe(before.detection.length - 1);
  });

  it("has destinations without its address and its name, and deliveries about the alerts that are kept", async () => {
    const destinations = await world.main.destinations.list(organizationId);
    expect(destinations).toMatchObject([
      { type: "webhook", name: "Ops", createdBy: "", changedBy: "carol" },
      { type: "slack", name: ERASED_TEXT, createdBy: "carol", changedBy: "" },
    ]);
    const count = ({ key }: Record<string, unknown>) => key === "destinations";
    expect(after.notifications.find(count)).toMatchObject({ count: 2 });
    const kept = new Set(after.securityAlerts.filter((item) => !isNote(item)).map(({ id }) => id));
    const [webhook, chat] = destinations;
    const keysOf = (prefix: string) =>
      after.notifications.flatMap(({ key }) => (String(key).startsWith(prefix) ? [String(key)] : []));
    const alertsOf = (prefix: string, at: number) => keysOf(prefix).map((key) => key.split("#")[at]);
    expect(new Set(alertsOf(`notice#${webhook?.id}#`, 2))).toEqual(kept);
    expect(new Set(alertsOf(`notice#${chat?.id}#`, 2))).toEqual(kept);
    expect(new Set(alertsOf(`held#${chat?.id}#`, 3))).toEqual(kept);
    const deliveries = after.notifications
      .filter(({ key }) => String(key).startsWith("delivery#"))
      .map(parseDeliveryItem);
    expect(new Set(deliveries.flatMap(({ alertId }) => alertId ?? []))).toEqual(kept);
    const sentOf = (type: string) => deliveries.find((one) => one.type === type);
    const summary = parseNotification(sentOf("security.alerts.summary")?.notification ?? "");
    expect(summary.data).toMatchObject({ total: kept.size + 3, alerts: Array.from(kept, () => expect.anything()) });
    const tries = [{ status: 500 }, { status: 200 }];
    expect(sentOf("notification.test")).toMatchObject({ status: "delivered", attempts: tries });
    expect(sentOf("notification.test")?.requestedBy).toBeUndefined();
    const silencings = after.notifications.filter(({ key }) => String(key).startsWith("silenced#"));
    expect(silencings.map(({ title }) => title).sort()).toEqual(["Ops was moved", ERASED_TEXT].sort());
    expect(JSON.stringify([silencings, deliveries])).not.toContain("bob");
  });

  it("has no export left with data from before, and one that had not begun continues", async () => {
    expect(world.memory.keys().filter(isFileOf(organizationId))).toEqual([]);
    expect(world.memory.openUploads().filter(({ key }) => isFileOf(organizationId)(key))).toEqual([]);
    const page = { limit: 9, after: undefined, now: world.time.now };
    const { items } = await world.main.exportStore.list(organizationId, page);
    expect(items).toMatchObject([
      { status: "requested", requestedBy: "carol" },
      { status: "failed", requestedBy: "carol", error: { code: "erased" }, progress: { items: 0 } },
      { status: "deleted", requestedBy: "carol", files: [{ name: "events.ndjson" }] },
      { status: "deleted", requestedBy: "", filter: { userId: "carol" } },
    ]);
    expect(items[1]?.filter).not.toHaveProperty("userId");
    await world.deliverExport({ organizationId, exportId: items[0]?.id ?? "" });
    const [key, ...others] = world.memory.keys().filter(isFileOf(organizationId));
    expect(others).toEqual([]);
    expect(world.memory.textOf(key ?? "")).toContain("carol");
    expect(world.memory.textOf(key ?? "")).not.toMatch(/bob|192\.0\.2\.7/);
  });

  it("has the reports that mention them deleted and marked to be made again", () => {
    expect(after.reports.map(({ key }) => key)).toEqual([
      "compliance#2026-11-19",
      "content#compliance#2026-11-19",
      "due#compliance#2026-11-18",
      "due#review#2026-11-16",
      "erased",
      "reviews#compliance#2026-11-18",
    ]);
  });

  it("is not named by the reviews of reports, which stay", () => {
    expect(after.reports.at(-1)).toMatchObject({
      reviews: [
        { id: "1", at: 1, note: "Asked carol" },
        { id: "2", by: "carol", at: 2, note: "[erased]" },
      ],
    });
    expect(JSON.stringify(after.reports.at(-1))).not.toContain("bob");
  });

  it("has the run that they requested replaced by one without a requester", async () => {
    const { items } = await world.main.runs.list(organizationId, { limit: 9, after: undefined, now: world.time.now });
    expect(items[0]).toMatchObject({ id: "01R", status: "cancelled" });
    const asked = world.published.filter(({ detailType }) => detailType === "SyncRequested");
    expect(asked).toMatchObject([{ detail: { organizationId, slot: expect.any(Number) } }]);
    // If the request is lost, the hourly search finds the run by its slot.
    const { wantedSlot } = await world.main.runs.readState(organizationId);
    expect(asked).toMatchObject([{ detail: { slot: wantedSlot } }]);
    expect(await world.main.connections.read(organizationId)).toMatchObject({
      status: "connected",
      accountId: ACCOUNT,
    });
  });

  it("may be the requester: the event of the request is emptied, and `requestedBy` stays in the list", async () => {
    const own = world.newOrganization();
    await world.main.recorder.record({
      organizationId: own,
      eventType: "DATA_READ",
      category: "data_access",
      riskLevel: "LOW",
      source: "user",
      ...personOf("bob"),
      success: true,
    });
    await world.request({ scope: "user", userId: "bob" }, by(own, "bob"));
    await world.deliverAll();
    expect(await world.list(own)).toMatchObject([{ status: "completed", requestedBy: "bob", removed: { events: 2 } }]);
    expect(mentionsOf({ ...ofScope(own, await world.scan()), erasures: [] }, "bob")).toEqual([]);
    expect((await eventsBefore(own)).length).toBe(3);
  });
});

if (isDeep)
  describe("a large organization", () => {
    it("is erased over many pages and invocations", async () => {
      const organizationId = world.newOrganization();
      const { main } = world;
      const said = {
        eventType: "DATA_READ",
        category: "data_access",
        riskLevel: "LOW",
        source: "user",
        success: true,
      } as const;
      const hundreds = depth(5, 24);
      for (let i = 0; i < hundreds; i++) {
        world.time.now += 1_000;
        await inParallel(Array.from({ length: 100 }).keys(), 10, async (n) => {
          await main.recorder.record({ ...said, organizationId, ...personOf(n % 4 === 0 ? "bob" : "carol") });
        });
      }
      await world.request({ scope: "user", userId: "bob" }, by(organizationId));
      const [requested] = await world.list(organizationId);
      const erasureId = requested?.id ?? "";
      world.published.length = 0;
      // Each invocation has time for a few steps.
      let invocations = 0;
      for (let isCompleted = false; !isCompleted; invocations++) {
        let left = depth(3, 8);
        ({ isCompleted } = await world.deliver(
          { organizationId, erasureId },
          { remainingMs: () => (left-- > 0 ? 900_000 : 10_000) },
        ));
      }
      expect(invocations).toBeGreaterThan(4);
      expect(world.published.filter(({ detailType }) => detailType === "ErasureRequested")).toHaveLength(
        invocations - 1,
      );
      expect(await world.list(organizationId)).toMatchObject([
        { status: "completed", removed: { events: hundreds * 25 } },
      ]);
      expect(mentionsOf(ofScope(organizationId, await world.scan()), "bob")).toEqual([]);
    });
  });
