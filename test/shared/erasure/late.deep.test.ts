import { describe, expect, it } from "@jest/globals";
import { createCleanLateEvent } from "../../../shared/erasure/late-store.ts";
import { eventId, identityOf } from "../../../shared/security/event-id.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { keyOf as eventKeyOf, eventPartitions } from "../../../shared/webhooks/event-partitions.ts";
import { ACCOUNT, personOf, seed } from "./seed.ts";
import { type Io, mentionsOf, useWorld, type World } from "./world.ts";

const world = useWorld();

const by = (organizationId: string) => ({
  caller: { organizationId, userId: "root", sessionId: undefined },
  origin: { requestId: "r-1", ipAddress: "203.0.113.1" },
});

const ask = async (organizationId: string, request: Parameters<World["request"]>[0]) => {
  const { id: erasureId } = await world.request(request, by(organizationId));
  return { organizationId, erasureId };
};

const itsItems = async (organizationId: string) => {
  const scope = organizationKey(organizationId);
  const scopes: unknown[] = eventPartitions(organizationId);
  const stored = await world.scan();
  return Object.fromEntries(
    Object.entries(stored).map(([table, items]) => [
      table,
      items.filter((item) => scopes.includes(item.scope) || item.id === scope || item.o === organizationId),
    ]),
  ) as typeof stored;
};

/** Runs some work after a number of the worker's calls. */
const meanwhile = (at: number, work: () => Promise<unknown>): Io => {
  let calls = 0;
  return async (_, call) => {
    if (calls++ === at) await work();
    return call();
  };
};

/** The number of calls with which a worker erases the seeded data. */
const callsOf = async (request: Parameters<World["request"]>[0]): Promise<number> => {
  const organizationId = world.newOrganization();
  await seed(world, organizationId, 3);
  let calls = 0;
  await world.deliver(await ask(organizationId, request), {
    io: async (_, call) => {
      calls++;
      return call();
    },
  });
  return calls;
};

const denied = (organizationId: string, userId: string) => ({
  eventType: "PERMISSION_DENIED" as const,
  category: "authorization" as const,
  riskLevel: "HIGH" as const,
  source: "user" as const,
  organizationId,
  success: false,
  errorMessage: `not from ${personOf(userId).ipAddress}`,
  ...personOf(userId),
});

describe("data that arrives while a user is erased", () => {
  it.each([0.3, 0.5, 0.7, 0.8])(
    "is found after a share of %d of the calls: an older event and its alert",
    async (part) => {
      const at = Math.floor((await callsOf({ scope: "user", userId: "bob" })) * part);
      const organizationId = world.newOrganization();
      await seed(world, organizationId, 3);
      const happenedAt = world.time.now;
      const asked = await ask(organizationId, { scope: "user", userId: "bob" });
      await world.deliver(asked, {
        io: meanwhile(at, () =>
          world.main.recorder.record(denied(organizationId, "bob"), {
            timestamp: happenedAt,
            identity: identityOf("late", part),
          }),
        ),
      });
      expect(await world.list(organizationId)).toMatchObject([{ status: "completed" }]);
      const { settings: _, ...tables } = await itsItems(organizationId);
      for (const text of ["bob", "192.0.2.7"]) expect(mentionsOf({ ...tables, settings: [] }, text)).toEqual([]);
      expect(
        tables.securityEvents.filter(({ id }) => id === eventId(happenedAt, identityOf("late", part))),
      ).toHaveLength(1);
    },
  );

  it("is found if it is an alert whose event was emptied already: the alert names the address", async () => {
    const calls = await callsOf({ scope: "user", userId: "bob" });
    const organizationId = world.newOrganization();
    await seed(world, organizationId, 3);
    const event = await world.main.recorder.record({
      ...denied(organizationId, "bob"),
      eventType: "AUTHENTICATION_FAILURE",
      category: "authentication",
      riskLevel: "MEDIUM",
    });
    const asked = await ask(organizationId, { scope: "user", userId: "bob" });
    const raise = async () => {
      if (event === undefined) throw new Error("The event was not recorded");
      await world.main.raiser.raiseForEvent({ ...event, riskLevel: "HIGH" });
    };
    await world.deliver(asked, { io: meanwhile(Math.floor(calls * 0.6), raise) });
    const { settings: _, ...tables } = await itsItems(organizationId);
    expect(mentionsOf({ ...tables, settings: [] }, "192.0.2.7")).toEqual([]);
  });

  it("does not keep the erasure from completing, however active the user is", async () => {
    const organizationId = world.newOrganization();
    await seed(world, organizationId, 3);
    const asked = await ask(organizationId, { scope: "user", userId: "carol" });
    // The user causes an event with every tenth call.
    let calls = 0;
    const io: Io = async (_, call) => {
      if (calls++ % 10 === 9) {
        world.time.now += 100;
        await world.main.recorder.record({ ...denied(organizationId, "carol"), riskLevel: "LOW" });
      }
      return call();
    };
    await expect(world.deliver(asked, { io })).resolves.toMatchObject({ isCompleted: true, passes: 2 });
    const [erasure] = await world.list(organizationId);
    const left = (await itsItems(organizationId)).securityEvents.filter(({ userId }) => userId === "carol");
    // The remaining events are younger than the last sweep.
    expect(left.every(({ timestamp }) => Number(timestamp) > (erasure?.requestedAt ?? 0))).toBe(true);
  });
});

describe("a connection that is made while all data is erased", () => {
  const connect = (organizationId: string, accountId: string, connectionId: string) =>
    world.main.changes.connect(
      organizationId,
      {
        connectionId,
        method: "api_key",
        accountId,
        connectedAt: world.time.now,
        credentials: new Uint8Array([1]),
        credentialsVersion: "1",
      },
      {
        eventType: "PROVIDER_CONNECTION_ESTABLISHED",
        connectionId,
        accountId,
        method: "api_key",
        at: world.time.now,
        source: "user",
        ...personOf("bob"),
      },
    );

  it.each([0.3, 0.6, 0.9])(
    "after a share of %d of the calls is ended again, and its records are deleted",
    async (part) => {
      const at = Math.floor((await callsOf({ scope: "all" })) * part);
      const organizationId = world.newOrganization();
      await seed(world, organizationId, 3);
      const asked = await ask(organizationId, { scope: "all" });
      const reconnect = async () => {
        await connect(organizationId, ACCOUNT, "connection 2");
        await world.main.claims.claimRecords(organizationId, { connectionId: "connection 2", accountId: ACCOUNT });
        await world.put("records", { scope: organizationKey(organizationId), key: "customers#cus_late", version: "1" });
      };
      await world.deliver(asked, { io: meanwhile(at, reconnect) });
      const [erasure] = await world.list(organizationId);
      expect(erasure).toMatchObject({ status: "completed" });
      const { records, connections } = await itsItems(organizationId);
      if (connections[0]?.status === "connected") {
        // Connected after the last sweep: a new connection with its own records.
        expect(connections[0]).toMatchObject({ connectionId: "connection 2", claimedBy: "connection 2" });
        expect(records).toHaveLength(1);
      } else {
        expect(records).toEqual([]);
        expect(Object.keys(connections[0] ?? {}).sort()).toEqual(["id", "status", "token"]);
      }
    },
  );

  it("must be of the same account until the claim is released, and may be of any account afterwards", async () => {
    const organizationId = world.newOrganization();
    await seed(world, organizationId, 3);
    const asked = await ask(organizationId, { scope: "all" });
    await expect(connect(organizationId, "acct_2", "connection 2")).rejects.toMatchObject({ code: "other_account" });
    await world.deliver(asked);
    await expect(connect(organizationId, "acct_2", "connection 2")).resolves.toMatchObject({
      unrecorded: [{ accountId: "acct_2" }],
    });
  });
});

describe("webhooks that are being processed", () => {
  it("are waited for, at most a minute", async () => {
    const organizationId = world.newOrganization();
    const scope = organizationKey(organizationId);
    const key = eventKeyOf({ organizationId, id: "evt_1" });
    const event = { ...key, type: "customer.updated", receivedAt: world.time.now };
    await world.put("webhookEvents", event);
    const asked = await ask(organizationId, { scope: "all" });
    const requestedAt = world.time.now;
    let isProcessed = false;
    await world.deliver(asked, {
      io: async (_, call) => {
        if (!isProcessed && world.time.now >= requestedAt + 8_000) {
          isProcessed = true;
          await world.put("records", { scope, key: "customers#cus_1", version: "1" });
          await world.put("webhookEvents", { ...event, processedAt: world.time.now });
        }
        return call();
      },
    });
    const [erasure] = await world.list(organizationId);
    expect(erasure).toMatchObject({ status: "completed", removed: { records: 1, webhookEvents: 1 } });
    expect((erasure?.completedAt ?? 0) - requestedAt).toBeLessThan(20_000);
    expect((await itsItems(organizationId)).records).toEqual([]);
  });
});

describe("an event from the queue of unrecorded events", () => {
  const eventAt = (organizationId: string, timestamp: number, userId = "bob"): SecurityEvent => ({
    ...denied(organizationId, userId),
    id: eventId(timestamp, identityOf("queued", timestamp)),
    timestamp,
    createdAt: timestamp,
    processed: false,
    alertGenerated: true,
    alertLevel: "HIGH",
    metadata: { durationMs: 3, reason: "typed" },
  });
  const clean = () => createCleanLateEvent({ late: world.main.late });
  const emptied = ({ id, timestamp }: SecurityEvent, organizationId: string) => ({
    organizationId,
    eventType: "PERMISSION_DENIED",
    category: "authorization",
    riskLevel: "HIGH",
    source: "user",
    success: false,
    id,
    timestamp,
    createdAt: timestamp,
    processed: false,
    alertGenerated: true,
    alertLevel: "HIGH",
    metadata: { durationMs: 3 },
  });

  it("is emptied if its organization was erased since, or is being erased", async () => {
    const organizationId = world.newOrganization();
    const event = eventAt(organizationId, world.time.now);
    expect(await clean()(event)).toEqual(event);
    const asked = await ask(organizationId, { scope: "all" });
    expect(await clean()(event)).toEqual(emptied(event, organizationId));
    await world.deliver(asked);
    expect(await clean()(event)).toEqual(emptied(event, organizationId));
    const later = eventAt(organizationId, world.time.now + 1);
    expect(await clean()(later)).toEqual(later);
    const others = eventAt(world.newOrganization(), event.timestamp);
    expect(await clean()(others)).toEqual(others);
  });

  it("is emptied if its user was erased since, although no stored item names the user", async () => {
    const organizationId = world.newOrganization();
    const event = eventAt(organizationId, world.time.now);
    const others = eventAt(organizationId, world.time.now, "carol");
    await world.deliver(await ask(organizationId, { scope: "user", userId: "bob" }));
    expect(mentionsOf(await itsItems(organizationId), "bob")).toEqual([]);
    expect(await clean()(event)).toEqual(emptied(event, organizationId));
    expect(await clean()(others)).toEqual(others);
  });

  it("without an organization stays unchanged", async () => {
    const { organizationId: _, ...event } = eventAt("x", world.time.now);
    expect(await clean()(event)).toEqual(event);
  });
});
