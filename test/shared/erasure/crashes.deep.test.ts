import { beforeAll, describe, expect, it } from "@jest/globals";
import type { ErasureRequest } from "../../../shared/erasure/erasure.ts";
import { rangeOf } from "../../support/depth.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { seed, startRunOf } from "./seed.ts";
import { type Io, mentionsOf, useWorld } from "./world.ts";

// A worker that crashes while it records a change logs that the change was not marked.
quietLog();

const world = useWorld();

class Crash extends Error {}

/** An instance that crashes at a call: before the call has an effect, or after it. */
const crashing = (at: number, dies: "before" | "after"): { io: Io; calls: () => number } => {
  let calls = 0;
  return {
    calls: () => calls,
    io: async (_, work) => {
      const call = calls++;
      if (call > at || (call === at && dies === "before")) throw new Crash("the instance crashed");
      const result = await work();
      if (call === at) throw new Crash("the instance crashed");
      return result;
    },
  };
};

const requestOf = async (request: ErasureRequest) => {
  const organizationId = world.newOrganization();
  await seed(world, organizationId, 12);
  await startRunOf(world, organizationId, "bob");
  await world.request(request, {
    caller: { organizationId, userId: "root", sessionId: undefined },
    origin: { requestId: "r-9", ipAddress: "203.0.113.1" },
  });
  const [erasure] = await world.list(organizationId);
  return { organizationId, erasureId: erasure?.id ?? "" };
};

const resultOf = async (organizationId: string) => {
  const [erasure] = await world.list(organizationId);
  const own = await world.storedOf(organizationId);
  return {
    erasure,
    own,
    recorded: own.securityEvents.filter(({ eventType }) => String(eventType).startsWith("ERASURE")),
  };
};

const scopes = [
  { scope: "all", forgotten: ["bob", "carol", "cus_", "192.0.2.7"], toBeMade: [] },
  { scope: "user", userId: "bob", forgotten: ["bob", "192.0.2.7"], toBeMade: ["due#compliance#2026-11-18"] },
] as const;

/** The later workers crash early: at the call of this number. */
const LATER_CRASHES = [4, 9, 13, 22];

describe.each(scopes)("workers of an erasure of $scope that crash", ({ forgotten, toBeMade, ...request }) => {
  let expected: unknown;
  let calls: number;

  beforeAll(async () => {
    const requested = await requestOf(request);
    const whole = crashing(Number.POSITIVE_INFINITY, "before");
    await world.deliver(requested, { io: whole.io });
    calls = whole.calls();
    expected = (await resultOf(requested.organizationId)).erasure?.removed;
  });

  // The first worker crashes at one of ten points; each later one continues from the last checkpoint.
  it.each(rangeOf(10))("after %i tenths of the calls leave the rest to the next worker", async (part) => {
    const first = Math.floor(((part + 0.9) * calls) / 10) - (part % 3);
    const requested = await requestOf(request);
    for (const [worker, at] of [first, ...LATER_CRASHES].entries()) {
      const { io } = crashing(at, (part + worker) % 2 === 0 ? "before" : "after");
      const crash = await world.deliver(requested, { io }, "delivery").catch((error: unknown) => error);
      if (worker === 0) expect(crash).toBeInstanceOf(Error);
      // The delivery is repeated at once, or after the lease has expired.
      if ((part + worker) % 3 === 0) world.time.now += 46_000;
    }
    world.time.now += 46_000;
    await world.deliver(requested, {}, "another");
    const { erasure, own, recorded } = await resultOf(requested.organizationId);
    expect(erasure).toMatchObject({ status: "completed", removed: expected });
    const { settings: _, ...rest } = own;
    for (const text of forgotten) expect(mentionsOf({ ...rest, settings: [] }, text)).toEqual([]);
    expect(recorded.map(({ eventType }) => eventType)).toEqual(["ERASURE_REQUESTED", "ERASURE_COMPLETED"]);
    expect(own.reports.map(({ key }) => key)).toEqual(expect.arrayContaining([...toBeMade]));
  });
});
