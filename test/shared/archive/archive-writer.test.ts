import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { archiveKey } from "../../../shared/archive/archive-hour.ts";
import { createArchiveWriter } from "../../../shared/archive/archive-writer.ts";
import { createFeedWriter } from "../../../shared/archive/feed-writer.ts";
import { putItem } from "../../../shared/runtime/table.ts";
import { toItem } from "../../../shared/security/event-item.ts";
import { feedKey } from "../../../shared/security/feed/feed-hour.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";
import { createArchiveWorld, eventAt, LAST_HOUR, SPAN } from "../../support/archived-hours.ts";
import { useDatabase } from "../../support/use-table.ts";

const database = useDatabase("securityEvents", "securityRollups");

let organizations = 0;
let organizationId = "";
let world: ReturnType<typeof createArchiveWorld>;
beforeEach(() => {
  organizationId = `archive:${++organizations}`;
  world = createArchiveWorld(database, organizationId);
});

const linesOf = (hour = LAST_HOUR): Record<string, unknown>[] => {
  const body = world.bucket.bodyOf(archiveKey(world.scope, hour));
  return body === undefined
    ? []
    : gunzipSync(body)
        .toString()
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line));
};
const three = [10, 20, 30].map((ms) => eventAt(LAST_HOUR + ms, { metadata: { durationMs: ms } }));

describe("an hour's object in the archive", () => {
  it("has the events as the API returns them, in order, with salt and index", async () => {
    const salt = Buffer.alloc(16, 7);
    for (const event of [...three].reverse()) await world.record(event, { salt });
    world.sealed.set(LAST_HOUR, { count: 3, late: [] });
    await world.dueHours.markDue(world.scope, LAST_HOUR);
    await expect(world.write()).resolves.toMatchObject({ written: 1, left: 0 });
    expect(linesOf()).toEqual(
      three.map((event, index) => ({ ...event, organizationId, index, salt: salt.toString("base64") })),
    );
    await expect(world.due()).resolves.toEqual([]);
  });

  it("waits until the hour is sealed, and stays due", async () => {
    for (const event of three) await world.record(event);
    await world.dueHours.markDue(world.scope, LAST_HOUR);
    await expect(world.write()).resolves.toMatchObject({ written: 0, left: 1 });
    expect(world.bucket.keys()).toEqual([]);
    await expect(world.due()).resolves.toEqual([LAST_HOUR]);
  });

  it("has no index if the log began later", async () => {
    for (const event of three) await world.record(event);
    world.sealed.set(LAST_HOUR, "never");
    await world.dueHours.markDue(world.scope, LAST_HOUR);
    await expect(world.write()).resolves.toMatchObject({ written: 1 });
    expect(linesOf().map(({ index }) => index)).toEqual([undefined, undefined, undefined]);
  });

  it("is replaced after a late event, which has the next index once it is sealed", async () => {
    const [first, second, third] = three;
    if (first === undefined || second === undefined || third === undefined) throw new Error("three events");
    const early = eventAt(LAST_HOUR + 1);
    await world.record(first);
    await world.record(third);
    await world.record(second, { isLate: true });
    world.sealed.set(LAST_HOUR, { count: 3, late: [[second.id]] });
    await world.record(early, { isLate: true });
    await world.dueHours.markDue(world.scope, LAST_HOUR);
    await expect(world.write()).resolves.toMatchObject({ written: 0, left: 1 });
    expect(linesOf().map(({ id, index }) => [id, index])).toEqual([
      [early.id, undefined],
      [first.id, 0],
      [second.id, 1],
      [third.id, 2],
    ]);
    world.sealed.set(LAST_HOUR, { count: 4, late: [[second.id], [early.id]] });
    await expect(world.write()).resolves.toMatchObject({ written: 1, left: 0 });
    expect(linesOf().map(({ index }) => index)).toEqual([3, 0, 1, 2]);
  });

  it("has the same bytes whenever it is written", async () => {
    for (const event of three) await world.record(event);
    world.sealed.set(LAST_HOUR, { count: 3, late: [] });
    const bodies: (Buffer | undefined)[] = [];
    for (let times = 0; times < 2; times++) {
      await world.dueHours.markDue(world.scope, LAST_HOUR);
      await world.write();
      bodies.push(world.bucket.bodyOf(archiveKey(world.scope, LAST_HOUR)));
    }
    expect(bodies[0]?.equals(bodies[1] ?? Buffer.alloc(0))).toBe(true);
  });

  it("leaves out drills, and events without an organization", async () => {
    const [event = eventAt(LAST_HOUR)] = three;
    await world.record(event);
    const drill = { ...eventAt(LAST_HOUR + 5), organizationId };
    await putItem(database.table("securityEvents"), { ...toItem(drill, 9_999_999_999), drill: true });
    world.sealed.set(LAST_HOUR, { count: 1, late: [] });
    await world.dueHours.markDue(world.scope, LAST_HOUR);
    await world.dueHours.markDue("none#3", LAST_HOUR);
    await expect(world.write()).resolves.toMatchObject({ written: 1, left: 0 });
    expect(linesOf().map(({ id }) => id)).toEqual([event.id]);
    expect(world.bucket.keys()).toHaveLength(1);
  });

  it("stays as it is when its events have left the tables", async () => {
    await world.archive.put(world.scope, LAST_HOUR, Buffer.from("before"));
    world.sealed.set(LAST_HOUR, { count: 3, late: [] });
    await world.dueHours.markDue(world.scope, LAST_HOUR);
    await world.write();
    expect(world.bucket.textOf(archiveKey(world.scope, LAST_HOUR))).toBe("before");
    for (const event of three) await world.record(event);
    world.time.now = LAST_HOUR + 90 * DAY_MS + HOUR_MS - 60_000;
    await world.dueHours.markDue(world.scope, LAST_HOUR);
    await expect(world.write()).resolves.toMatchObject({ written: 0, skipped: 1 });
    expect(world.bucket.textOf(archiveKey(world.scope, LAST_HOUR))).toBe("before");
  });

  it("is made of the same read of the events as the object of the feed", async () => {
    for (const event of three) await world.record(event);
    world.sealed.set(LAST_HOUR, { count: 3, late: [] });
    await world.dueHours.markDue(world.scope, LAST_HOUR);
    let reads = 0;
    const feed = createFeedWriter({ objects: world.bucket.store, region: "r", isSwitchedOn: async () => true });
    const archive = createArchiveWriter({ archive: world.archive, sealOf: world.sealOf, span: SPAN });
    const read: typeof world.events.read = (...given) => {
      reads++;
      return world.events.read(...given);
    };
    const result = await world.write({ events: { read }, writers: [archive, feed] });
    expect([result.written, result.events, reads]).toEqual([1, 3, 1]);
    expect(world.bucket.keys()).toEqual(
      [archiveKey(world.scope, LAST_HOUR), feedKey("r", world.scope, LAST_HOUR)].sort(),
    );
  });
});
