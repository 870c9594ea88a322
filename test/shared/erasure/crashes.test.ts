import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { ErasureRequest } from "../../../shared/erasure/erasure.ts";
import { organizationKey } from "../../../shared/security/keys.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { seed, startRunOf } from "./seed.ts";
import { createWorld, type Io, mentionsOf, startErasureEngine, type World } from "./world.ts";

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
  const scope = organizationKey(organizationId);
  const stored = await world.scan();
  const own = Object.fromEntries(
    Object.entries(stored).map(([table, items]) => [
      table,
      items.filter((item) => item.scope === scope || item.id === scope),
    ]),
  ) as typeof stored;
  return { erasure, own, told: own.events.filter(({ eventType }) => String(eventType).startsWith("ERASURE")) };
};

const scopes = [
  { scope: "all", forgotten: ["bob", "carol", "cus_", "192.0.2.7"] },
  { scope: "user", userId: "bob", forgotten: ["bob", "192.0.2.7"] },
] as const;

describe.each(scopes)("a worker of an erasure of $scope that dies", ({ forgotten, ...request }) => {
  let expected: unknown;
  let calls: number;

  beforeAll(async () => {
    const asked = await requestOf(request);
    const whole = mortal(Number.POSITIVE_INFINITY, "before");
    await world.deliver(asked, { io: whole.io });
    calls = whole.calls();
    expected = (await resultOf(asked.organizationId)).erasure?.removed;
  });

  // Twenty of all the calls, each death at another one.
  it.each(Array.from({ length: 20 }, (_, i) => i))(
    "at call %i twentieths on its way leaves the rest to the next",
    async (part) => {
      const at = Math.floor((part * calls) / 20) + (part % 3);
      const asked = await requestOf(request);
      const { io } = mortal(at, part % 2 === 0 ? "before" : "after");
      const isAgain = part % 3 !== 0;
      const death = await world.deliver(asked, { io }, "delivery").catch((error: unknown) => error);
      if (at < calls - 5) expect(death).toBeInstanceOf(Error);
      // The delivery comes again at once, or another one when the lease is over.
      if (!isAgain) world.time.now += 46_000;
      await world.deliver(asked, {}, isAgain ? "delivery" : "another");
      const { erasure, own, told } = await resultOf(asked.organizationId);
      expect(erasure).toMatchObject({ status: "completed", removed: expected });
      const { settings: _, ...places } = own;
      for (const text of forgotten) expect(mentionsOf({ ...places, settings: [] }, text)).toEqual([]);
      expect(told.map(({ eventType }) => eventType)).toEqual(["ERASURE_REQUESTED", "ERASURE_COMPLETED"]);
    },
  );
});
