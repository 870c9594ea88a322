import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import { CircuitOpenError } from "../../../shared/circuit-breaker/guard.ts";
import { createApply } from "../../../shared/records/apply.ts";
import { setAside } from "../../../shared/records/set-aside.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { newRequestToken } from "../../../shared/runtime/ids.ts";
import type { Recorder } from "../../../shared/security/recorder.ts";
import { createProcess, type EventConnection, type ProcessDependencies } from "../../../shared/webhooks/process.ts";
import type { Outcome, WebhookEvent } from "../../../shared/webhooks/webhook-event.ts";
import type { ProcessedDetails } from "../../../shared/webhooks/webhook-event-store.ts";
import type { WebhookReceived } from "../../../shared/webhooks/webhook-outbox.ts";
import { createFailureRecorder } from "../../../shared/webhooks/webhook-security-events.ts";
import { providerError } from "../../support/provider-errors.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { customer, deleted, payment, recordsInMemory, seen, touched } from "../../support/records.ts";
import { NOW, SECONDS, webhookEvent } from "./stored-events.ts";

quietLog();

const ACME = "acme";
const EVENT = { organizationId: ACME, eventId: "evt_1" };
const CONNECTION: EventConnection = { connectionId: "c1", accountId: "acct_1", connectedAt: NOW - 60_000 };
const paymentKey = { type: "payments", id: "pi_1" } as const;

let event: WebhookEvent | undefined;
let marked: Outcome[];
let left: ProcessedDetails[];
let time: { now: number };
beforeEach(() => {
  event = webhookEvent();
  marked = [];
  left = [];
  time = { now: NOW + 1_000 };
});

/** process-webhook around one stored event and records in memory. */
const createInstance = (changes: Partial<ProcessDependencies> = {}) => {
  const records = recordsInMemory();
  const record = jest.fn<Recorder["record"]>(async () => undefined);
  const reread = jest.fn(async () => payment(seen(SECONDS), { status: "succeeded", amountReceived: 1_000 }));
  const mocks = {
    readConnection: jest.fn<ProcessDependencies["readConnection"]>(async () => CONNECTION),
    claimRecords: jest.fn<ProcessDependencies["claimRecords"]>(async () => true),
    disconnect: jest.fn<ProcessDependencies["disconnect"]>(async () => undefined),
    startGapRun: jest.fn<ProcessDependencies["startGapRun"]>(async () => undefined),
  };
  const parts: ProcessDependencies = {
    events: {
      read: async () => event,
      markProcessed: async (_key: object, outcome: Outcome, at: number, details: ProcessedDetails = {}) => {
        marked.push(outcome);
        left.push(details);
        if (event !== undefined) event = { ...event, processedAt: at, outcome };
      },
      noteFailure: async () => undefined,
    },
    ...mocks,
    apply: createApply({ store: records.store, now: () => time.now, newToken: newRequestToken }),
    countMoney: async () => undefined,
    readRecords: (organizationId, keys) => records.store.getMany(organizationId, keys, { strongly: true }),
    reread: () => reread,
    gaps: { mayStartRun: async () => true },
    recordFailure: createFailureRecorder({ record }),
    now: () => time.now,
    ...changes,
  };
  const process = (received: WebhookReceived, receives = 1) => createProcess(parts)(received, receives);
  return { ...mocks, process, record, asked: reread, of: records.of };
};

describe("an event", () => {
  it("is applied after the records are claimed for its account, and marked as processed", async () => {
    const { process, of, claimRecords, asked, record } = createInstance();
    await process(EVENT);
    expect(of(ACME, { type: "customers", id: "cus_1" })).toMatchObject({ fields: { name: "Ada" } });
    expect(claimRecords.mock.calls).toEqual([[ACME, CONNECTION]]);
    expect(event).toMatchObject({ outcome: "applied", processedAt: time.now });
    expect(asked).not.toHaveBeenCalled();
    expect(record).not.toHaveBeenCalled();
  });

  it("leaves the number of its try and the records that it changed", async () => {
    const { process } = createInstance();
    await process(EVENT, 3);
    event = webhookEvent();
    await process(EVENT);
    expect(left).toEqual([
      { attempts: 3, changed: ["customers#cus_1"] },
      { attempts: 1, changed: [] },
    ]);
  });

  it("that is processed already changes nothing", async () => {
    const { process, readConnection } = createInstance();
    await process(EVENT);
    time.now += 1_000;
    await process(EVENT);
    expect(marked).toEqual(["applied"]);
    expect(readConnection).toHaveBeenCalledTimes(1);
  });

  it("that no longer exists is ignored", async () => {
    event = undefined;
    const { process, readConnection } = createInstance();
    await process(EVENT);
    expect(readConnection).not.toHaveBeenCalled();
    expect(marked).toEqual([]);
  });

  it("without a state causes a read of the object", async () => {
    event = webhookEvent({ type: "charge.refunded", observations: [touched(paymentKey, seen(SECONDS))] });
    const { process, of, asked } = createInstance();
    await process(EVENT);
    expect(asked.mock.calls).toEqual([["payments", "pi_1"]]);
    expect(of(ACME, paymentKey)).toMatchObject({ fields: { amountReceived: 1_000 } });
  });

  it("updates the time of the last observation, so that an older event cannot undo it", async () => {
    const { process, of } = createInstance();
    for (const [at, name] of [
      [SECONDS, "Ada"],
      [SECONDS + 2, "Ada"],
      [SECONDS + 1, "Bob"],
    ] as const) {
      event = webhookEvent({ observations: [customer(seen(at), { name })] });
      await process(EVENT);
    }
    expect(of(ACME, { type: "customers", id: "cus_1" })).toMatchObject({ fields: { name: "Ada" } });
  });

  it("of a deletion leaves a tombstone", async () => {
    event = webhookEvent({ observations: [deleted({ type: "customers", id: "cus_1" }, seen(SECONDS))] });
    const { process, of } = createInstance();
    await process(EVENT);
    expect(of(ACME, { type: "customers", id: "cus_1" })?.fields).toBeUndefined();
  });
});

describe("an event whose object cannot be stored", () => {
  const refused = new DomainError("store_unavailable", "refused", {
    cause: Object.assign(new Error("too large"), { name: "ValidationException" }),
  });

  it("names the object even if an earlier attempt failed, and the failure in an event of its own", async () => {
    event = { ...webhookEvent(), setAside: [setAside("invoices", "in_1", "type")] };
    const { process, record, claimRecords } = createInstance();
    claimRecords.mockRejectedValueOnce(new DomainError("store_unavailable", "The store did not answer."));
    await expect(process(EVENT)).rejects.toThrow("did not answer");
    await process(EVENT);
    expect(record.mock.calls.map(([{ errorCode }]) => errorCode)).toEqual([expect.any(String), "not_storable"]);
    const identities = record.mock.calls.map(([, options]) => Buffer.from(options?.identity ?? []).toString("hex"));
    expect(new Set(identities).size).toBe(2);
  });

  it("names the object in one event, applies the others, and is not tried again", async () => {
    const aside = setAside("invoices", "in_1", "type");
    event = { ...webhookEvent(), setAside: [aside] };
    const { process, of, record } = createInstance();
    await process(EVENT);
    await process(EVENT);
    expect(marked).toEqual(["set_aside"]);
    expect(left).toMatchObject([{ failure: "The object cannot be stored: it is of another type than requested." }]);
    expect(of(ACME, { type: "customers", id: "cus_1" })).toMatchObject({ fields: { name: "Ada" } });
    expect(record.mock.calls.map(([recorded]) => recorded)).toMatchObject([
      {
        eventType: "WEBHOOK_NOT_APPLIED",
        success: false,
        resource: "in_1",
        resourceType: "invoice",
        errorCode: "not_storable",
        metadata: { eventId: "evt_1", objectId: "in_1" },
      },
    ]);
  });

  it("is set aside if the store refuses the record", async () => {
    const apply = createApply({
      store: { ...recordsInMemory().store, put: () => Promise.reject(refused) },
      now: () => time.now,
      newToken: newRequestToken,
    });
    const { process, record } = createInstance({ apply });
    await process(EVENT);
    expect(marked).toEqual(["set_aside"]);
    expect(record.mock.calls[0]?.[0]).toMatchObject({ metadata: { objectId: "cus_1" } });
  });
});

describe("an event of an account or connection that the organization no longer has", () => {
  it.each<[string, Partial<ProcessDependencies>]>([
    ["without a connection", { readConnection: async () => undefined }],
    ["of another account", { readConnection: async () => ({ ...CONNECTION, accountId: "acct_2" }) }],
    ["that needs a reconnect", { claimRecords: async () => false }],
  ])("is ignored: a connection %s", async (_what, changes) => {
    const { process, of } = createInstance(changes);
    await process(EVENT);
    expect(marked).toEqual(["ignored"]);
    expect(of(ACME, { type: "customers", id: "cus_1" })).toBeUndefined();
  });

  it("is applied if the same account was connected again", async () => {
    const { process } = createInstance({ readConnection: async () => ({ ...CONNECTION, connectionId: "c2" }) });
    await process(EVENT);
    expect(marked).toEqual(["applied"]);
  });
});

describe("a revoked permission", () => {
  beforeEach(() => {
    event = webhookEvent({ type: "account.application.deauthorized", observations: [], isDeauthorization: true });
  });

  it("ends the connection", async () => {
    const { process, disconnect, claimRecords } = createInstance();
    await process(EVENT);
    expect(disconnect.mock.calls).toEqual([[ACME, expect.objectContaining({ id: "evt_1", connectionId: "c1" })]]);
    expect(marked).toEqual(["disconnected"]);
    expect(claimRecords).not.toHaveBeenCalled();
  });

  it("ends the connection in the second in which it was made", async () => {
    const { process } = createInstance({
      readConnection: async () => ({ ...CONNECTION, connectedAt: SECONDS * 1_000 + 999 }),
    });
    await process(EVENT);
    expect(marked).toEqual(["disconnected"]);
  });

  it("continues a removal that an earlier attempt began", async () => {
    const { process, disconnect } = createInstance({ readConnection: async () => undefined });
    await process(EVENT);
    expect(disconnect).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Partial<EventConnection>]>([
    ["before the connection was made", { connectedAt: (SECONDS + 1) * 1_000 }],
    ["from an earlier connection", { connectionId: "c2" }],
  ])("%s ends none", async (_what, changes) => {
    const { process, disconnect } = createInstance({ readConnection: async () => ({ ...CONNECTION, ...changes }) });
    await process(EVENT);
    expect(disconnect).not.toHaveBeenCalled();
    expect(marked).toEqual(["ignored"]);
  });
});

describe("failures", () => {
  const timeout = providerError("timeout", { code: "ETIMEDOUT" });

  it.each<[string, Error, object]>([
    [
      "the provider",
      timeout,
      { errorCode: "ETIMEDOUT", errorMessage: timeout.message, metadata: { errorCategory: "network" } },
    ],
    ["an open circuit", new CircuitOpenError(NOW + 30_000, NOW), { errorCode: "50303" }],
    ["the store", new DomainError("store_unavailable", "The store did not answer."), { errorCode: "50301" }],
    ["a bug", new TypeError("whsec_1234"), { errorCode: "50001", errorMessage: expect.not.stringContaining("whsec") }],
  ])("are thrown for the queue to retry, and recorded as one event: %s", async (_what, error, said) => {
    event = webhookEvent({ type: "charge.refunded", observations: [touched(paymentKey, seen(SECONDS))] });
    const { process, record } = createInstance({ reread: () => () => Promise.reject(error) });
    await expect(process(EVENT)).rejects.toBe(error);
    await expect(process(EVENT)).rejects.toBe(error);
    expect(marked).toEqual([]);
    const [first, second] = record.mock.calls;
    expect(first?.[0]).toMatchObject({
      eventType: "WEBHOOK_NOT_APPLIED",
      category: "integration",
      riskLevel: "MEDIUM",
      source: "webhook",
      organizationId: ACME,
      resource: "cus_1",
      resourceType: "payment",
      action: "apply_webhook",
      success: false,
      ...said,
    });
    expect(first?.[0].metadata).toMatchObject({ type: "charge.refunded", eventId: "evt_1" });
    // Both have the same id, so the store has one event.
    expect(second?.[1]).toEqual(first?.[1]);
    expect(first?.[1]?.timestamp).toBe(NOW);
  });

  it.each([
    [1, false],
    [9, false],
    [10, true],
  ])("of try %i are stored for the list of deliveries, as the last one: %j", async (receives, isLast) => {
    const noteFailure = jest.fn<ProcessDependencies["events"]["noteFailure"]>(async () => undefined);
    const events = { read: async () => event, markProcessed: async () => undefined, noteFailure };
    const error = new DomainError("store_unavailable", "The card 4242 4242 4242 4242 was not read.");
    const { process } = createInstance({ events, claimRecords: () => Promise.reject(error) });
    await expect(process(EVENT, receives)).rejects.toBe(error);
    const reason = expect.stringMatching(/^The card \[redacted:\w+\] was not read\.$/);
    expect(noteFailure.mock.calls).toEqual([
      [
        { organizationId: ACME, id: "evt_1" },
        { attempts: receives, at: time.now, reason, isLast },
      ],
    ]);
  });

  it("are thrown even if they cannot be stored", async () => {
    const noteFailure = () => Promise.reject(new DomainError("store_unavailable", "The store is away."));
    const events = { read: async () => event, markProcessed: async () => undefined, noteFailure };
    const error = new Error("the first one");
    const { process } = createInstance({ events, claimRecords: () => Promise.reject(error) });
    await expect(process(EVENT)).rejects.toBe(error);
  });

  it("are repeated from the start, and then marked as processed", async () => {
    const markProcessed = jest.fn<ProcessDependencies["events"]["markProcessed"]>(async () => {
      if (markProcessed.mock.calls.length === 1) throw new DomainError("store_unavailable", "The store is away.");
    });
    const { process, of } = createInstance({
      events: { read: async () => event, markProcessed, noteFailure: async () => undefined },
    });
    await expect(process(EVENT)).rejects.toThrow("away");
    const before = of(ACME, { type: "customers", id: "cus_1" });
    await process(EVENT);
    expect(of(ACME, { type: "customers", id: "cus_1" })).toEqual(before);
    expect(markProcessed).toHaveBeenCalledTimes(2);
  });
});

describe("a state that is processed late", () => {
  const gone = () => deleted({ type: "customers", id: "cus_1" }, seen(SECONDS + 40));
  const key = { type: "customers", id: "cus_1" } as const;

  it.each([
    [30_000, 0],
    [30_001, 1],
  ])("by %i ms, of an object without a record, causes %i reads", async (ms, times) => {
    time.now = SECONDS * 1_000 + ms;
    const asked = jest.fn(async () => gone());
    const { process, of } = createInstance({ reread: () => asked });
    await process(EVENT);
    expect(asked).toHaveBeenCalledTimes(times);
    expect(of(ACME, key)?.fields === undefined).toBe(times === 1);
  });

  it("causes a read only if it would change the record", async () => {
    const asked = jest.fn(async () => customer(seen(SECONDS + 50), { name: "Cleo" }));
    const { process, of } = createInstance({ reread: () => asked });
    event = webhookEvent({ observations: [customer(seen(SECONDS + 40))] });
    await process(EVENT);
    time.now += 600_000;
    event = webhookEvent({ observations: [customer(seen(SECONDS), { name: "Bob" })] });
    await process(EVENT);
    event = webhookEvent({ observations: [customer(seen(SECONDS + 41))] });
    await process(EVENT);
    expect(asked).not.toHaveBeenCalled();
    expect(of(ACME, key)).toMatchObject({ fields: { name: "Ada" }, observedAt: seen(SECONDS + 41) });
    event = webhookEvent({ observations: [customer(seen(SECONDS + 42), { name: "Bob" })] });
    await process(EVENT);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(of(ACME, key)).toMatchObject({ fields: { name: "Cleo" } });
  });

  it.each([
    ["a state", customer(seen(SECONDS - 86_400), { name: "Bob" }), NOW + 20_000],
    ["a touch", touched(key, seen(SECONDS - 86_400)), NOW + 20_000],
    ["a state, by a clock that is behind", customer(seen(SECONDS - 86_400), { name: "Bob" }), NOW - 20_000],
  ])(
    "causes a read if it arrived after the record's observation but is dated earlier: %s",
    async (_, observation, receivedAt) => {
      const asked = jest.fn(async () => customer(seen(SECONDS + 60), { name: "Cleo" }));
      const { process, of } = createInstance({ reread: () => asked });
      await process(EVENT);
      // The provider dates its events a day behind its answers.
      const behind = { createdSeconds: SECONDS - 86_400, observations: [observation] };
      event = webhookEvent({ ...behind, receivedAt });
      await process(EVENT);
      expect(asked).toHaveBeenCalledTimes(1);
      expect(of(ACME, key)).toMatchObject({ fields: { name: "Cleo" }, observedAt: seen(SECONDS + 60) });
      // The record already includes events that arrived long before its observation.
      event = webhookEvent({ ...behind, receivedAt: receivedAt + 1_000 });
      await process(EVENT);
      expect(asked).toHaveBeenCalledTimes(1);
    },
  );

  it("causes a read if our clock is behind the provider's", async () => {
    const asked = jest.fn(async () => customer(seen(SECONDS + 130), { name: "Cleo" }));
    const { process, of } = createInstance({ reread: () => asked });
    event = webhookEvent({ observations: [customer(seen(SECONDS + 60))] });
    await process(EVENT);
    time.now += 200_000;
    const ahead = SECONDS + 100;
    event = webhookEvent({ createdSeconds: ahead, observations: [customer(seen(ahead), { name: "Bob" })] });
    await process(EVENT);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(of(ACME, key)).toMatchObject({ fields: { name: "Cleo" } });
  });

  it("keeps a payment's link to its invoice", async () => {
    time.now += 600_000;
    event = webhookEvent({ observations: [payment(seen(SECONDS), { invoiceId: "in_1" })] });
    const { process, of } = createInstance();
    await process(EVENT);
    expect(of(ACME, paymentKey)).toMatchObject({ fields: { status: "succeeded", invoiceId: "in_1" } });
  });

  it("that is a deletion is still final", async () => {
    time.now += 600_000;
    event = webhookEvent({ observations: [gone()] });
    const { process, of, asked } = createInstance();
    await process(EVENT);
    expect(asked).not.toHaveBeenCalled();
    expect(of(ACME, key)?.fields).toBeUndefined();
  });
});

describe("an event that arrived late", () => {
  const late = (ms: number) => webhookEvent({ receivedAt: SECONDS * 1_000 + ms });

  it.each([
    [600_000, 0],
    [600_001, 1],
  ])("%i ms after its creation starts %i runs", async (ms, runs) => {
    event = late(ms);
    const { process, startGapRun } = createInstance();
    await process(EVENT);
    expect(startGapRun).toHaveBeenCalledTimes(runs);
    expect(marked).toEqual(["applied"]);
  });

  it("starts no run if a run was started within the hour", async () => {
    event = late(700_000);
    const { process, startGapRun } = createInstance({ gaps: { mayStartRun: async () => false } });
    await process(EVENT);
    expect(startGapRun).not.toHaveBeenCalled();
  });

  it.each(["sync_running", "not_connected", "circuit_open"] as const)("is still applied: %s", async (code) => {
    event = late(700_000);
    const { process } = createInstance({ startGapRun: () => Promise.reject(new DomainError(code, "none")) });
    await process(EVENT);
    expect(marked).toEqual(["applied"]);
  });

  it("is retried if the store fails to store the run", async () => {
    event = late(700_000);
    const error = new DomainError("store_unavailable", "The store is away.");
    const { process } = createInstance({ startGapRun: () => Promise.reject(error) });
    await expect(process(EVENT)).rejects.toBe(error);
    expect(marked).toEqual([]);
  });
});
