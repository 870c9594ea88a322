import { describe, expect, it } from "@jest/globals";
import { createCircuitStore } from "../../../shared/circuit-breaker/circuit-store.ts";
import type { AccountActivity, ProviderPage } from "../../../shared/provider/provider.ts";
import { ProviderError } from "../../../shared/provider/provider-error.ts";
import { eventId } from "../../../shared/security/event-id.ts";
import type { EventMoment } from "../../../shared/security/recorder.ts";
import type { NewSecurityEvent } from "../../../shared/security/security-event.ts";
import type { ActivityItem } from "../../../shared/sync/activity-item.ts";
import type { ActivityStore } from "../../../shared/sync/activity-store.ts";
import { createReadActivity } from "../../../shared/sync/read-activity.ts";
import { createViewActivity } from "../../../shared/sync/view-activity.ts";
import { rangeOf } from "../../support/depth.ts";
import { createRandom } from "../../support/random.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 10, 21, 12);

type Listed = AccountActivity & { shownAt: number };

/** The log of an account, and its reader. Calls of the store and of the recorder fail as `faults` says. */
const createWorld = ({ pageSize = 100, order = (entries: Listed[]) => entries } = {}) => {
  const time = { now: NOON };
  const entries: Listed[] = [];
  const events = new Map<string, NewSecurityEvent>();
  const connection = { accountId: "acct_1", connectionId: "c1" };
  const judged: string[] = [];
  const world = { isWanted: true, isRefused: false, requests: 0, fault: () => false as boolean, remainingMs: 200_000 };
  let item: ActivityItem | undefined;
  let writes = 0;
  const failing = async <Value>(work: () => Value): Promise<Value> => {
    if (world.fault()) throw new Error("the instance died");
    return work();
  };
  const activity: ActivityStore = {
    read: async () => item,
    replace: (_, before, after) =>
      failing(() => {
        if (item?.token !== before?.token) return undefined;
        item = { ...after, token: `${++writes}` };
        return item;
      }),
  };
  const list = async ({ after = "0" }: { after?: string | undefined }): Promise<ProviderPage<AccountActivity>> => {
    world.requests++;
    if (world.isRefused) {
      const details = { kind: "validation", outcome: "success", isRetryable: false, status: 403 } as const;
      throw new ProviderError("no", { ...details, reason: "not_permitted", code: "permission_denied" });
    }
    const shown = order(entries.filter(({ shownAt }) => shownAt <= time.now));
    const end = Number(after) + pageSize;
    return { items: shown.slice(Number(after), end), next: end < shown.length ? `${end}` : undefined };
  };
  const read = createReadActivity({
    isWanted: async () => world.isWanted,
    circuits: createCircuitStore({} as never) && { read: async () => ({ state: "closed", failures: [] }) as never },
    openConnection: async () => ({ connection, credentials: {} }) as never,
    access: { openActivityLog: () => ({ list }), flush: async () => {} },
    activity,
    recorder: {
      record: (event: NewSecurityEvent, { timestamp = 0, identity = new Uint8Array() }: EventMoment = {}) =>
        failing(() => void events.set(eventId(timestamp, identity), event)) as never,
    },
    judge: async (_, recorded) => {
      judged.push(...recorded.map(({ metadata }) => (metadata as { activityId: string }).activityId));
    },
    clock: () => time.now,
  });
  const view = createViewActivity({
    activity,
    settings: { read: async () => ({ accountActivity: world.isWanted }) },
  });
  return {
    time,
    world,
    connection,
    judged,
    events,
    add(id: string, occurredAt: number, shownAt = occurredAt) {
      const details = { type: "api_key", api_key: { id: "mk_1" } };
      const actor = { type: "user", email: "eve@example.com" };
      entries.push({ id, type: "api_key_viewed", occurredAt, shownAt, actor, details });
    },
    read: () => read("acme", () => world.remainingMs),
    view: () => view("acme", connection.accountId),
    /** The ids of the entries that have events, once for each event. */
    recorded: () => [...events.values()].map(({ metadata }) => metadata?.activityId).sort(),
  };
};

describe("the first read of an account", () => {
  it("records what happened in 28 days, each entry as one event of the time of the read", async () => {
    const { add, read, events, recorded, judged, view, world } = createWorld();
    add("accact_old", NOON - 28 * DAY - 1);
    add("accact_a", NOON - 28 * DAY);
    add("accact_b", NOON - 1);
    expect(await view()).toEqual({ state: "on" });
    expect(await read()).toEqual({ isRead: true, entries: 2 });
    expect(recorded()).toEqual(["accact_a", "accact_b"]);
    expect([...events.keys()].every((id) => id.startsWith(eventId(NOON, new Uint8Array(16)).slice(0, 10)))).toBe(true);
    expect([...events.values()][0]).toEqual({
      eventType: "PROVIDER_ACCOUNT_ACTIVITY",
      category: "security",
      riskLevel: "MEDIUM",
      source: "provider",
      organizationId: "acme",
      resource: "acct_1",
      resourceType: "provider_account",
      action: "api_key_viewed",
      success: true,
      metadata: {
        activityId: "accact_a",
        type: "api_key_viewed",
        occurredAt: NOON - 28 * DAY,
        actor: { type: "user", email: "eve@example.com" },
        details: { type: "api_key", api_key: { id: "mk_1" } },
      },
    });
    expect(await view()).toEqual({ state: "on", readUntil: NOON });
    expect([world.requests, judged]).toEqual([1, []]);
  });
});

describe("the hourly read", () => {
  it("records an entry once that is shown up to an hour after it occurred, in one request when quiet", async () => {
    const { add, read, recorded, time, world } = createWorld();
    await read();
    add("accact_at once", NOON + 10);
    add("accact_late", NOON + 20, NOON + HOUR + 20);
    for (let hour = 1; hour <= 4; hour++) {
      time.now = NOON + hour * HOUR;
      await read();
    }
    expect(recorded()).toEqual(["accact_at once", "accact_late"]);
    expect(world.requests).toBe(5);
  });

  it("goes on with the next page when its time was short, and after crashes, in any order of the list", async () => {
    for (const seed of rangeOf(20)) {
      const random = createRandom(seed);
      const shuffled = (entries: Listed[]) =>
        [...entries].sort((a, b) => ((a.id + b.id).length % 3) - 1 || (seed % 2 ? 1 : -1));
      const { add, read, recorded, time, world, view } = createWorld({ pageSize: 3, order: shuffled });
      const added = rangeOf(17).map((n) => `accact_${n}`);
      for (const id of added) {
        const occurredAt = NOON + Math.floor(random() * 6 * HOUR);
        add(id, occurredAt, occurredAt + Math.floor(random() * HOUR));
      }
      world.fault = () => random() < 0.15;
      for (let step = 0; step <= 16; step++) {
        time.now = NOON + step * 0.5 * HOUR;
        world.remainingMs = random() < 0.2 ? 0 : 200_000;
        if (step === 16) world.fault = () => false;
        await read().catch(() => undefined);
      }
      // The last read may have gone on with an earlier one.
      for (let more = 0; more < 2; more++) {
        time.now += HOUR;
        world.remainingMs = 200_000;
        await read();
      }
      expect({ seed, recorded: recorded() }).toEqual({ seed, recorded: [...added].sort() });
      expect(await view()).toEqual({ state: "on", readUntil: time.now });
    }
  });

  it("does not read what the organization has switched off, and goes on later", async () => {
    const { add, read, recorded, judged, time, world, view } = createWorld();
    await read();
    world.isWanted = false;
    add("accact_a", NOON + 1);
    time.now += DAY;
    await read();
    expect(world.requests).toBe(1);
    expect(await view()).toEqual({ state: "off", readUntil: NOON });
    world.isWanted = true;
    await read();
    expect(recorded()).toEqual(["accact_a"]);
    add("accact_b", time.now + 1);
    time.now += HOUR;
    await read();
    // What happened while it was off is only compared with.
    expect(judged).toEqual(["accact_b"]);
  });

  it("begins again with another account", async () => {
    const { read, view, connection, world, time } = createWorld();
    await read();
    Object.assign(connection, { accountId: "acct_2", connectionId: "c2" });
    expect(await view()).toEqual({ state: "on" });
    time.now += 1;
    await read();
    expect(world.requests).toBe(2);
    expect(await view()).toEqual({ state: "on", readUntil: NOON + 1 });
  });
});

describe("a log that the provider refuses", () => {
  it("is not available, and asked for again after a day, or for a new connection at once", async () => {
    const { read, view, world, time, connection } = createWorld();
    world.isRefused = true;
    expect(await read()).toEqual({ isRead: false, entries: 0 });
    expect(await view()).toEqual({ state: "not_available", reason: "permission_denied" });
    time.now += DAY - 1;
    await read();
    expect(world.requests).toBe(1);
    time.now += 1;
    await read();
    expect(world.requests).toBe(2);
    world.isRefused = false;
    connection.connectionId = "c2";
    await read();
    expect(await view()).toEqual({ state: "on", readUntil: time.now });
  });
});
