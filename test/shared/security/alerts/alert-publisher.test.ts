import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { BusEvent, EventBus } from "../../../../shared/runtime/event-bus.ts";
import {
  createAlertPublisher,
  SecurityAlertChanged,
  sweepAlertOutbox,
} from "../../../../shared/security/alerts/alert-publisher.ts";
import { createAlertRaiser } from "../../../../shared/security/alerts/alert-raiser.ts";
import type { SecurityEvent } from "../../../../shared/security/security-event.ts";
import { type AlertStores, listAll, NOON, randomId, reasonAt, startAlertTable } from "../../../support/alerts.ts";
import { quietLog } from "../../../support/quiet-log.ts";

quietLog();

const MINUTE = 60_000;

let table: Awaited<ReturnType<typeof startAlertTable>>;
let alerts: AlertStores;
let published: SecurityAlertChanged[];
let isDown: boolean;
let organizations = 0;
const freshOrganization = () => `acme#${++organizations}/é`;

const bus: Pick<EventBus, "publish"> = {
  async publish<Event extends BusEvent>(events: readonly Event[]) {
    if (isDown) return events.map((event) => ({ event, reason: "InternalFailure" }));
    for (const { source, detailType, detail } of events) {
      expect({ source, detailType }).toEqual({ source: "integration-security", detailType: "SecurityAlertChanged" });
      published.push(SecurityAlertChanged.parse(JSON.parse(JSON.stringify(detail))));
    }
    return [];
  },
};

const raiserAt = (at: number) =>
  createAlertRaiser({
    store: alerts,
    publisher: createAlertPublisher({ bus, outbox: alerts.outbox }),
    now: () => at,
    random: () => randomBytes(16),
  });
const sweepAt = (now: number) =>
  sweepAlertOutbox({ ...alerts, publisher: createAlertPublisher({ bus, outbox: alerts.outbox }) }, now, () => 60_000);

const eventAt = (at: number, organizationId: string | undefined): SecurityEvent => ({
  id: randomId(at),
  eventType: "PERMISSION_DENIED",
  category: "authorization",
  riskLevel: "HIGH",
  source: "user",
  userId: "ada",
  success: false,
  processed: false,
  alertGenerated: true,
  ...(organizationId !== undefined && { organizationId }),
  timestamp: at,
  createdAt: at,
  errorMessage: "The role guest may not.",
});

beforeAll(async () => {
  table = await startAlertTable();
  alerts = table.stores();
});
beforeEach(async () => {
  isDown = false;
  published = [];
  // Publishes the entries that earlier tests left in the outbox.
  await sweepAt(NOON + 1_000 * MINUTE);
  published = [];
});
afterAll(() => table.stop());

describe("raising for an event", () => {
  it("publishes the alert, and leaves the outbox empty", async () => {
    const organizationId = freshOrganization();
    const event = eventAt(NOON, organizationId);
    await raiserAt(NOON).raiseForEvent(event);
    const [alert] = await listAll(alerts, organizationId);
    expect(published).toEqual([{ version: 1, change: "raised", at: NOON, organizationId, alert }]);
    expect(alert).toMatchObject({
      rule: "event_threshold",
      subject: "PERMISSION_DENIED user:ada",
      level: "HIGH",
      eventIds: [event.id],
      message: "The role guest may not.",
    });
    await expect(sweepAt(NOON + 2 * MINUTE)).resolves.toEqual({ published: 0, failed: 0 });
  });

  it("publishes each repetition, and again one minute after the last", async () => {
    const organizationId = freshOrganization();
    for (let i = 0; i < 3; i++) await raiserAt(NOON + i).raiseForEvent(eventAt(NOON + i, organizationId));
    expect(published.map(({ change, alert }) => [change, alert.revision])).toEqual([
      ["raised", 1],
      ["repeated", 2],
      ["repeated", 3],
    ]);
    await expect(sweepAt(NOON + MINUTE)).resolves.toEqual({ published: 0, failed: 0 });
    await expect(sweepAt(NOON + 2 * MINUTE)).resolves.toEqual({ published: 1, failed: 0 });
    expect(published.at(-1)).toEqual({ ...published[2], at: NOON + 1 });
    await expect(sweepAt(NOON + 3 * MINUTE)).resolves.toEqual({ published: 0, failed: 0 });
  });

  it("publishes at once that a repetition raised the level, and keeps it in the outbox if the bus is down", async () => {
    const organizationId = freshOrganization();
    const raiseAt = (at: number, riskLevel: "LOW" | "HIGH" | "CRITICAL") =>
      raiserAt(at).raiseForEvent({ ...eventAt(at, organizationId), riskLevel });
    await raiseAt(NOON, "LOW");
    await raiseAt(NOON + 1, "HIGH");
    const risen = { level: "HIGH", raisedLevel: "LOW", escalatedAt: NOON + 1 };
    expect(published.slice(1)).toMatchObject([{ change: "repeated", at: NOON + 1, alert: risen }]);
    isDown = true;
    await raiseAt(NOON + 2, "CRITICAL");
    isDown = false;
    await sweepAt(NOON + 2 * MINUTE);
    expect(published.at(-1)).toMatchObject({
      change: "repeated",
      alert: { level: "CRITICAL", raisedLevel: "LOW", escalatedAt: NOON + 2, revision: 3 },
    });
  });

  it("publishes nothing for an event that was counted before", async () => {
    const organizationId = freshOrganization();
    const event = eventAt(NOON, organizationId);
    await raiserAt(NOON).raiseForEvent(event);
    await raiserAt(NOON).raiseForEvent(event);
    expect(published).toHaveLength(1);
  });

  it("without an organization is only published, and fails if the bus does", async () => {
    await raiserAt(NOON).raiseForEvent(eventAt(NOON, undefined));
    expect(published).toMatchObject([{ change: "raised", alert: { status: "open", count: 1, revision: 1 } }]);
    expect(published[0]).not.toHaveProperty("organizationId");
    isDown = true;
    await expect(raiserAt(NOON).raiseForEvent(eventAt(NOON, undefined))).rejects.toThrow("event bus");
  });
});

describe("a change that was not published", () => {
  it("is published by each sweep after a minute, until that succeeds", async () => {
    const organizationId = freshOrganization();
    isDown = true;
    await raiserAt(NOON).raiseForEvent(eventAt(NOON, organizationId));
    // A crash between the write and the publication.
    await alerts.raise(organizationId, reasonAt(NOON, { subject: "crashed" }), NOON);
    await expect(sweepAt(NOON + 2 * MINUTE)).resolves.toEqual({ published: 0, failed: 2 });
    isDown = false;
    await expect(sweepAt(NOON + 3 * MINUTE)).resolves.toEqual({ published: 2, failed: 0 });
    expect(published.map(({ change, alert: { count } }) => [change, count])).toEqual([
      ["raised", 1],
      ["raised", 1],
    ]);
    expect(published.map(({ organizationId: id }) => id)).toEqual([organizationId, organizationId]);
    await expect(sweepAt(NOON + 4 * MINUTE)).resolves.toEqual({ published: 0, failed: 0 });
  });

  it("is logged under a name from which no user or address can be guessed", async () => {
    const organizationId = freshOrganization();
    const write = jest.spyOn(process.stdout, "write");
    isDown = true;
    await raiserAt(NOON).raiseForEvent(eventAt(NOON, organizationId));
    await expect(raiserAt(NOON).raiseForEvent(eventAt(NOON, undefined))).rejects.toThrow("event bus");
    const [alert] = await listAll(alerts, organizationId);
    const [name = "", hash = "no hash"] = alert?.id.split(/-(.*)/) ?? [];
    const lines = write.mock.calls.map(([line]) => String(line));
    expect(lines.filter((line) => line.includes(`"alert":"${name}"`))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("event_threshold"))).toHaveLength(2);
    expect(lines.join()).not.toContain(hash);
  });

  it("is not lost if the alert changes again", async () => {
    const organizationId = freshOrganization();
    const { alert } = await alerts.raise(organizationId, reasonAt(NOON), NOON);
    await alerts.raise(organizationId, reasonAt(NOON + 1), NOON + 1);
    await sweepAt(NOON + 2 * MINUTE);
    await alerts.acknowledge(organizationId, alert.id, { by: "ada", now: NOON + 3 * MINUTE });
    await sweepAt(NOON + 5 * MINUTE);
    await alerts.resolve(organizationId, alert.id, { by: "ada", now: NOON + 6 * MINUTE });
    await sweepAt(NOON + 8 * MINUTE);
    expect(published.map(({ change, alert: { revision, status } }) => [change, revision, status])).toEqual([
      ["raised", 2, "open"],
      ["acknowledged", 3, "acknowledged"],
      ["resolved", 4, "resolved"],
    ]);
  });

  it("is published while there is time, however many changes wait", async () => {
    const organizationId = freshOrganization();
    for (let i = 0; i < 60; i++) {
      await alerts.raise(organizationId, reasonAt(NOON, { subject: `${i % 30}`, rule: `rule ${i}` }), NOON);
    }
    const parts = { ...alerts, publisher: createAlertPublisher({ bus, outbox: alerts.outbox }) };
    const rounds: number[] = [];
    const outbox = {
      list: (options: Parameters<AlertStores["outbox"]["list"]>[0]) => {
        rounds.push(options.limit);
        return alerts.outbox.list({ ...options, limit: 2 });
      },
    };
    const later = NOON + 2 * MINUTE;
    await expect(sweepAlertOutbox(parts, later, () => 1_000)).resolves.toEqual({ published: 0, failed: 0 });
    await expect(sweepAlertOutbox({ ...parts, outbox }, later, () => 60_000)).resolves.toEqual({
      published: 60,
      failed: 0,
    });
    expect(rounds.length).toBeGreaterThanOrEqual(5);
    expect(new Set(published.map(({ alert }) => alert.id)).size).toBe(60);
  });

  it("is published once by a sweep that cannot remove it", async () => {
    await alerts.raise(freshOrganization(), reasonAt(NOON), NOON);
    const stuck = createAlertPublisher({ bus, outbox: { remove: () => Promise.reject(new Error("denied")) } });
    const sweep = sweepAlertOutbox({ ...alerts, publisher: stuck }, NOON + 2 * MINUTE, () => 60_000);
    await expect(sweep).resolves.toEqual({ published: 1, failed: 0 });
  });

  it("stays in the outbox if the alert has changed since it was published", async () => {
    const organizationId = freshOrganization();
    const { alert } = await alerts.raise(organizationId, reasonAt(NOON), NOON);
    await alerts.raise(organizationId, reasonAt(NOON + 1), NOON + 1);
    await alerts.outbox.remove(organizationId, { alert });
    await expect(sweepAt(NOON + 2 * MINUTE)).resolves.toEqual({ published: 1, failed: 0 });
  });
});

describe("an assignment and a comment", () => {
  const request = { by: "ada", now: NOON + 1 };
  const assigned = { change: "assigned", assignee: "bob" } as const;
  const commented = (text: string) => ({ change: "commented", text }) as const;

  it("wait each for themselves, so that none is lost while the bus is down", async () => {
    const organizationId = freshOrganization();
    const { id } = (await alerts.raise(organizationId, reasonAt(NOON), NOON)).alert;
    await sweepAt(NOON + 2 * MINUTE);
    published = [];
    isDown = true;
    for (const text of ["first", "second"]) await alerts.notes.add(organizationId, id, commented(text), request);
    await alerts.notes.add(organizationId, id, assigned, request);
    await alerts.resolve(organizationId, id, request);
    await expect(sweepAt(NOON + 2 * MINUTE)).resolves.toEqual({ published: 0, failed: 4 });
    isDown = false;
    await expect(sweepAt(NOON + 3 * MINUTE)).resolves.toEqual({ published: 4, failed: 0 });
    const alert = await alerts.get(organizationId, id, NOON);
    expect(alert).toMatchObject({ status: "resolved", comments: 2, assignee: "bob", revision: 5 });
    const said = { version: 1, at: NOON + 1, organizationId, alert };
    const note = { id: expect.any(String), by: "ada" };
    expect(published).toHaveLength(4);
    expect(published).toEqual(
      expect.arrayContaining([
        { ...said, change: "commented", note: { ...note, text: "first" } },
        { ...said, change: "commented", note: { ...note, text: "second" } },
        { ...said, change: "assigned", note: { ...note, assignee: "bob" } },
        { ...said, change: "resolved" },
      ]),
    );
    await expect(sweepAt(NOON + 9 * MINUTE)).resolves.toEqual({ published: 0, failed: 0 });
  });

  it("leave the outbox once they are published, and an alert that waits there stays", async () => {
    const organizationId = freshOrganization();
    const { alert } = await alerts.raise(organizationId, reasonAt(NOON), NOON);
    const added = await alerts.notes.add(organizationId, alert.id, assigned, request);
    if (added.outcome !== "changed") throw new Error("The alert is not assigned.");
    await alerts.outbox.remove(organizationId, added);
    await sweepAt(NOON + 2 * MINUTE);
    expect(published.map(({ change, alert: { assignee } }) => [change, assignee])).toEqual([["raised", "bob"]]);
  });

  it("live as long as their alert: the sweep defers their expiry after a repetition", async () => {
    const DAY = 86_400_000;
    const organizationId = freshOrganization();
    const { id } = (await alerts.raise(organizationId, reasonAt(NOON), NOON)).alert;
    await alerts.notes.add(organizationId, id, commented("why?"), request);
    const later = NOON + 60 * DAY;
    await raiserAt(later).raiseForEvent(eventAt(later, organizationId));
    const repeated = await alerts.raise(organizationId, reasonAt(later), later);
    expect(repeated.alert).toMatchObject({ id, comments: 1 });
    // The repetition's publication, and that of a decision, leave the alert in the outbox until its notes are renewed.
    const decided = await alerts.acknowledge(organizationId, id, { by: "ada", now: later });
    if (decided.outcome !== "changed") throw new Error("The alert is not acknowledged.");
    await alerts.outbox.remove(organizationId, decided);
    const renewed: string[] = [];
    const notes = {
      renew: async (...change: Parameters<AlertStores["notes"]["renew"]>) => {
        renewed.push(change[1].id);
        return alerts.notes.renew(...change);
      },
    };
    const parts = { outbox: alerts.outbox, publisher: createAlertPublisher({ bus, outbox: alerts.outbox }) };
    const sweep = (at: number, by: Pick<typeof alerts.notes, "renew">) =>
      sweepAlertOutbox({ ...parts, notes: by }, at, () => 60_000);
    const failing = { renew: () => Promise.reject(new Error("no answer")) };
    await sweep(later + 2 * MINUTE, failing);
    for (const hour of [1, 2]) await sweep(later + hour * 60 * MINUTE, notes);
    expect(renewed).toEqual([id]);
    await expect(sweepAt(later + DAY)).resolves.toEqual({ published: 0, failed: 0 });
  });
});

describe("raising for a finding", () => {
  it("redacts its texts, cuts its details, and keeps its evidence", async () => {
    const organizationId = freshOrganization();
    const alert = await raiserAt(NOON).raiseForFinding(organizationId, {
      rule: "system_errors",
      subject: "organization",
      level: "HIGH",
      occurrence: "2026-11-21T11",
      title: "Card 4111 1111 1111 1111 failed",
      eventIds: Array.from({ length: 150 }, (_, i) => randomId(NOON + i)),
      evidence: { count: 150, long: "x".repeat(5_000), share: 0.5 },
      firstSeen: NOON - 5,
      lastSeen: NOON,
    });
    expect(alert.title).not.toContain("4111");
    expect(alert.eventIds).toHaveLength(100);
    expect(alert.evidence).toMatchObject({ count: 150, share: 0.5, cut: true });
    expect(JSON.stringify(alert.evidence).length).toBeLessThan(2_200);
  });
});
