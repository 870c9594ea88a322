import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { createRateLimiter } from "../../../shared/provider/rate-limiter.ts";
import {
  BURST,
  createRateStore,
  INTERVAL_MS,
  MAX_BACKLOG_MS,
  type RateStore,
} from "../../../shared/provider/rate-store.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { useEngine } from "../../support/use-table.ts";

const NOW = 1_800_000_000_000;
/** What the provider allows an account in a second, at least. https://docs.stripe.com/rate-limits */
const PROVIDER_LIMIT = 25;

const database = useEngine("syncRuns");
let store: RateStore;
let organizations = 0;
let organizationId: string;
beforeAll(() => {
  store = createRateStore(createTable(database.documentClient(), "syncRuns"));
});
beforeEach(() => {
  organizationId = `organization ${++organizations}`;
});

const keyOf = () => ({ scope: organizationKey(organizationId), key: "rate" });
const setNextAt = (nextAt: number) =>
  database.documentClient().send(new PutCommand({ TableName: "syncRuns", Item: { ...keyOf(), nextAt } }));
const times = (slots: readonly ({ at: number } | undefined)[]) => slots.map((slot) => (slot?.at ?? Number.NaN) - NOW);
const first = (1 - BURST) * INTERVAL_MS;

describe("the shared rate", () => {
  it("gives instances that ask at once different slots: a burst, then one per interval", async () => {
    const slots = await Promise.all(Array.from({ length: 12 }, () => store.take(organizationId, NOW)));
    // Of many at once, a few may find that others were first five times in a row.
    const given = times(slots.filter((slot) => slot !== undefined)).sort((a, b) => a - b);
    expect(given).toEqual(given.map((_, n) => first + n * INTERVAL_MS));
    expect(given.length).toBeGreaterThan(6);
  });

  it("starts again after a pause, for each organization by itself, and expires a day later", async () => {
    for (let n = 0; n < 7; n++) await store.take(organizationId, NOW);
    expect(times([await store.take(organizationId, NOW + 60_000)])).toEqual([60_000 + first]);
    const { Item } = await database.documentClient().send(new GetCommand({ TableName: "syncRuns", Key: keyOf() }));
    expect(Item).toEqual({
      ...keyOf(),
      nextAt: NOW + 60_000 + first + INTERVAL_MS,
      ttl: (NOW + 60_000) / 1_000 + 86_400,
    });
    organizationId = "another";
    expect(times([await store.take(organizationId, NOW)])).toEqual([first]);
  });

  it("costs one write if no other instance took slots since, and two else", async () => {
    const client = database.documentClient();
    let writes = 0;
    client.middlewareStack.add(
      (next) => (args) => {
        writes++;
        return next(args);
      },
      { step: "initialize" },
    );
    const counted = createRateStore(createTable(client, "syncRuns"));
    const one = await counted.take(organizationId, NOW);
    const two = await counted.take(organizationId, NOW, one?.nextAt);
    expect(writes).toBe(2);
    await counted.take(organizationId, NOW);
    expect(writes).toBe(4);
    expect(two?.nextAt).toBe((one?.nextAt ?? 0) + INTERVAL_MS);
  });

  it("gives no slot that is more than 30 s ahead", async () => {
    await setNextAt(NOW + MAX_BACKLOG_MS);
    expect(times([await store.take(organizationId, NOW)])).toEqual([MAX_BACKLOG_MS]);
    expect(await store.take(organizationId, NOW)).toBeUndefined();
    expect(times([await store.take(organizationId, NOW + INTERVAL_MS)])).toEqual([MAX_BACKLOG_MS + INTERVAL_MS]);
  });

  it("ignores a time that only a wrong clock can have written", async () => {
    await setNextAt(NOW + 3_600_000);
    expect(times([await store.take(organizationId, NOW)])).toEqual([first]);
    await setNextAt(NOW + 3_600_000);
    expect(times([await store.take(organizationId, NOW, NOW + 3_600_000)])).toEqual([first]);
  });
});

/** A clock that moves on when no call of the store is under way and every instance sleeps. */
const createTime = () => {
  let now = NOW;
  let calls = 0;
  const sleepers: { at: number; wake: () => void }[] = [];
  return {
    clock: () => now,
    sleep: (ms: number) => new Promise<void>((wake) => sleepers.push({ at: now + ms, wake })),
    /** Counts a call that takes no time. */
    async call<Value>(work: () => Promise<Value>): Promise<Value> {
      calls++;
      return work().finally(() => calls--);
    },
    async runUntil(over: Promise<unknown>) {
      let isOver = false;
      void over.then(() => {
        isOver = true;
      });
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        if (calls > 0) continue;
        const [next] = sleepers.sort((a, b) => a.at - b.at);
        if (next === undefined) continue;
        sleepers.shift();
        now = Math.max(now, next.at);
        next.wake();
      }
    },
  };
};

describe("the instances of one organization", () => {
  it("make no more requests in any second than the provider allows, and take no longer than that needs", async () => {
    const time = createTime();
    const sentAt: number[] = [];
    const rate = {
      take: (...args: Parameters<RateStore["take"]>) => time.call(() => store.take(...args)),
    };
    /** An instance with this many workers that each make this many requests, one after the other. */
    const instance = async (workers: number, requests: number, isRun: boolean) => {
      const limiter = createRateLimiter({ rate, clock: time.clock, sleep: time.sleep });
      const worker = async (index: number) => {
        for (let n = 0; n < requests; n++) {
          const isUnshared = isRun && index === 0 && n === 0;
          const { release } = await limiter.acquire(organizationId, { isUnshared });
          sentAt.push(time.clock());
          await time.sleep(30);
          release();
        }
      };
      await Promise.all(Array.from({ length: workers }, (_, index) => worker(index)));
    };
    // A sync run, and five batches of five webhook events that all read an object.
    const all = [instance(4, 15, true), ...Array.from({ length: 5 }, () => instance(5, 2, false))];
    await time.runUntil(Promise.all(all));
    const most = Math.max(...sentAt.map((from) => sentAt.filter((at) => at >= from && at < from + 1_000).length));
    expect(sentAt).toHaveLength(110);
    // Two are left for an exchange of tokens and a request that is sent late.
    expect(most).toBeLessThanOrEqual(PROVIDER_LIMIT - 2);
    expect(Math.max(...sentAt) - NOW).toBeLessThan(110 * INTERVAL_MS);
  });
});
