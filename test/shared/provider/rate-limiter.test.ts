import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  BURST,
  createRateLimiter,
  MAX_CONCURRENT,
  REQUESTS_PER_SECOND,
} from "../../../shared/provider/rate-limiter.ts";

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
    expect(begun).toEqual([0, 0, 0, 0, 0, 50, 100, 150, 200]);
    expect(waited).toEqual(begun);
  });

  it("does not delay requests below the rate", async () => {
    const time = createTime();
    const limiter = createRateLimiter(time);
    for (let i = 0; i < 50; i++) {
      const { waitedMs, release } = await limiter.acquire("acme");
      expect(waitedMs).toBe(0);
      release();
      time.pass(1_000 / REQUESTS_PER_SECOND);
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

  it("makes no more requests in any second than the provider's sandbox allows", async () => {
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
            expect(within).toBeLessThanOrEqual(25);
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
    expect((await next).waitedMs).toBe(200);
  });

  it("removes an organization only if that delays no request differently", async () => {
    const time = createTime();
    const limiter = createRateLimiter(time);
    // More than it keeps: idle organizations are removed, waiting ones are not.
    for (let i = 0; i < BURST; i++) (await limiter.acquire("busy")).release();
    for (let i = 0; i < 1_200; i++) (await limiter.acquire(`organization ${i}`)).release();
    const next = limiter.acquire("busy");
    await time.settle();
    expect((await next).waitedMs).toBe(50);
    time.pass(10_000);
    for (let i = 0; i < 1_200; i++) (await limiter.acquire(`another ${i}`)).release();
    expect((await limiter.acquire("busy")).waitedMs).toBe(0);
  });
});
