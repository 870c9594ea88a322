import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import type { EventBus } from "../../../shared/runtime/event-bus.ts";
import type { Recorder } from "../../../shared/security/recorder.ts";
import type { StoredDelivery } from "../../../shared/webhooks/delivery.ts";
import { createReplayDelivery, type ReplayDependencies } from "../../../shared/webhooks/replay-delivery.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { NOW, SECONDS } from "./stored-events.ts";

quietLog();

const failed: StoredDelivery = {
  id: "evt_1",
  type: "customer.updated",
  createdSeconds: SECONDS,
  receivedAt: NOW,
  handedOverAt: NOW,
  observations: [{ type: "customers" as const, id: "cus_1" }],
  attempts: 10,
  failedAt: NOW,
  failure: "away",
  ttl: NOW / 1_000 + 86_400,
};

let stored: StoredDelivery | undefined;
beforeEach(() => {
  stored = { ...failed };
});

const request = (id = "request-1", isRepeated = false) => ({
  caller: { organizationId: "acme", userId: "ada", sessionId: undefined },
  origin: { requestId: "r1", ipAddress: "192.0.2.1" },
  identity: { id, at: NOW + 1, isKeyed: true, isRepeated },
});

/** A replay over one stored event, with the conditions of the store. */
const createInstance = (changes: Partial<ReplayDependencies["deliveries"]> & { refuses?: boolean } = {}) => {
  const record = jest.fn<Recorder["record"]>(async () => undefined);
  const published: unknown[] = [];
  const { refuses = false, ...deliveries } = changes;
  const publish = async (events: Parameters<EventBus["publish"]>[0]) => {
    if (refuses) return events.map((event) => ({ event, reason: "away" }));
    published.push(...events.map(({ detail }) => detail));
    return [];
  };
  const parts: ReplayDependencies = {
    deliveries: {
      read: async () => stored && { ...stored },
      async requeue(_key, { replayId, at, previous }) {
        if (stored === undefined || stored.outcome !== undefined || stored.replayId !== previous) return false;
        const { failedAt: _, attempts: __, ...rest } = stored;
        stored = { ...rest, replayId, replayedAt: at, pendingShard: "pending#1" };
        return true;
      },
      async withdraw(_key, { at, attempts = 0 }) {
        if (stored === undefined) return false;
        const { pendingShard: _, replayId: __, replayedAt: ___, ...rest } = stored;
        stored = { ...rest, failedAt: at, attempts };
        return true;
      },
      ...deliveries,
    },
    events: {
      async markPublished(_key, at) {
        if (stored === undefined) return;
        const { pendingShard: _, ...rest } = stored;
        stored = { ...rest, handedOverAt: at };
      },
    },
    bus: { publish: publish as EventBus["publish"] },
    recorder: { record },
    now: () => NOW + 2,
  };
  return { replay: createReplayDelivery(parts), record, published };
};

describe("a failed delivery", () => {
  it("is handed over again, which names the user in one security event", async () => {
    const { replay, record, published } = createInstance();
    expect(await replay("evt_1", request())).toMatchObject({
      id: "evt_1",
      status: "waiting",
      replayedAt: NOW + 1,
      error: "away",
    });
    expect(published).toEqual([{ organizationId: "acme", eventId: "evt_1" }]);
    expect(stored).toMatchObject({ handedOverAt: NOW + 2 });
    expect(stored).not.toHaveProperty("pendingShard");
    expect(record.mock.calls.map(([event]) => event)).toMatchObject([
      {
        eventType: "WEBHOOK_REPLAYED",
        source: "user",
        userId: "ada",
        ipAddress: "192.0.2.1",
        success: true,
        organizationId: "acme",
        resource: "evt_1",
        action: "replay_webhook",
        riskLevel: "LOW",
        metadata: { requestId: "r1", eventId: "evt_1", type: "customer.updated" },
      },
    ]);
  });

  it("is handed over once by a request that is repeated, and recorded as one event", async () => {
    const { replay, record, published } = createInstance();
    await replay("evt_1", request());
    stored = stored && { ...stored, processedAt: NOW + 3, outcome: "applied" };
    expect(await replay("evt_1", request("request-1", true))).toMatchObject({ status: "applied" });
    expect(published).toHaveLength(1);
    const [first, second] = record.mock.calls;
    expect(second?.[1]).toEqual(first?.[1]);
  });

  it("is handed over by the repetition if the first attempt ended before that", async () => {
    const { replay, published } = createInstance();
    stored = { ...failed, replayId: "request-1", replayedAt: NOW + 1, pendingShard: "pending#1" };
    expect(await replay("evt_1", request("request-1", true))).toMatchObject({ status: "waiting" });
    expect(published).toHaveLength(1);
  });

  it("is handed over by one of two requests at the same time", async () => {
    const { replay, published } = createInstance();
    const [one, two] = await Promise.allSettled([
      replay("evt_1", request("request-1")),
      replay("evt_1", request("request-2")),
    ]);
    expect(one).toMatchObject({ status: "fulfilled" });
    expect(two).toMatchObject({ status: "rejected", reason: { code: "webhook_not_failed" } });
    expect(published).toHaveLength(1);
  });

  it("stays failed if the bus does not take it, and can be replayed later", async () => {
    const { replay, record } = createInstance({ refuses: true });
    await expect(replay("evt_1", request())).rejects.toMatchObject({ code: "store_unavailable" });
    expect(stored).toMatchObject({ failedAt: NOW + 2, attempts: 10 });
    expect(record.mock.calls.map(([event]) => event)).toMatchObject([{ success: false, errorCode: "50301" }]);
    const later = createInstance();
    await expect(later.replay("evt_1", request("request-1", true))).resolves.toMatchObject({ status: "waiting" });
    const [refused, done] = [record, later.record].map(({ mock }) => mock.calls[0]?.[1]?.identity);
    expect(done).not.toEqual(refused);
  });

  it("stays in the outbox if it cannot be withdrawn either", async () => {
    const away = () => Promise.reject(new DomainError("store_unavailable", "The store is away."));
    const { replay } = createInstance({ refuses: true, withdraw: away });
    await expect(replay("evt_1", request())).rejects.toMatchObject({ code: "store_unavailable" });
    expect(stored).toMatchObject({ pendingShard: "pending#1" });
  });
});

describe("a delivery that cannot be replayed", () => {
  it.each<[string, Partial<StoredDelivery>, string]>([
    ["processed", { outcome: "applied", processedAt: NOW }, "applied"],
    ["set aside", { outcome: "set_aside", processedAt: NOW }, "set_aside"],
    ["ignored", { outcome: "unknown", processedAt: NOW }, "ignored"],
    ["in the outbox", { pendingShard: "pending#1" }, "waits"],
  ])("is refused: %s", async (_, changes, message) => {
    stored = { ...failed, ...changes };
    const { replay, record, published } = createInstance();
    await expect(replay("evt_1", request())).rejects.toMatchObject({
      code: "webhook_not_failed",
      message: expect.stringContaining(message),
    });
    expect([published, record.mock.calls]).toEqual([[], []]);
  });

  it("is refused while its first tries last", async () => {
    const { failedAt: _, ...trying } = failed;
    stored = trying;
    await expect(createInstance().replay("evt_1", request())).rejects.toMatchObject({ code: "webhook_not_failed" });
  });

  it("is not found if it does not exist, or was erased concurrently", async () => {
    const { replay } = createInstance({
      requeue: async () => {
        stored = undefined;
        return false;
      },
    });
    await expect(replay("evt_1", request())).rejects.toMatchObject({ code: "webhook_not_found" });
    await expect(replay("evt_1", request())).rejects.toMatchObject({ code: "webhook_not_found" });
  });
});
