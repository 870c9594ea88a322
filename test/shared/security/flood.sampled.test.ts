import { describe, expect, it, jest } from "@jest/globals";
import { countUnits } from "../../support/consumed-units.ts";
import { deepIt } from "../../support/deep-it.ts";
import { depth, rangeOf } from "../../support/depth.ts";
import {
  createFloodInstance,
  mostInAMinute,
  recordedRefusals,
  refusalsIn,
  refusedToken,
  useFloodTables,
} from "../../support/flood.ts";
import { createTurns } from "../../support/interleaving.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createRandom } from "../../support/random.ts";
import { NOW } from "../../support/security-events.ts";

const database = useFloodTables();
quietLog();
const logged = () => jest.mocked(process.stdout.write).mock.calls.join("");

let organizations = 0;
/** An organization of its own, a clock, and instances. */
const stage = () => {
  const organizationId = `org-${++organizations}`;
  const time = { now: NOW };
  const instance = (options: Parameters<typeof createFloodInstance>[2] = {}) =>
    createFloodInstance(database, () => time.now, options);
  const refused = (address: string, userId?: string) => refusedToken(address, { organizationId, userId });
  return { organizationId, time, instance, refused, recorded: () => recordedRefusals(database, organizationId) };
};

describe("refused tokens", () => {
  it("of one address are five events, and then a count that grows for a minute", async () => {
    const { time, instance, refused, recorded } = stage();
    const { record } = instance();
    for (let i = 0; i < 120; i++) {
      time.now++;
      await record(refused("192.0.2.1", `user-${i % 7}`));
    }
    const events = await recorded();
    expect(events.map(({ metadata, userId }) => [metadata.failures ?? 1, userId])).toEqual([
      ...[0, 1, 2, 3, 4].map((i) => [1, `user-${i}`]),
      [95, undefined],
    ]);
    expect(events.at(-1)).toMatchObject({
      ipAddress: "192.0.2.1",
      userAgent: "jest",
      errorMessage: "More tokens from this address were refused. This record counts them.",
      metadata: { users: 7, isLowerBound: true, requestId: "request-1" },
    });
    expect(events.at(-1)).not.toHaveProperty("sessionId");
    time.now += 2_000;
    await record(refused("192.0.2.1"));
    expect((await recorded()).map(({ metadata }) => metadata.failures ?? 1)).toEqual([1, 1, 1, 1, 1, 116]);
  });

  it("are in a new count once the hour of their count is over, whichever instance counts them", async () => {
    const { time, instance, refused, recorded } = stage();
    const start = Math.ceil(NOW / 3_600_000) * 3_600_000;
    time.now = start - 4_000;
    const [one, other] = [instance(), instance()];
    for (let i = 0; i < 12; i++) await one.record(refused("192.0.2.1"));
    time.now = start - 1_500;
    for (let i = 0; i < 7; i++) await one.record(refused("192.0.2.1"));
    for (let i = 0; i < 12; i++) await other.record(refused("192.0.2.1"));
    const before = await recorded();
    expect(refusalsIn(before)).toBeLessThan(12 + 7 + 12);
    time.now = start + 1_000;
    for (const late of [one, other]) await late.countDue();
    const after = await recorded();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length)).toMatchObject([{ timestamp: start }]);
    expect(refusalsIn(after)).toBe(12 + 7 + 12);
  });

  it("are single events again after a minute without one", async () => {
    const { time, instance, refused, recorded } = stage();
    const { record } = instance();
    for (let i = 0; i < 10; i++) {
      time.now++;
      await record(refused("192.0.2.1"));
    }
    time.now += 60_000;
    await record(refused("192.0.2.1"));
    expect((await recorded()).map(({ metadata }) => metadata.failures ?? 1)).toEqual([1, 1, 1, 1, 1, 5, 1]);
  });

  it("are dated when they were refused, however long they waited in their hour, and a count says when its last one was", async () => {
    const { time, instance, refused, recorded } = stage();
    const [first, second] = [instance(), instance()];
    for (let i = 0; i < 12; i++) {
      time.now += 10;
      await first.record(refused("192.0.2.1"));
      if (i < 9) await second.record(refused("198.51.100.1"));
    }
    const lastAt = time.now;
    // The next requests of the instances come much later, and are not refused.
    for (const { countDue } of [second, first]) {
      time.now += 14 * 60_000;
      await countDue();
    }
    const events = await recorded();
    expect(refusalsIn(events)).toBe(12 + 9);
    expect(Math.max(...events.map(({ timestamp }) => timestamp))).toBeLessThanOrEqual(lastAt);
    const counts = events.filter(({ metadata }) => metadata.failures !== undefined);
    expect(Math.max(...counts.map(({ metadata }) => metadata.lastAt ?? 0))).toBe(lastAt);
    for (const { timestamp, metadata } of counts) expect(metadata.lastAt).toBeGreaterThanOrEqual(timestamp);
  });

  it("that an idle instance adds late do not set back the time of a count's last one", async () => {
    const { time, instance, refused, recorded } = stage();
    const [idle, busy] = [instance(), instance()];
    for (let i = 0; i < 11; i++) await idle.record(refused("192.0.2.1"));
    for (let i = 0; i < 20; i++) {
      time.now += 1_000;
      await busy.record(refused("192.0.2.1"));
    }
    await busy.countDue();
    const lastAt = time.now;
    time.now += 3_000;
    await busy.countDue();
    await idle.countDue();
    const counts = (await recorded()).filter(({ metadata }) => metadata.failures !== undefined);
    expect(refusalsIn(await recorded())).toBe(31);
    expect(Math.max(...counts.map(({ metadata }) => metadata.lastAt ?? 0))).toBe(lastAt);
  });

  it("of one /64 are counted as of one address, and the count names the network", async () => {
    const { time, instance, refused, recorded } = stage();
    const { record } = instance();
    for (let i = 0; i < 10; i++) {
      time.now++;
      await record(refused(`2001:db8:1:2::${i + 1}`));
    }
    const addresses = (await recorded()).map(({ ipAddress }) => ipAddress);
    expect(addresses).toEqual([...[1, 2, 3, 4, 5].map((i) => `2001:db8:1:2::${i}`), "2001:db8:1:2::/64"]);
  });

  it("are counted with the request of their own address, not of the next one", async () => {
    const { time, instance, refused, recorded } = stage();
    const { record } = instance();
    for (let i = 0; i < 8; i++) await record(refused("192.0.2.1"));
    time.now += 2_000;
    const other = { action: "delete_plants_id", userAgent: "curl", metadata: { requestId: "request-2" } };
    await record({ ...refused("192.0.2.2"), ...other });
    const [count] = (await recorded()).filter(({ metadata }) => metadata.failures !== undefined);
    expect(count).toMatchObject({
      ipAddress: "192.0.2.1",
      action: "get_plants",
      userAgent: "jest",
      metadata: { failures: 3, requestId: "request-1" },
    });
  });

  it("of one address at many instances are in one count, with the address", async () => {
    const { time, instance, refused, recorded } = stage();
    const instances = Array.from({ length: 10 }, () => instance());
    for (let i = 0; i < 300; i++) await instances[i % 10]?.record(refused("192.0.2.1", `user-${i % 30}`));
    time.now += 2_000;
    for (const { countDue } of instances) await countDue();
    const counts = (await recorded()).filter(({ metadata }) => metadata.failures !== undefined);
    // The few refusals of an instance without a slot for single events may be in the other count.
    expect(counts.map(({ ipAddress }) => ipAddress)).toContain("192.0.2.1");
    expect(counts.length).toBeLessThanOrEqual(2);
    expect(refusalsIn(await recorded())).toBe(300);
  });

  it("that the budget has no slot for are in one count of all instances, which names no address", async () => {
    const { time, instance, refused, recorded } = stage();
    const instances = Array.from({ length: 4 }, () => instance());
    for (let i = 0; i < 200; i++) await instances[i % 4]?.record(refused(`192.0.2.${i % 100}`, `user-${i % 30}`));
    time.now += 2_000;
    for (const { countDue } of instances) await countDue();
    const events = await recorded();
    expect(refusalsIn(events)).toBe(200);
    const shared = events.filter(({ ipAddress }) => ipAddress === undefined);
    expect(shared).toMatchObject([{ metadata: { failures: 200 - 14, isLowerBound: true }, source: "user" }]);
    expect(shared[0]).not.toHaveProperty("resource");
    expect(shared[0]).not.toHaveProperty("userAgent");
    // Each instance met at least this many of the 30 users.
    expect(shared[0]?.metadata.users).toBeGreaterThanOrEqual(14);
    expect(shared[0]?.metadata.users).toBeLessThanOrEqual(30);
    time.now += 10_000;
    await instances[0]?.record(refused("192.0.2.1"));
    time.now += 2_000;
    await instances[0]?.countDue();
    expect((await recorded()).length).toBe(events.length);
    expect(refusalsIn(await recorded())).toBe(201);
  });

  deepIt("of no organization, and forged webhooks, have budgets of their own", async () => {
    const { organizationId, time, instance, refused, recorded } = stage();
    const [tokens, webhooks] = [instance(), instance({ kind: "webhooks" })];
    for (let i = 0; i < 100; i++) {
      await tokens.record(refused(`192.0.2.${i}`));
      await webhooks.record({ ...refusedToken(`192.0.2.${i}`, { organizationId }), source: "webhook" });
      await tokens.record(refusedToken(`192.0.2.${i}`));
    }
    time.now += 2_000;
    for (let i = 0; i < 2; i++) await tokens.countDue();
    await webhooks.countDue();
    const bySource = Map.groupBy(await recorded(), ({ source }) => source);
    expect(bySource.get("user")).toHaveLength(15);
    expect(bySource.get("webhook")).toHaveLength(15);
    const unowned = await recordedRefusals(database, undefined);
    expect(unowned).toHaveLength(38);
    expect([...bySource.values(), unowned].map(refusalsIn)).toEqual([100, 100, 100]);
  });

  it("leave slots for counts, so that detection sees the addresses that attack most", async () => {
    const { time, instance, refused, recorded } = stage();
    const { record } = instance();
    for (let round = 0; round < 12; round++) {
      for (let i = 0; i < 20; i++) await record(refused(`192.0.2.${i}`, "eve"));
    }
    const events = await recorded();
    const counts = events.filter(({ metadata, ipAddress }) => metadata.failures !== undefined && ipAddress);
    expect(counts.length).toBeGreaterThanOrEqual(3);
    expect(counts.length).toBeLessThanOrEqual(5);
    expect(counts.every(({ metadata }) => Number(metadata.failures) >= 5)).toBe(true);
    expect(events.filter(({ userId }) => userId === "eve").length).toBe(5);
    time.now += 2_000;
    await record(refused("192.0.2.1", "eve"));
    expect(refusalsIn(await recorded())).toBe(241);
  });

  deepIt(
    "of many users leave the first refusals of another user recorded, one by one or in a count that names the user",
    async () => {
      for (const noise of [(i: number) => `ghost-${i}`, (i: number) => `ghost-${i % 50}`, () => "eve"]) {
        const { time, instance, refused, recorded } = stage();
        const instances = Array.from({ length: 10 }, () => instance());
        for (let i = 0; i < 200; i++) await instances[i % 10]?.record(refused(`198.51.100.${i}`, noise(i)));
        for (let i = 0; i < 6; i++) {
          time.now += 100;
          await instances[3]?.record(refused("192.0.2.1", "ada"));
        }
        const singles = (await recorded()).filter(({ userId }) => userId === "ada").length;
        const counted = (await recorded()).flatMap(({ metadata: { busiest = [] } }) => busiest);
        const [named] = counted.filter(({ userId }) => userId === "ada");
        // The sixth waits for two seconds.
        expect(singles + (named?.failures ?? 0)).toBeGreaterThanOrEqual(5);
        expect(named?.addresses ?? ["192.0.2.1"]).toEqual(["192.0.2.1"]);
        expect(mostInAMinute(await recorded())).toBeLessThanOrEqual(20);
      }
    },
  );

  it("of a user take five single events in a minute, so that another user's are recorded one by one", async () => {
    const { instance, refused, recorded } = stage();
    const instances = Array.from({ length: 4 }, () => instance());
    for (let i = 0; i < 120; i++) await instances[i % 4]?.record(refused(`198.51.100.${i}`, "eve"));
    for (let i = 0; i < 3; i++) await instances[i]?.record(refused("192.0.2.1", "ada"));
    const singles = (await recorded()).filter(({ metadata }) => metadata.failures === undefined);
    expect(singles.filter(({ userId }) => userId === "eve")).toHaveLength(5);
    // Two users have few slots in common.
    expect(singles.filter(({ userId }) => userId === "ada").length).toBeGreaterThanOrEqual(2);
  });

  it("name in a count the users with the most refusals, added by all instances", async () => {
    const { time, instance, refused, recorded } = stage();
    const instances = Array.from({ length: 3 }, () => instance());
    for (let i = 0; i < 60; i++) await instances[i % 3]?.record(refused(`198.51.100.${i}`, `ghost-${i}`));
    for (const user of [1, 2, 3, 4, 5]) {
      for (let i = 0; i < user * 3; i++) await instances[i % 3]?.record(refused(`192.0.${user}.${i % 6}`, `u${user}`));
    }
    for (let i = 0; i < 4; i++) {
      time.now += 2_000;
      for (const { countDue, record } of instances) {
        await countDue();
        await record(refused("203.0.113.1"));
      }
    }
    const [count, ...others] = (await recorded()).filter(({ metadata }) => metadata.failures !== undefined);
    expect(others.every(({ ipAddress }) => ipAddress === "203.0.113.1")).toBe(true);
    const named = count?.metadata.busiest?.map(({ userId, failures }) => [userId, failures]);
    expect(named?.slice(0, 2)).toEqual([
      ["u5", 15],
      ["u4", 12],
    ]);
  });

  it("cost nothing if the log level excludes them, except claims", async () => {
    const { time, instance, refused, recorded } = stage();
    const { record, countDue } = instance({ logLevel: "CRITICAL" });
    for (let i = 0; i < 50; i++) await record(refused(`192.0.2.${i % 30}`));
    time.now += 2_000;
    await countDue();
    expect(await recorded()).toEqual([]);
  });

  it("cost one write unit more than their event if they are few", async () => {
    const { time, refused, instance } = stage();
    const client = database.newClient();
    const measure = countUnits(client);
    const { record } = instance({ client });
    for (let i = 0; i < 3; i++) {
      time.now += 60_000;
      // Six of the event: the table, and five indexes.
      expect((await measure(() => record(refused("192.0.2.1", "ada")))).write).toBe(7);
    }
  });

  deepIt("in a flood cost an instance few write units, whatever their number", async () => {
    const { time, refused, instance } = stage();
    const client = database.newClient();
    const measure = countUnits(client);
    const { record } = instance({ client });
    const { write } = await measure(async () => {
      for (let i = 0; i < 2_000; i++) {
        time.now += 30;
        await record(refused(`192.0.2.${i % 250}`, `user-${i % 300}`));
      }
    });
    // 20 events of six units and their claims, and 30 additions to counts of 3 units, also of the five with an address.
    expect(write).toBeLessThan(1_000);
  });
});

describe("if the store fails", () => {
  const failingClient = (isFailing: () => boolean) => {
    const client = database.newClient();
    client.middlewareStack.add(
      (next) => (args) => {
        if (isFailing()) throw new Error("The store is down.");
        return next(args);
      },
      { step: "initialize", name: "fail" },
    );
    return client;
  };

  it("refusals stay in memory, the log says so, and they are counted later", async () => {
    const { time, instance, refused, recorded } = stage();
    let isDown = true;
    const noteFailure = jest.fn(async () => undefined);
    const { record, countDue, unrecorded } = instance({ client: failingClient(() => isDown), noteFailure });
    for (let i = 0; i < 300; i++) {
      time.now += 20;
      await record(refused(`192.0.2.${i % 20}`, "eve"));
    }
    expect(await recorded()).toEqual([]);
    expect(unrecorded).toEqual([]);
    expect(logged()).toContain('"alarm":"refusals_not_counted"');
    // The calls pause for 5 s.
    expect(noteFailure.mock.calls.length).toBeLessThanOrEqual(2);
    isDown = false;
    for (let i = 0; i < 10; i++) {
      time.now += 5_000;
      await countDue();
    }
    expect(refusalsIn(await recorded())).toBe(300);
    expect(mostInAMinute(await recorded())).toBeLessThanOrEqual(20);
  });

  it("slots whose answers were lost are used", async () => {
    const { time, instance, refused, recorded } = stage();
    const proxy = await startLossyProxy(database.running().endpoint);
    const { record } = instance({ client: database.clientAt(proxy.url) });
    for (let i = 0; i < 10; i++) {
      time.now++;
      await record(refused("192.0.2.1"));
    }
    expect((await recorded()).map(({ metadata }) => metadata.failures ?? 1)).toEqual([1, 1, 1, 1, 1, 5]);
    proxy.stop();
  });

  it("no refusal is counted twice or lost, whichever call fails before it is sent", async () => {
    for (let seed = 1; seed <= depth(2, 40); seed++) {
      const { time, instance, refused, recorded } = stage();
      const random = createRandom(seed);
      let isHealthy = false;
      const { record, countDue, unrecorded, restore } = instance({
        client: failingClient(() => !isHealthy && random() < 0.3),
      });
      for (let i = 0; i < 100; i++) {
        time.now += Math.floor(random() * 500);
        await record(refused(`192.0.2.${Math.floor(random() * 4)}`));
      }
      isHealthy = true;
      for (const event of unrecorded) await restore(event);
      for (let i = 0; i < 10; i++) {
        time.now += 5_000;
        await countDue();
      }
      expect({ seed, refusals: refusalsIn(await recorded()) }).toEqual({ seed, refusals: 100 });
    }
  });
});

describe("instances at the same time", () => {
  it.each(rangeOf(depth(2, 60)))(
    "stay within the budget of any 60 s and count every refusal, in order %i",
    async (seed) => {
      const { organizationId, time, refused, recorded } = stage();
      const random = createRandom(seed);
      const turns = createTurns(seed);
      turns.between(() => {
        time.now += Math.floor(random() * (seed % 2 === 0 ? 200 : 20));
      });
      const below = (limit: number) => Math.floor(random() * limit);
      const addresses = 1 + below(40);
      const instances = Array.from({ length: 2 + below(5) }, () => {
        const client = database.newClient();
        turns.delay(client);
        return createFloodInstance(database, () => time.now, {
          client,
          random: () => Uint8Array.from({ length: 16 }, () => below(256)),
        });
      });
      const each = 60;
      await turns.run(
        instances.map(async ({ record }) => {
          for (let i = 0; i < each; i++) {
            await turns.pause();
            await record(
              refused(below(2) ? `192.0.2.${below(addresses)}` : `2001:db8:${below(3)}::${below(9)}`, "eve"),
            );
          }
        }),
      );
      const total = instances.length * each;
      const before = await recorded();
      expect(mostInAMinute(before)).toBeLessThanOrEqual(20);
      expect(refusalsIn(before)).toBeLessThanOrEqual(total);
      await turns.run(
        instances.map(async ({ countDue }) => {
          for (let i = 0; i < 30; i++) {
            await turns.pause();
            time.now += 1_000;
            await countDue();
          }
        }),
      );
      const events = await recorded();
      expect({ organizationId, refusals: refusalsIn(events) }).toEqual({ organizationId, refusals: total });
      expect(mostInAMinute(events)).toBeLessThanOrEqual(20);
    },
  );
});
