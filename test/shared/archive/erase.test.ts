/** Erasures of the archive: what is left in each object, whoever writes at the same time, and wherever a worker dies. */
import { beforeEach, describe, expect, it } from "@jest/globals";
import { type ArchivedEvent, parseLine } from "../../../shared/archive/archive-line.ts";
import { allArchive, archiveOfUser, type EraseArchive } from "../../../shared/archive/erase.ts";
import { eventLeaf } from "../../../shared/evidence/sealed-log.ts";
import { newSalt } from "../../../shared/runtime/ids.ts";
import { putItem } from "../../../shared/runtime/table.ts";
import { toItem } from "../../../shared/security/event-item.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import { DAY_MS, expiryOf, HOUR_MS, hourName } from "../../../shared/terms/hours.ts";
import { createUserMatcher } from "../../../shared/terms/mentions-user.ts";
import type { DataLocation } from "../../../shared/work/location.ts";
import { createArchiveWorld, eventAt, LAST_HOUR, SPAN } from "../../support/archived-hours.ts";
import { NOW } from "../../support/security-events.ts";
import { useDatabase } from "../../support/use-table.ts";

const database = useDatabase("securityEvents", "securityRollups");
const ERASURE = "01JD0000000000000000000000";
const LATER = NOW + 200 * DAY_MS;

let organizations = 0;
let organizationId = "";
let world: ReturnType<typeof createArchiveWorld>;
let marked: string[] = [];
let steps: string[] = [];
beforeEach(() => {
  organizationId = `erased:${++organizations}`;
  world = createArchiveWorld(database, organizationId);
  marked = [];
  steps = [];
});

const dependencies = (fields: Partial<EraseArchive> = {}): EraseArchive => ({
  archive: world.archive,
  events: world.events,
  sealOf: world.sealOf,
  span: SPAN,
  awaitWriters: async () => void steps.push("await writers"),
  markUnsealed: async (_scope, hour) => void marked.push(hourName(hour)),
  clock: () => world.time.now,
  ...fields,
});

const ofUser = (userId: string, fields?: Partial<EraseArchive>, addresses = new Set<string>()): DataLocation =>
  archiveOfUser(dependencies(fields), organizationId, ERASURE, {
    userId,
    matcher: createUserMatcher([userId]),
    addresses,
  });
const ofAll = (fields?: Partial<EraseArchive>) => allArchive(dependencies(fields), organizationId, ERASURE);

/** One pass. @returns the keys that were found. */
const sweep = async (location: DataLocation): Promise<string[]> => {
  const keys: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await location.read(after);
    keys.push(...page.keys);
    if (page.keys.length > 0) await page.erase();
    if (page.next === undefined) return keys;
    after = page.next;
  }
};

/** Records events with one salt each, and archives their hours. */
const archived = async (...events: SecurityEvent[]): Promise<void> => {
  const hours = new Map<number, number>();
  for (const event of events) {
    await world.record(event, { salt: Buffer.alloc(16, 1) });
    const hour = Math.floor(event.timestamp / HOUR_MS) * HOUR_MS;
    hours.set(hour, (hours.get(hour) ?? 0) + 1);
  }
  for (const [hour, count] of hours) {
    world.sealed.set(hour, { count, late: [] });
    await world.dueHours.markDue(world.scope, hour);
  }
  await expect(world.write()).resolves.toMatchObject({ written: hours.size, left: 0 });
};
const eve = (at: number): SecurityEvent => eventAt(at, { userId: "eve", ipAddress: "192.0.2.7", metadata: { n: 1 } });
const read = async (hour = LAST_HOUR): Promise<ArchivedEvent[]> =>
  ((await world.archive.find(world.scope, hour))?.lines ?? []).map(parseLine);

describe("a user's erasure of an hour that the tables have lost", () => {
  it("empties the user's events: they lose their salt, get another one, and keep their leaf", async () => {
    const [own, other] = [eve(LAST_HOUR + 1), eventAt(LAST_HOUR + 2)];
    await archived(own, other);
    const [before, untouched] = await read();
    world.time.now = LATER;
    await expect(sweep(ofUser("eve"))).resolves.toEqual([hourName(LAST_HOUR)]);
    const [after, second] = await read();
    expect(second).toEqual(untouched);
    expect(after).toMatchObject({ index: 0, erasure: ERASURE });
    const { userId: _, ipAddress: __, ...emptied } = before?.event ?? own;
    expect(after?.event).toEqual(emptied);
    expect(after?.salt).toHaveLength(16);
    expect(after?.salt).not.toEqual(before?.salt);
    expect(after?.hash).toEqual(Buffer.from(eventLeaf(before?.event ?? own, before?.salt ?? newSalt())));
    expect(steps).toEqual(["await writers"]);
    expect(marked).toEqual([hourName(LAST_HOUR)]);
  });

  it("finds nothing more in the next pass, but has the hour sealed if it died before it said so", async () => {
    await archived(eve(LAST_HOUR + 1));
    world.time.now = LATER;
    const dying = ofUser("eve", { markUnsealed: () => Promise.reject(new Error("died")) });
    await expect(sweep(dying)).rejects.toThrow("died");
    expect((await read())[0]?.event).not.toHaveProperty("userId");
    await expect(sweep(ofUser("eve"))).resolves.toEqual([]);
    expect(marked).toEqual([hourName(LAST_HOUR)]);
  });

  it("keeps the first leaf if another erasure has emptied the event before", async () => {
    await archived(eventAt(LAST_HOUR + 1, { userId: "ada", resource: "user:eve" }));
    world.time.now = LATER;
    await sweep(ofUser("eve"));
    const [first] = await read();
    await sweep(ofUser("ada"));
    const [second] = await read();
    expect(second?.hash).toEqual(first?.hash);
    expect(second?.event).not.toHaveProperty("userId");
  });

  it("finds counts of failures by the addresses of the user's own failures in older hours", async () => {
    const failure = eventAt(LAST_HOUR - HOUR_MS, {
      eventType: "AUTHENTICATION_FAILURE",
      success: false,
      userId: "eve",
      ipAddress: "192.0.2.7",
    });
    const { userId: _, ...count } = eventAt(LAST_HOUR + 3, {
      eventType: "AUTHENTICATION_FAILURE",
      success: false,
      ipAddress: "192.0.2.7",
    });
    await archived(failure, count);
    world.time.now = LATER;
    await expect(sweep(ofUser("eve"))).resolves.toHaveLength(2);
    expect((await read())[0]?.event).not.toHaveProperty("ipAddress");
  });

  it("leaves an object that has changed since it was read to the next pass", async () => {
    await archived(eve(LAST_HOUR + 1));
    world.time.now = LATER;
    let races = 0;
    const racing = {
      ...world.archive,
      replace: async (...[scope, hour, body, tag]: Parameters<typeof world.archive.replace>) => {
        // Another worker puts other bytes first, once.
        if (races++ === 0) await world.archive.put(scope, hour, Buffer.concat([body, body]));
        return world.archive.replace(scope, hour, body, tag);
      },
    };
    await sweep(ofUser("eve", { archive: racing }));
    expect(marked).toEqual([]);
    expect(await read()).toHaveLength(2);
  });
});

describe("a user's erasure of an hour that the tables still have", () => {
  it("writes the object from the tables again, with the salts that they have", async () => {
    const own = eve(LAST_HOUR + 1);
    await archived(own, eventAt(LAST_HOUR + 2));
    const salt = Buffer.alloc(16, 9);
    const hash = Buffer.alloc(32, 8);
    const { userId: _, ipAddress: __, ...emptied } = own;
    const item = toItem({ ...emptied, organizationId }, expiryOf(own.timestamp, 90), { salt, isLate: false });
    await putItem(database.table("securityEvents"), { ...item, hash, erasure: ERASURE });
    await expect(sweep(ofUser("eve"))).resolves.toEqual([hourName(LAST_HOUR)]);
    const [first, second] = await read();
    expect(first).toMatchObject({ index: 0, salt, hash, erasure: ERASURE });
    expect(second?.index).toBe(1);
    await expect(sweep(ofUser("eve"))).resolves.toEqual([]);
  });

  it("empties the lines if the tables have lost the events earlier than they should", async () => {
    await archived(eve(LAST_HOUR + 1));
    const none = { async *read() {} };
    await sweep(ofUser("eve", { events: none }));
    expect((await read())[0]).toMatchObject({ erasure: ERASURE, index: 0 });
  });
});

describe("an erasure of all data", () => {
  it("empties every object, page by page, and keeps all lines", async () => {
    const hours = Array.from({ length: 20 }, (_, i) => LAST_HOUR - i * HOUR_MS);
    await archived(...hours.map((hour) => eve(hour + 1)));
    world.time.now = LATER;
    await expect(sweep(ofAll())).resolves.toEqual(hours.map(hourName).sort());
    for (const hour of hours) {
      const [line] = await read(hour);
      expect(line).toMatchObject({ index: 0, erasure: ERASURE });
      expect(line?.event).not.toHaveProperty("userId");
    }
    await expect(sweep(ofAll())).resolves.toEqual([]);
  });
});
