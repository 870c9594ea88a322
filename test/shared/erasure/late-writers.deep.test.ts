import { describe, expect, it } from "@jest/globals";
import { prefixOfOrganization } from "../../../shared/exports/write-file.ts";
import { eventId, identityOf } from "../../../shared/security/event-id.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { personOf } from "./seed.ts";
import { type Io, mentionsOf, useWorld, type World } from "./world.ts";

const world = useWorld();

const by = (organizationId: string) => ({
  caller: { organizationId, userId: "root", sessionId: undefined },
  origin: { requestId: "r-1", ipAddress: "203.0.113.1" },
});

const recordEvents = async (organizationId: string): Promise<void> => {
  for (const userId of ["bob", "carol", "bob", "carol"]) {
    world.time.now += 1_000;
    await world.main.recorder.record({
      organizationId,
      eventType: "DATA_READ",
      category: "data_access",
      riskLevel: "LOW",
      source: "user",
      success: true,
      ...personOf(userId),
    });
  }
  world.time.now += 1_000;
};

const requestExport = async (organizationId: string) => {
  const { id } = await world.requestExport({ kind: "events", request: { format: "ndjson" } }, by(organizationId));
  return { organizationId, exportId: id };
};

const requestErasure = async (organizationId: string, request: Parameters<World["request"]>[0]) => {
  const { id } = await world.request(request, by(organizationId));
  return { organizationId, erasureId: id };
};

/** The texts of an organization's objects. */
const filesOf = (organizationId: string): string[] =>
  world.memory
    .keys()
    .filter((key) => key.startsWith(prefixOfOrganization(organizationId)))
    .map((key) => world.memory.textOf(key) ?? "");

const storedOf = async (organizationId: string) => {
  const { erasures: _, settings: __, ...stored } = await world.storedOf(organizationId);
  return stored;
};

const expectErased = async (organizationId: string): Promise<void> => {
  expect(await world.list(organizationId)).toMatchObject([{ status: "completed" }]);
  expect(filesOf(organizationId).filter((text) => text.includes("bob"))).toEqual([]);
  expect(mentionsOf((await storedOf(organizationId)) as Parameters<typeof mentionsOf>[0], "bob")).toEqual([]);
};

const scopes = [{ scope: "all" }, { scope: "user", userId: "bob" }] as const;

/** Runs `late` before the call at a position, once. */
const atCall = (position: number, late: () => Promise<unknown>): { io: Io; calls: () => number } => {
  let calls = 0;
  return {
    io: async (_, call) => {
      if (calls++ === position) await late();
      return call();
    },
    calls: () => calls,
  };
};

describe.each(scopes)("when %j is erased", (request) => {
  it("an export that runs at any time of the erasure leaves no file with erased data", async () => {
    for (let position = 0; ; position += 4) {
      const organizationId = world.newOrganization();
      await recordEvents(organizationId);
      const exported = await requestExport(organizationId);
      const { io, calls } = atCall(position, () => world.deliverExport(exported));
      await world.deliver(await requestErasure(organizationId, request), { io });
      await expectErased(organizationId);
      if (calls() <= position) return;
    }
  });

  it("the worker of an export that is interrupted by the whole erasure leaves no file with erased data", async () => {
    for (let position = 0; ; position++) {
      const organizationId = world.newOrganization();
      await recordEvents(organizationId);
      const exported = await requestExport(organizationId);
      let calls = 0;
      const io: Io = async (name, call) => {
        // A call that writes an object ends within half a minute; the erasure waits for it.
        const isWrite = ["put", "beginUpload", "uploadPart", "completeUpload", "publish"].includes(name);
        if (calls++ === position && !isWrite) {
          await world.deliver(await requestErasure(organizationId, request));
        }
        return call();
      };
      await world.deliverExport(exported, { io }).catch(() => undefined);
      if ((await world.list(organizationId)).length > 0) {
        const { items } = await world.main.exportStore.list(organizationId, {
          limit: 9,
          after: undefined,
          now: world.time.now,
        });
        expect(items.filter(({ status }) => status === "running")).toEqual([]);
        expect(filesOf(organizationId).filter((text) => text.includes("bob"))).toEqual([]);
      }
      if (calls <= position) return;
    }
  });

  it("the erasure waits until the worker of an export that has begun can write no more", async () => {
    const organizationId = world.newOrganization();
    await recordEvents(organizationId);
    const exported = await requestExport(organizationId);
    const startedAt = world.time.now;
    // The worker's first write of an object takes as long as possible.
    let finish = async (): Promise<unknown> => undefined;
    let worker: Promise<unknown> = Promise.resolve();
    await new Promise<void>((hangs) => {
      const io: Io = async (name, call) => {
        if (name !== "put") return call();
        hangs();
        await new Promise<void>((resolve) => {
          finish = async () => {
            resolve();
            await worker;
          };
        });
        return call();
      };
      worker = world.deliverExport(exported, { io }).catch(() => undefined);
    });
    const io: Io = async (_, call) => {
      if (world.time.now >= startedAt + 74_000) await finish();
      return call();
    };
    await world.deliver(await requestErasure(organizationId, request), { io });
    const [erasure] = await world.list(organizationId);
    expect((erasure?.completedAt ?? 0) - startedAt).toBeGreaterThanOrEqual(45_000 + 30_000);
    await expectErased(organizationId);
  });

  it("a delivery that is stored during the first pass is erased", async () => {
    for (let position = 0; ; position += 4) {
      const organizationId = world.newOrganization();
      const { main } = world;
      const now = world.time.now;
      const destinationId = eventId(now, identityOf("d", organizationId));
      await main.destinations.create(organizationId, {
        id: destinationId,
        type: "webhook",
        name: "Ops",
        target: "https://hooks.example.org/in",
        filter: {},
        status: "active",
        createdAt: now,
        createdBy: "carol",
        changedAt: now,
        changedBy: "carol",
        version: "1",
        sealed: new Uint8Array([1]),
      });
      await main.raiser.raiseForFinding(organizationId, {
        rule: "permission_escalation",
        subject: "user:bob",
        title: "Too much of bob",
        level: "HIGH",
        occurrence: "x",
        eventIds: [],
        evidence: { count: 3 },
        firstSeen: now,
        lastSeen: now,
      });
      const { items } = await main.alerts.list(organizationId, { limit: 9, after: undefined, now });
      const [alert] = items;
      if (alert === undefined) throw new Error("There is no alert.");
      const url = "https://console.example.org/";
      const data = { alert: { ...alert, eventIds: undefined, evidence: undefined }, url };
      const text = JSON.stringify({ type: "security.alert.raised", timestamp: now, organizationId, data });
      const claim = { organizationId, destinationId, alert, due: { claim: "HIGH", change: "raised" } as const, now };
      const { io, calls } = atCall(position, async () => {
        const isFirstPass = world.time.now === now;
        if (isFirstPass) await main.notices.deliver(claim, eventId(now, identityOf("delivery")), text);
      });
      await world.deliver(await requestErasure(organizationId, request), { io });
      await expectErased(organizationId);
      const { notifications } = await world.storedOf(organizationId);
      const scope = organizationKey(organizationId);
      expect(notifications.filter((item) => String(item.key).startsWith("notice#") && item.scope === scope)).toEqual(
        [],
      );
      if (calls() <= position) return;
    }
  });
});
