import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { BURST, createPace, MAX_CONCURRENT, REQUESTS_PER_SECOND } from "../../../shared/provider/rate-limiter.ts";

/** A clock whose sleepers wake in order of time, when everything else has come to rest. */
const createTime = () => {
  let now = 1_000_000;
  const sleepers: { at: number; wake: () => void }[] = [];
  return {
    clock: () => now,
    sleep: (ms: number) => new Promise<void>((wake) => sleepers.push({ at: now + ms, wake })),
    pass: (ms: number) => {
      now += ms;
    },
    /** Lets time go by until nobody sleeps, or for so long. */
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

/** Requests that take so long each, all asked for at once; gives when each began. */
const run = async (count: number, tookMs: number, { time = createTime(), organizations = 1 } = {}) => {
  const pace = createPace(time);
  const begun: number[] = [];
  const paced: number[] = [];
  let underWay = 0;
  let most = 0;
  const one = async (i: number) => {
    const turn = await pace.turn(`organization ${i % organizations}`);
    begun.push(time.clock());
    paced.push(turn.pacedMs);
    most = Math.max(most, ++underWay);
    if (tookMs > 0) await time.sleep(tookMs);
    underWay--;
    turn.end();
  };
  const all = Promise.all(Array.from({ length: count }, (_, i) => one(i)));
  await time.settle();
  await all;
  return { begun: begun.map((at) => at - (begun[0] ?? 0)), paced, most };
};

describe("our own pace", () => {
  it("lets a few go at once, and then one after another", async () => {
    const { begun, paced } = await run(9, 0);
    expect(begun).toEqual([0, 0, 0, 0, 0, 50, 100, 150, 200]);
    expect(paced).toEqual(begun);
  });

  it("keeps nobody waiting who comes slowly", async () => {
    const time = createTime();
    const pace = createPace(time);
    for (let i = 0; i < 50; i++) {
      const { pacedMs, end } = await pace.turn("acme");
      expect(pacedMs).toBe(0);
      end();
      time.pass(1_000 / REQUESTS_PER_SECOND);
    }
  });

  it("lets only a few be under way, and the next when one has ended", async () => {
    const { begun, most } = await run(9, 1_000);
    expect(most).toBe(MAX_CONCURRENT);
    expect(begun).toEqual([0, 0, 0, 0, 1_000, 1_000, 1_000, 1_000, 2_000]);
  });

  it("is each organization's own", async () => {
    const { begun } = await run(10, 0, { organizations: 2 });
    expect(begun).toEqual(Array(10).fill(0));
  });

  it("never makes more requests in any second than the provider's sandbox allows", async () => {
    const gap = fc.oneof({ weight: 4, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.nat(600) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ gapMs: gap, tookMs: fc.nat(300) }), { minLength: 30, maxLength: 80 }),
        async (requests) => {
          const time = createTime();
          const pace = createPace(time);
          const begun: number[] = [];
          const running: Promise<void>[] = [];
          for (const { gapMs, tookMs } of requests) {
            running.push(
              pace.turn("acme").then(async ({ end }) => {
                begun.push(time.clock());
                await time.sleep(tookMs);
                end();
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

  it("makes nobody wait for a clock that was set back", async () => {
    const time = createTime();
    const pace = createPace(time);
    for (let i = 0; i < BURST; i++) (await pace.turn("acme")).end();
    time.pass(-3_600_000);
    const next = pace.turn("acme");
    await time.settle();
    expect((await next).pacedMs).toBe(200);
  });

  it("forgets organizations only when that makes no difference", async () => {
    const time = createTime();
    const pace = createPace(time);
    // More than it keeps: those that could not be told from new ones are forgotten, and those that wait are not.
    for (let i = 0; i < BURST; i++) (await pace.turn("busy")).end();
    for (let i = 0; i < 1_200; i++) (await pace.turn(`organization ${i}`)).end();
    const next = pace.turn("busy");
    await time.settle();
    expect((await next).pacedMs).toBe(50);
    time.pass(10_000);
    for (let i = 0; i < 1_200; i++) (await pace.turn(`another ${i}`)).end();
    expect((await pace.turn("busy")).pacedMs).toBe(0);
  });
});
