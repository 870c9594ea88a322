import { describe, expect, it } from "@jest/globals";
import { createRateLimiter as createSharedRateLimiter, MAX_CONCURRENT } from "../../../shared/provider/rate-limiter.ts";
import { BURST, INTERVAL_MS } from "../../../shared/provider/rate-store.ts";
import { fc } from "../../support/fixed-seed.ts";
import { quietLog } from "../../support/quiet-log.ts";

quietLog();

type Time = Pick<ReturnType<typeof createTime>, "clock" | "sleep">;

/** The limiter of an instance that is alone: the shared rate delays nothing. */
const createRateLimiter = (time: Time) =>
  createSharedRateLimiter({ ...time, rate: { take: async (_, now) => ({ at: now, nextAt: now }) } });

/** A clock whose sleepers wake in order of time, after all other work is done. */
const createTime = () => {
  let now = 1_000_000;
  const sleepers: { at: number; wake: () => void }[] = [];
  return {
    clock: () => now,
    sleep: (ms: number) => new Promise<void>((wake) => sleepers.push({ at: now + ms, wake })),
    pass: (ms: number) => {
      now += ms;
    },
    /** Advances the time until nothing sleeps, or by `ms`. */
    async settle(ms = Number.POSITIVE_INFINITY) {
      const until = now + ms;
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        sleepers.sort((a, b) => a.at - b.at);
        const [next] = sleepers;
        if (next === undefined || next.at > until) break;
        sleepers.shift();
        now = Math.max(now, next.at);
        next.wake();
      }
      if (until < Number.POSITIVE_INFINITY) now = until;
    },
  };
};

/** Makes requests at once that take `tookMs` each; returns when each began. */
const run = async (count: number, tookMs: number, { time = createTime(), organizations = 1 } = {}) => {
  const limiter = createRateLimiter(time);
  const begun: number[] = [];
  const waited: number[] = [];
  let underWay = 0;
  let most = 0;
  const one = async (i: number) => {
    const slot = await limiter.acquire(`organization ${i % organizations}`);
    begun.push(time.clock());
    waited.push(slot.waitedMs);
    most = Math.max(most, ++underWay);
    if (tookMs > 0) await time.sleep(tookMs);
    underWay--;
    slot.release();
  };
  const all = Promise.all(Array.from({ length: count }, (_, i) => one(i)));
  await time.settle();
  await all;
  return { begun: begun.map((at) => at - (begun[0] ?? 0)), waited, most };
};

describe("the rate limiter towards the provider", () => {
  it("lets a burst through at once, then one request per interval", async () => {
    const { begun, waited } = await run(9, 0);
    expect(begun).toEqual([0, 0, 0, 0, 0, ...[1, 2, 3, 4].map((n) => n * INTERVAL_MS)]);
    expect(waited).toEqual(begun);
  });

  it("does not delay requests below the rate", async () => {
    const time = createTime();
    const limiter = createRateLimiter(time);
    for (let i = 0; i < 50; i++) {
      const { waitedMs, release } = await limiter.acquire("acme");
      expect(waitedMs).toBe(0);
      release();
      time.pass(INTERVAL_MS);
    }
  });

  it("bounds concurrent requests; the next starts when one ends", async () => {
    const { begun, most } = await run(9, 1_000);
    expect(most).toBe(MAX_CONCURRENT);
    expect(begun).toEqual([0, 0, 0, 0, 1_000, 1_000, 1_000, 1_000, 2_000]);
  });

  it("limits each organization by itself", async () => {
    const { begun } = await run(10, 0, { organizations: 2 });
    expect(begun).toEqual(Array(10).fill(0));
  });

  it("makes no more than 21 requests in any second", async () => {
    const gap = fc.oneof({ weight: 4, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.nat(600) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ gapMs: gap, tookMs: fc.nat(300) }), { minLength: 30, maxLength: 80 }),
        async (requests) => {
          const time = createTime();
          const limiter = createRateLimiter(time);
          const begun: number[] = [];
          const running: Promise<void>[] = [];
          for (const { gapMs, tookMs } of requests) {
            running.push(
              limiter.acquire("acme").then(async ({ release }) => {
                begun.push(time.clock());
                await time.sleep(tookMs);
                release();
              }),
            );
            await time.settle(gapMs);
          }
          await time.settle();
          await Promise.all(running);
          for (const from of begun) {
            const within = begun.filter((at) => at >= from && at < from + 1_000).length;
            expect(within).toBeLessThanOrEqual(21);
          }
          expect(begun).toHaveLength(requests.length);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("delays no request by a clock that was set back", async () => {
    const time = createTime();
    const limiter = createRateLimiter(time);
    for (let i = 0; i < BURST; i++) (await limiter.acquire("acme")).release();
    time.pass(-3_600_000);
    const next = limiter.acquire("acme");
    await time.settle();
    expect((await next).waitedMs).toBe(MAX_CONCURRENT * INTERVAL_MS);
  });

  it("waits for the shared rate, and asks for its slots again if they are all taken", async () => {
    const time = createTime();
    const asked: number[] = [];
    const answers = [undefined, undefined, { at: 1_000_000 + 10_300, nextAt: 1_000_000 + 10_363 }];
    const limiter = createSharedRateLimiter({
      ...time,
      rate: {
        take: async (_, now, lastNextAt) => {
          asked.push(now, lastNextAt ?? -1);
          return answers.shift();
        },
      },
    });
    const slot = limiter.acquire("acme");
    await time.settle();
    expect((await slot).waitedMs).toBe(10_300);
    expect(asked).toEqual([1_000_000, 0, 1_005_000, 0, 1_010_000, 0]);
  });

  it("takes no shared slot for an unshared request, and limits itself if the store fails", async () => {
    const time = createTime();
    const limiter = createSharedRateLimiter({
      ...time,
      rate: {
        take: async () => {
          throw new Error("the store does not answer");
        },
      },
    });
    (await limiter.acquire("acme", { isUnshared: true })).release();
    for (let i = 1; i < BURST; i++) (await limiter.acquire("acme")).release();
    const next = limiter.acquire("acme");
    await time.settle();
    expect((await next).waitedMs).toBe(INTERVAL_MS);
  });

  it("removes an organization only if that delays no request differently", async () => {
    const time = createTime();
    const limiter = createRateLimiter(time);
    // More than it keeps: idle organizations are removed, waiting ones are not.
    for (let i = 0; i < BURST; i++) (await limiter.acquire("busy")).release();
    for (let i = 0; i < 1_200; i++) (await limiter.acquire(`organization ${i}`)).release();
    const next = limiter.acquire("busy");
    await time.settle();
    expect((await next).waitedMs).toBe(INTERVAL_MS);
    time.pass(10_000);
    for (let i = 0; i < 1_200; i++) (await limiter.acquire(`another ${i}`)).release();
    expect((await limiter.acquire("busy")).waitedMs).toBe(0);
  });
});
