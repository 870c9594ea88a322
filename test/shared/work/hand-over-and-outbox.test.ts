import { describe, expect, it, jest } from "@jest/globals";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { handOver, isStalled, resumeJobs } from "../../../shared/work/hand-over.ts";
import { sweepOutbox } from "../../../shared/work/outbox.ts";

const request: BusEvent = { source: "test", detailType: "Requested", detail: { version: 1 } };

/** A bus that refuses the first calls. */
const createBus = (refusals = 0) => {
  const log: string[] = [];
  let left = refusals;
  const bus = {
    async publish<Event extends BusEvent>(events: readonly Event[]) {
      log.push("publish");
      return left-- > 0 ? events.map((event) => ({ event, reason: "no" })) : [];
    },
  };
  return { log, bus, lease: { release: async () => void log.push("release") } };
};

describe("a hand-over", () => {
  it("releases the lease before it requests the next worker, and repeats the request until the bus accepts it", async () => {
    const { log, bus, lease } = createBus(2);
    await handOver({ bus, lease, remainingMs: () => 15_000 }, request);
    expect(log).toEqual(["release", "publish", "publish", "publish"]);
  });

  it("fails early enough to report the failure", async () => {
    const { log, bus, lease } = createBus(100);
    let looks = 0;
    const remainingMs = () => 6_000 - 1_000 * looks++;
    await expect(handOver({ bus, lease, remainingMs }, request)).rejects.toThrow("did not take");
    expect(log).toEqual(["release", "publish", "publish", "publish"]);
  });
});

describe("a job without a worker", () => {
  it.each([
    ["its request is a minute old", { requestedAt: 0 }, 60_000, false],
    ["its request is older", { requestedAt: 0 }, 60_001, true],
    ["its lease is about to expire", { requestedAt: 0, leaseUntil: 90_000 }, 90_000, false],
    ["its lease has expired", { requestedAt: 0, leaseUntil: 90_000 }, 90_001, true],
    ["its lease was released long after the request", { requestedAt: 0, leaseUntil: 0 }, 90_000, true],
    ["its lease was released a moment after the request", { requestedAt: 80_000, leaseUntil: 0 }, 90_000, false],
  ])("is recognised if %s: %j at %i: %s", (_, job, now, expected) => {
    expect(isStalled(job, now)).toBe(expected);
  });

  it("is requested again until the time runs short", async () => {
    const jobs = async function* () {
      yield* ["gone", "works", "stalled", "refused", "late"];
    };
    const found: string[] = [];
    const find = async (job: string) => {
      found.push(job);
      if (job === "gone") return undefined;
      return { request: job === "works" ? undefined : { ...request, detail: { job } } };
    };
    const bus = {
      async publish<Event extends BusEvent>(events: readonly Event[]) {
        const refused = events.filter(({ detail }) => JSON.stringify(detail).includes("refused"));
        return refused.map((event) => ({ event, reason: "no" }));
      },
    };
    let looks = 0;
    const remainingMs = () => 14_000 - 1_000 * looks++;
    await expect(resumeJobs({ jobs: jobs(), find, bus }, remainingMs)).resolves.toEqual({
      underWay: 4,
      resumed: 2,
      failed: 1,
    });
    expect(found).toEqual(["gone", "works", "stalled", "refused", "late"]);
    await expect(resumeJobs({ jobs: jobs(), find, bus }, () => 9_999)).resolves.toEqual({
      underWay: 0,
      resumed: 0,
      failed: 0,
    });
  });
});

describe("the sweep of an outbox", () => {
  /** The entries that the index lists in each round, and the published ones. */
  const createOutbox = (rounds: string[][], failures = (_: string) => false) => {
    const published: string[][] = [];
    return {
      published,
      outbox: {
        list: async () => rounds.shift() ?? [],
        nameOf: (entry: string) => entry,
        publish: async (entries: readonly string[]) => {
          published.push([...entries]);
          return entries.filter(failures).length;
        },
      },
    };
  };
  const plenty = () => 300_000;

  it("publishes in rounds until the outbox is empty", async () => {
    const { outbox, published } = createOutbox([["a", "b"], ["c"]]);
    await expect(sweepOutbox(outbox, plenty)).resolves.toEqual({ published: 3, failed: 0 });
    expect(published).toEqual([["a", "b"], ["c"]]);
  });

  it("publishes an entry once per run, although the index lists it again", async () => {
    const { outbox, published } = createOutbox([["a"], ["a", "b"], ["a", "b"], ["c"]]);
    await expect(sweepOutbox(outbox, plenty)).resolves.toEqual({ published: 2, failed: 0 });
    expect(published).toEqual([["a"], ["b"]]);
  });

  it("pauses once for a lagging index, and continues if new entries follow", async () => {
    const { outbox, published } = createOutbox([["a"], ["a"], ["a", "b"], ["b"], ["b"], ["c"]]);
    let pauses = 0;
    const pause = async () => void pauses++;
    await expect(sweepOutbox({ ...outbox, pause }, plenty)).resolves.toEqual({ published: 2, failed: 0 });
    expect(published).toEqual([["a"], ["b"]]);
    expect(pauses).toBe(2);
  });

  it("does not wait for the index if nothing waits, and waits once if nothing new does", async () => {
    const pause = jest.fn(async () => undefined);
    await sweepOutbox({ ...createOutbox([]).outbox, pause }, plenty);
    expect(pause).not.toHaveBeenCalled();
    await sweepOutbox({ ...createOutbox([["a"], ["a"], []]).outbox, pause }, plenty);
    await sweepOutbox({ ...createOutbox([["a"], ["a"], ["a"], ["b"]]).outbox, pause }, plenty);
    expect(pause).toHaveBeenCalledTimes(2);
  });

  it("ends when the bus refuses an entry", async () => {
    const { outbox, published } = createOutbox([["a", "b"], ["c"]], (entry) => entry === "b");
    await expect(sweepOutbox(outbox, plenty)).resolves.toEqual({ published: 1, failed: 1 });
    expect(published).toHaveLength(1);
  });

  it("begins no round once the time is short", async () => {
    const { outbox, published } = createOutbox([["a"]]);
    await expect(sweepOutbox(outbox, () => 20_000)).resolves.toEqual({ published: 0, failed: 0 });
    expect(published).toEqual([]);
    await expect(sweepOutbox(outbox, () => 20_001)).resolves.toEqual({ published: 1, failed: 0 });
  });
});
