import { describe, expect, it } from "@jest/globals";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { startRunOf } from "./seed.ts";
import { type Io, useWorld, type World } from "./world.ts";

const world = useWorld();

const LEASE_MS = 45_000;

const ask = async (organizationId: string, request: Parameters<World["request"]>[0]) => {
  const { id: erasureId } = await world.request(request, {
    caller: { organizationId, userId: "root", sessionId: undefined },
    origin: { requestId: "r-1", ipAddress: "203.0.113.1" },
  });
  return { organizationId, erasureId };
};

const completedAt = async (organizationId: string): Promise<number> => {
  const [erasure] = await world.list(organizationId);
  expect(erasure?.status).toBe("completed");
  return erasure?.completedAt ?? 0;
};

const scopes = [{ scope: "all" }, { scope: "user", userId: "bob" }] as const;

describe.each(scopes)("a run that bob requested, when %j is erased", (request) => {
  it("is cancelled, and the erasure waits for its worker's lease", async () => {
    const organizationId = world.newOrganization();
    await startRunOf(world, organizationId, "bob");
    const startedAt = world.time.now;
    await world.deliver(await ask(organizationId, request));
    expect((await world.main.runs.findEnded(organizationId, "01R"))?.status).toBe("cancelled");
    expect((await completedAt(organizationId)) - startedAt).toBeGreaterThanOrEqual(LEASE_MS);
    expect((await completedAt(organizationId)) - startedAt).toBeLessThan(LEASE_MS + 15_000);
  });

  it("is waited for by the next worker too, if the first one crashes after the cancellation", async () => {
    const organizationId = world.newOrganization();
    await startRunOf(world, organizationId, "bob");
    let hasCrashed = false;
    const io: Io = async (_, call) => {
      if (hasCrashed) throw new Error("the instance crashed");
      const result = await call();
      hasCrashed = (await world.main.runs.readState(organizationId)).run === undefined;
      if (hasCrashed) throw new Error("the instance crashed");
      return result;
    };
    const asked = await ask(organizationId, request);
    await expect(world.deliver(asked, { io }, "delivery")).rejects.toThrow();
    const crashedAt = world.time.now;
    await world.deliver(asked, {}, "delivery");
    expect((await completedAt(organizationId)) - crashedAt).toBeGreaterThanOrEqual(LEASE_MS);
  });
});

describe("a run that another user requested", () => {
  it("continues when bob is erased, and the erasure does not wait for it", async () => {
    const organizationId = world.newOrganization();
    await startRunOf(world, organizationId, "carol");
    const startedAt = world.time.now;
    await world.deliver(await ask(organizationId, { scope: "user", userId: "bob" }));
    expect((await world.main.runs.readState(organizationId)).run).toMatchObject({
      id: "01R",
      askedBy: { userId: "carol" },
    });
    expect((await completedAt(organizationId)) - startedAt).toBeLessThan(10_000);
  });
});

describe("a report that is being made", () => {
  it.each(scopes)("is not stored after %j was erased, even if there was no report to delete", async (request) => {
    const organizationId = world.newOrganization();
    await world.deliver(await ask(organizationId, request));
    const { reports } = await world.scan();
    const own = reports.filter(({ scope }) => scope === organizationKey(organizationId));
    expect(own).toEqual([{ scope: organizationKey(organizationId), key: "erased", times: expect.any(Number) }]);
  });
});

describe("two workers of one erasure", () => {
  it("exclude each other: the second finds it taken, and one whose lease has expired stops", async () => {
    const organizationId = world.newOrganization();
    const asked = await ask(organizationId, { scope: "all" });
    let other: unknown;
    let calls = 0;
    const io: Io = async (_, call) => {
      const at = calls++;
      if (at === 5) other = await world.deliver(asked);
      // The first worker hangs for longer than its lease.
      if (at === 8) {
        world.time.now += LEASE_MS + 1;
        await world.deliver(asked);
      }
      return call();
    };
    await expect(world.deliver(asked, { io })).resolves.toMatchObject({ isTaken: true, isCompleted: false });
    expect(other).toMatchObject({ isTaken: false });
    await completedAt(organizationId);
    const { securityEvents: events } = await world.scan();
    const recorded = events.filter((event) => event.organizationId === organizationId);
    expect(recorded.map(({ eventType }) => eventType)).toEqual(["ERASURE_REQUESTED", "ERASURE_COMPLETED"]);
  });
});

describe("a worker that crashes after it recorded the completion", () => {
  it("leaves one event of the completion", async () => {
    const organizationId = world.newOrganization();
    const recorded = async () => {
      const { securityEvents: events } = await world.scan();
      return events.filter(
        (event) => event.organizationId === organizationId && event.eventType === "ERASURE_COMPLETED",
      );
    };
    const io: Io = async (name, call) => {
      const result = await call();
      if (name === "PutItemCommand" && (await recorded()).length > 0) throw new Error("the instance crashed");
      return result;
    };
    const asked = await ask(organizationId, { scope: "all" });
    await expect(world.deliver(asked, { io }, "delivery")).rejects.toThrow();
    expect(await world.list(organizationId)).toMatchObject([{ status: "running" }]);
    world.time.now += 60_000;
    await world.deliver(asked);
    expect(await recorded()).toMatchObject([{ timestamp: await completedAt(organizationId) }]);
  });
});
