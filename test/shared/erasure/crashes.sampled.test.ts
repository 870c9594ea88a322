import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { ErasureRequest } from "../../../shared/erasure/erasure.ts";
import { rangeOf, sampleOf } from "../../support/depth.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { seed, startRunOf } from "./seed.ts";
import { createWorld, type Io, mentionsOf, startErasureEngine, type World } from "./world.ts";

// What dies in the middle of telling of a change says that it was not marked.
quietLog();

let engine: EmbeddedDynamoDb;
let world: World;

beforeAll(async () => {
  engine = await startErasureEngine();
  world = createWorld(engine);
});
afterAll(() => engine.stop());

class Death extends Error {}

/** An instance that dies at a call: before it reaches what is outside, or after it did what it does. */
const mortal = (at: number, dies: "before" | "after"): { io: Io; calls: () => number } => {
  let calls = 0;
  return {
    calls: () => calls,
    io: async (_, work) => {
      const call = calls++;
      if (call > at || (call === at && dies === "before")) throw new Death("the instance died");
      const result = await work();
      if (call === at) throw new Death("the instance died");
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
    idempotencyKey: undefined,
  });
  const [erasure] = await world.list(organizationId);
  return { organizationId, erasureId: erasure?.id ?? "" };
};

const resultOf = async (organizationId: string) => {
  const [erasure] = await world.list(organizationId);
  const own = await world.storedOf(organizationId);
  return { erasure, own, told: own.events.filter(({ eventType }) => String(eventType).startsWith("ERASURE")) };
};

const scopes = [
  { scope: "all", forgotten: ["bob", "carol", "cus_", "192.0.2.7"], toBeMade: [] },
  { scope: "user", userId: "bob", forgotten: ["bob", "192.0.2.7"], toBeMade: ["due#compliance#2026-11-18"] },
] as const;

/** Those that come after the first one die early: at the call of this number. */
const LATER_DEATHS = [4, 9, 13, 22];

describe.each(scopes)("workers of an erasure of $scope that die", ({ forgotten, toBeMade, ...request }) => {
  let expected: unknown;
  let calls: number;

  beforeAll(async () => {
    const asked = await requestOf(request);
    const whole = mortal(Number.POSITIVE_INFINITY, "before");
    await world.deliver(asked, { io: whole.io });
    calls = whole.calls();
    expected = (await resultOf(asked.organizationId)).erasure?.removed;
  });

  // The first at ten places on the way, and one after the other where it left off.
  it.each(sampleOf(rangeOf(10), 3))("at call %i tenths on their way leave the rest to the next", async (part) => {
    const first = Math.floor(((part + 0.9) * calls) / 10) - (part % 3);
    const asked = await requestOf(request);
    for (const [worker, at] of [first, ...LATER_DEATHS].entries()) {
      const { io } = mortal(at, (part + worker) % 2 === 0 ? "before" : "after");
      const death = await world.deliver(asked, { io }, "delivery").catch((error: unknown) => error);
      if (worker === 0) expect(death).toBeInstanceOf(Error);
      // The delivery comes again at once, or when the lease is over.
      if ((part + worker) % 3 === 0) world.time.now += 46_000;
    }
    world.time.now += 46_000;
    await world.deliver(asked, {}, "another");
    const { erasure, own, told } = await resultOf(asked.organizationId);
    expect(erasure).toMatchObject({ status: "completed", removed: expected });
    const { settings: _, ...places } = own;
    for (const text of forgotten) expect(mentionsOf({ ...places, settings: [] }, text)).toEqual([]);
    expect(told.map(({ eventType }) => eventType)).toEqual(["ERASURE_REQUESTED", "ERASURE_COMPLETED"]);
    expect(own.reports.map(({ key }) => key)).toEqual(expect.arrayContaining([...toBeMade]));
  });
});
