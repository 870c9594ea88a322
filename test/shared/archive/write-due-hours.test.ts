import { gunzipSync } from "node:zlib";
import { beforeEach, expect, test } from "@jest/globals";
import { createFeedWriter } from "../../../shared/archive/feed-writer.ts";
import { type DueHoursDependencies, DueHoursRun, writeDueHours } from "../../../shared/archive/write-due-hours.ts";
import type { ObjectStore } from "../../../shared/runtime/object-store.ts";
import { createDueHourStore, type DueHour } from "../../../shared/security/feed/due-hour-store.ts";
import { feedKey, feedPrefix } from "../../../shared/security/feed/feed-hour.ts";
import { createHourEventsStore } from "../../../shared/security/feed/hour-events-store.ts";
import { toOcsf } from "../../../shared/security/ocsf/to-ocsf.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import { createSecurityEventStore } from "../../../shared/security/security-event-store.ts";
import { closeHours } from "../../../shared/security/statistics/close-hours.ts";
import { createEventCountStore } from "../../../shared/security/statistics/event-count-store.ts";
import { createOpenHourStore } from "../../../shared/security/statistics/open-hour-store.ts";
import { createRollupStore } from "../../../shared/security/statistics/rollup-store.ts";
import { hourName, startOfHour } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { fc } from "../../support/fixed-seed.ts";
import { arbitraryEvents, HOUR, NOW } from "../../support/security-events.ts";
import { useDatabase } from "../../support/use-table.ts";

const database = useDatabase("securityEvents", "securityRollups");

let organizations = 0;
let organizationId = "";
let scope = "";
const time = { now: NOW };
const objects = new Map<string, Uint8Array>();
const published: DueHoursRun[] = [];
beforeEach(() => {
  organizationId = `feed:${++organizations}`;
  scope = organizationKey(organizationId);
  time.now = NOW;
  objects.clear();
  published.length = 0;
});

/** How the outside world fails a call: before it takes effect, after it (its answer is lost), or for ever. */
type Fault = { call: string; kind: "fails" | "lost" | "died" };

const world = (fault?: Fault, beforePut: () => Promise<void> = async () => undefined) => {
  let isDead = false;
  let hasFailed = false;
  const guarded = <Arguments extends unknown[], Result>(
    name: string,
    call: (...given: Arguments) => Promise<Result>,
  ): ((...given: Arguments) => Promise<Result>) => {
    return async (...given) => {
      const isHit = !isDead && !hasFailed && fault?.call === name;
      if (isHit) hasFailed = true;
      if (isDead || (isHit && fault.kind === "fails")) throw new Error(`${name} failed`);
      const result = await call(...given);
      if (isHit) {
        isDead = fault.kind === "died";
        throw new Error(`${name}: no answer`);
      }
      return result;
    };
  };
  const dueHours = createDueHourStore(database.table("securityRollups"), () => time.now);
  const openHours = createOpenHourStore(database.table("securityRollups"), () => time.now);
  const feed = createFeedWriter({
    objects: {
      put: guarded("put", async (key: string, body: Uint8Array | string) => {
        await beforePut();
        objects.set(key, Buffer.from(body));
      }),
      delete: guarded("delete", async (keys: readonly string[]) => {
        for (const key of keys) objects.delete(key);
      }),
    } satisfies Pick<ObjectStore, "put" | "delete">,
    region: "eu-central-1",
    isSwitchedOn: async (one) => !one.startsWith("off"),
  });
  const dependencies: DueHoursDependencies = {
    events: createHourEventsStore(database.table("securityEvents")),
    writers: [feed],
    dueHours: {
      listAll: dueHours.listAll,
      clear: guarded("clear", dueHours.clear),
      takeLease: guarded("takeLease", dueHours.takeLease),
      releaseLease: guarded("releaseLease", dueHours.releaseLease),
    },
    bus: {
      publish: async (events) => {
        published.push(...events.map(({ detail }) => DueHoursRun.parse(detail)));
        return [];
      },
    },
    now: () => time.now,
  };
  return {
    dueHours,
    run: (remainingMs = () => 300_000, detail: DueHoursRun = {}) => writeDueHours(dependencies, detail, remainingMs),
    /** Records events as the recorder does. */
    record: async (...events: SecurityEvent[]) => {
      const store = createSecurityEventStore(database.table("securityEvents"));
      for (const event of events) {
        await openHours.markHourOpen(scope, hourName(event.timestamp));
        await store.put({ event, ttl: Math.floor(NOW / 1_000) + 90 * 86_400 });
      }
    },
    close: () =>
      closeHours(
        {
          openHours,
          rollups: createRollupStore(database.table("securityRollups")),
          events: createEventCountStore(database.table("securityEvents")),
          detection: { markUnjudged: async () => undefined },
          objects: dueHours,
          now: () => time.now,
          settleMs: 0,
        },
        () => 300_000,
      ),
    due: async () => {
      const due: DueHour[] = [];
      for (let shard = 0; shard < 8; shard++) {
        for await (const one of dueHours.listAll(`feed#${shard}`)) if (one.scope === scope) due.push(one);
      }
      return due.map(({ hour }) => hour);
    },
  };
};

const [events = []] = fc.sample(arbitraryEvents("", 3 * HOUR, { minLength: 30, maxLength: 40 }), 1);
const ownEvents = (from = 0, to = events.length): SecurityEvent[] =>
  events.slice(from, to).map((event) => ({ ...event, organizationId }));

/** The objects that the events should give. */
const expected = (all: readonly SecurityEvent[]) => {
  const byKey = new Map<string, string>();
  for (const event of [...all].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const key = feedKey("eu-central-1", scope, startOfHour(event.timestamp));
    byKey.set(key, `${byKey.get(key) ?? ""}${JSON.stringify(toOcsf(event))}\n`);
  }
  return Object.fromEntries(byKey);
};
const stored = () => {
  const own = [...objects].filter(([key]) => key.startsWith(feedPrefix("eu-central-1", scope)));
  return Object.fromEntries(own.map(([key, body]) => [key, gunzipSync(body).toString()]));
};

test("each closed hour has one object with its events in order; a late event replaces it", async () => {
  const { record, close, run, due } = world();
  await record(...ownEvents(0, 20));
  time.now = NOW + 2 * HOUR;
  await close();
  await run();
  expect(stored()).toEqual(expected(ownEvents(0, 20)));
  await expect(due()).resolves.toEqual([]);
  const before = new Map(objects);
  await record(...ownEvents(20));
  time.now += HOUR;
  await close();
  await run();
  expect(stored()).toEqual(expected(ownEvents()));
  expect(before.size).toBeGreaterThan(1);
});

test("the key has Security Lake's partitions, and fits whatever the organization", () => {
  const hour = Date.UTC(2026, 10, 21, 9);
  expect(feedKey("eu-central-1", organizationKey("a b/ü"), hour)).toBe(
    "ext/integration_security/1.0/region=eu-central-1/accountId=a%20b%2F%C3%BC/eventDay=20261121/09.ndjson.gz",
  );
  const long = organizationKey("😀".repeat(128));
  expect(feedKey("ap-northeast-1", long, hour).length).toBeLessThan(1_024);
});

test("an hour whose events are gone has no object, and an organization without a feed has none", async () => {
  const { dueHours, run } = world();
  const hour = startOfHour(NOW) - HOUR;
  objects.set(feedKey("eu-central-1", scope, hour), Buffer.from("old"));
  await dueHours.markDue(scope, hour);
  await dueHours.markDue(organizationKey(`off ${organizationId}`), hour);
  await dueHours.markDue("none#3", hour);
  await expect(run()).resolves.toMatchObject({ written: 1, skipped: 1, left: 0, events: 0 });
  expect(objects.size).toBe(0);
});

test.each(
  ["takeLease", "put", "clear", "releaseLease"].flatMap((call) =>
    (["fails", "lost", "died"] as const).map((kind) => ({ call, kind })),
  ),
)("an hour is not lost if $call $kind, and is written again with the same bytes", async (fault) => {
  const { record, close } = world();
  await record(...ownEvents(0, 12));
  time.now = NOW + 2 * HOUR;
  await close();
  await world(fault)
    .run()
    .catch(() => undefined);
  const first = new Map(objects);
  time.now += HOUR;
  await world().run();
  expect(stored()).toEqual(expected(ownEvents(0, 12)));
  for (const [key, body] of first) expect(Buffer.compare(body, objects.get(key) ?? Buffer.alloc(0))).toBe(0);
  await expect(world().due()).resolves.toEqual([]);
});

test("a slow worker cannot replace a later object, and an hour that is marked concurrently stays due", async () => {
  const { record, dueHours, run, due } = world();
  const all = ownEvents();
  const hour = startOfHour(NOW) - HOUR;
  const inHour = all.filter(({ timestamp }) => startOfHour(timestamp) === hour);
  await record(...inHour.slice(1));
  await dueHours.markDue(scope, hour);
  let other: Awaited<ReturnType<typeof run>> | undefined;
  const slow = world(undefined, async () => {
    await record(...inHour.slice(0, 1));
    await dueHours.markDue(scope, hour);
    other = await run();
  });
  await expect(slow.run()).resolves.toMatchObject({ written: 0, left: 1 });
  expect(other).toMatchObject({ written: 0, left: 1 });
  await expect(due()).resolves.toEqual([hour]);
  await run();
  expect(stored()).toEqual(expected(inHour));
});

test("a run whose time is short continues shard by shard", async () => {
  const { dueHours, run } = world();
  await dueHours.markDue(scope, startOfHour(NOW) - HOUR);
  await dueHours.markDue(scope, startOfHour(NOW) - 2 * HOUR);
  let asked = 0;
  await expect(run(() => (++asked <= 2 ? 300_000 : 50_000))).resolves.toMatchObject({ isComplete: false });
  for (const detail of published) await run(() => 300_000, detail);
  await expect(run()).resolves.toMatchObject({ isComplete: true, isHandedOver: false });
  await expect(world().due()).resolves.toEqual([]);
});

test("a run that is continued again and again ends before the schedule's next run, or when it writes nothing", async () => {
  const { dueHours, run } = world();
  for (const hours of [1, 2, 3, 4]) await dueHours.markDue(scope, startOfHour(NOW) - hours * HOUR);
  const forOneHour = () => {
    let asked = 0;
    return () => (++asked <= 2 ? 300_000 : 50_000);
  };
  await expect(run(() => 50_000)).resolves.toMatchObject({ isComplete: false, isHandedOver: false });
  await run(forOneHour());
  const { until = 0 } = published[0] ?? {};
  expect(until).toBe(NOW + 55 * 60_000);
  for (const [at, isHandedOver] of [
    [until - 1, true],
    [until, false],
  ] as const) {
    time.now = at;
    const [first = {}, ...others] = published.splice(0);
    const runs = [await run(forOneHour(), first)];
    for (const detail of others) runs.push(await run(forOneHour(), detail));
    expect(runs.some((one) => one.isHandedOver)).toBe(isHandedOver);
    expect(published.every((detail) => detail.until === until)).toBe(true);
  }
});

test("a lease that a worker did not release is free in the millisecond in which it ends", async () => {
  const { dueHours } = world();
  const until = NOW + 360_000;
  await expect(dueHours.takeLease(scope, until)).resolves.toBeDefined();
  time.now = until - 1;
  await expect(dueHours.takeLease(scope, until + 1)).resolves.toBeUndefined();
  time.now = until;
  await expect(dueHours.takeLease(scope, until + 360_000)).resolves.toBeDefined();
});

test("events are read in small pages, so that decoding one does not delay the other hours' calls", async () => {
  const client = database.newClient();
  const limits: unknown[] = [];
  client.middlewareStack.add(
    (next) => (args) => {
      limits.push("Limit" in args.input && args.input.Limit);
      return next(args);
    },
    { step: "initialize", name: "limits" },
  );
  const { read } = createHourEventsStore(database.table("securityEvents", client));
  for await (const { event } of read(scope, startOfHour(NOW), NOW)) expect(event.id).toBe("");
  expect(limits).toEqual([500]);
});
