import { describe, expect, it, jest } from "@jest/globals";
import { createRecorder, type DeadLetter, type RecorderDependencies } from "../../../shared/security/recorder.ts";
import type { NewSecurityEvent } from "../../../shared/security/security-event.ts";
import type { StoredEvent } from "../../../shared/security/security-event-store.ts";
import { expiryOf } from "../../../shared/terms/hours.ts";
import type { RiskLevel } from "../../../shared/terms/risk-levels.ts";
import { HOUR, NOW } from "../../support/security-events.ts";

type Overrides = { settings?: Partial<RecorderDependencies["settings"]>; failing?: "hours" | "events" | "alerts" };

/** A recorder with lists as stores, and its calls in order. */
const recorderWith = ({ settings, failing }: Overrides = {}) => {
  const time = { now: NOW };
  const calls: string[] = [];
  const stored: StoredEvent[] = [];
  const letters: DeadLetter[] = [];
  const fail = (part: Overrides["failing"]) => {
    if (failing === part) throw new Error(`${part} are out`);
  };
  const recorder = createRecorder({
    events: {
      put: async (event) => {
        fail("events");
        calls.push("put 1");
        stored.push(event);
      },
    },
    hours: {
      markHourOpen: async (scope, hour) => {
        fail("hours");
        calls.push(`mark ${scope} ${hour}`);
      },
    },
    alerts: {
      raiseForEvent: async ({ id }) => {
        fail("alerts");
        calls.push(`alert ${id}`);
      },
    },
    deadLetters: { keep: async (letter) => void letters.push(letter) },
    settings: { logLevel: "LOW", alertThreshold: "HIGH", retentionDays: 90, ...settings },
    now: () => time.now,
    random: () => crypto.getRandomValues(new Uint8Array(16)),
  });
  return { recorder, time, calls, stored, letters };
};

const newEvent = (
  fields: Partial<NewSecurityEvent & { riskLevel: RiskLevel }> = {},
): NewSecurityEvent & { riskLevel: RiskLevel } => ({
  organizationId: "acme",
  eventType: "PROVIDER_REQUEST",
  category: "integration",
  riskLevel: "LOW",
  source: "system",
  success: true,
  ...fields,
});

describe("the recorder", () => {
  it("adds id, times, expiry, and alert fields by the level", async () => {
    const { recorder, stored } = recorderWith();
    await recorder.record(newEvent());
    await recorder.record(newEvent({ riskLevel: "HIGH" }));
    expect(stored).toEqual([
      {
        event: {
          ...newEvent(),
          id: expect.stringMatching(/^01/),
          processed: false,
          alertGenerated: false,
          timestamp: NOW,
          createdAt: NOW,
        },
        ttl: expiryOf(NOW, 90),
        seal: { salt: expect.any(Uint8Array), isLate: false },
      },
      {
        event: expect.objectContaining({ alertGenerated: true, alertLevel: "HIGH" }),
        ttl: expiryOf(NOW, 90),
        seal: expect.anything(),
      },
    ]);
  });

  it("gives each event of an organization a salt of its own, and marks it as late once its hour is over", async () => {
    const { recorder, stored, time } = recorderWith();
    time.now = NOW - (NOW % HOUR) + HOUR - 1;
    await recorder.record(newEvent());
    await recorder.record({ ...newEvent(), organizationId: undefined, ipAddress: "192.0.2.1" });
    const timestamp = time.now++;
    await recorder.record(newEvent(), { timestamp });
    await recorder.recordWithAlert(newEvent(), { timestamp });
    const seals = stored.map(({ seal }) => seal);
    expect(seals.map((seal) => seal?.isLate)).toEqual([false, undefined, true, true]);
    const salts = seals.flatMap((seal) => (seal === undefined ? [] : [Buffer.from(seal.salt).toString("hex")]));
    expect(salts.every((salt) => salt.length === 32)).toBe(true);
    expect(new Set(salts).size).toBe(3);
  });

  it("stores a lone surrogate as U+FFFD, wherever it stands", async () => {
    const { recorder, stored } = recorderWith();
    const metadata = { "name\ud800": ["\udc00", { inner: "\ud83d!" }] };
    await recorder.record(newEvent({ userId: "eve\udfff", action: "\ud800", metadata }));
    const event = stored[0]?.event;
    expect(event).toMatchObject({ userId: "eve\ufffd", action: "\ufffd" });
    expect(event?.metadata).toEqual({ "name\ufffd": ["\ufffd", { inner: "\ufffd!" }] });
  });

  it("marks the current hour once, before its first event, and a past hour for each event", async () => {
    const { recorder, calls, time } = recorderWith();
    for (let i = 0; i < 3; i++) await recorder.record(newEvent());
    expect(calls).toEqual(["mark org#acme 2026-11-21T12", "put 1", "put 1", "put 1"]);
    time.now += HOUR;
    calls.length = 0;
    for (let i = 0; i < 2; i++) await recorder.record(newEvent(), { timestamp: NOW });
    expect(calls).toEqual(["mark org#acme 2026-11-21T12", "put 1", "mark org#acme 2026-11-21T12", "put 1"]);
  });

  it.each<[RiskLevel, RiskLevel, RiskLevel[], RiskLevel[]]>([
    ["LOW", "HIGH", ["LOW", "MEDIUM", "HIGH", "CRITICAL"], ["HIGH", "CRITICAL"]],
    ["MEDIUM", "CRITICAL", ["MEDIUM", "HIGH", "CRITICAL"], ["CRITICAL"]],
    ["CRITICAL", "LOW", ["CRITICAL"], ["CRITICAL"]],
  ])(
    "with log level %s and threshold %s records %p and raises alerts for %p",
    async (logLevel, alertThreshold, recorded, alerted) => {
      const { recorder, stored, calls } = recorderWith({ settings: { logLevel, alertThreshold } });
      for (const riskLevel of ["LOW", "MEDIUM", "HIGH", "CRITICAL"] as const)
        await recorder.record(newEvent({ riskLevel }));
      expect(stored.map(({ event }) => event.riskLevel)).toEqual(recorded);
      expect(stored.filter(({ event }) => event.alertGenerated).map(({ event }) => event.alertLevel)).toEqual(alerted);
      expect(calls.filter((call) => call.startsWith("alert"))).toHaveLength(alerted.length);
    },
  );

  it.each([
    ["the provider rejects the connection's credentials", { errorKind: "authentication" }, true],
    [
      "it rejects them while a webhook is processed",
      { resourceType: "provider_account", source: "webhook", errorKind: "authentication" },
      true,
    ],
    ["a webhook is forged", { resourceType: "provider_account", source: "webhook", riskLevel: "HIGH" }, false],
    ["a token is refused", { source: "user", riskLevel: "HIGH" }, false],
  ] as const)("whatever the threshold, raises an alert if %s: %p", async (_what, fields, isAlerted) => {
    const { recorder, stored, calls } = recorderWith({ settings: { logLevel: "LOW", alertThreshold: "CRITICAL" } });
    const { riskLevel: _, errorKind: __, ...failure } = newEvent({ eventType: "AUTHENTICATION_FAILURE" });
    await recorder.record({ ...failure, ...fields });
    expect(stored[0]?.event.alertGenerated).toBe(isAlerted);
    expect(calls.filter((call) => call.startsWith("alert"))).toHaveLength(isAlerted ? 1 : 0);
  });

  it.each([
    ["notifications_silenced", { eventType: "NOTIFICATIONS_CHANGED", riskLevel: "HIGH" }, true],
    ["another change of a destination", { eventType: "NOTIFICATIONS_CHANGED", riskLevel: "MEDIUM" }, false],
  ] as const)("whatever log level and threshold, records and alerts of %s: %p", async (_what, fields, isAlerted) => {
    const { recorder, stored, calls } = recorderWith({
      settings: { logLevel: "CRITICAL", alertThreshold: "CRITICAL" },
    });
    await recorder.record(newEvent({ category: "compliance", ...fields }));
    expect(stored.map(({ event }) => event.alertGenerated)).toEqual(isAlerted ? [true] : []);
    expect(calls.filter((call) => call.startsWith("alert"))).toHaveLength(isAlerted ? 1 : 0);
  });

  it.each([
    ["rate_limit", "HIGH"],
    ["authentication", "HIGH"],
    ["authorization", "HIGH"],
    ["network", "MEDIUM"],
    ["provider", "MEDIUM"],
    ["validation", "LOW"],
  ] as const)(
    "derives the risk of a failed operation from its kind of error: %s is %s",
    async (errorKind, riskLevel) => {
      const { recorder, stored } = recorderWith();
      const { riskLevel: _, errorKind: __, ...operation } = newEvent({ success: false });
      await recorder.record({ ...operation, errorKind, metadata: { durationMs: 7 } });
      expect(stored[0]?.event).toMatchObject({ riskLevel, metadata: { durationMs: 7, errorCategory: errorKind } });
      expect(stored[0]?.event).not.toHaveProperty("errorKind");
    },
  );

  it("redacts sensitive data and cuts long texts", async () => {
    const { recorder, stored } = recorderWith();
    await recorder.record(
      newEvent({
        userAgent: "x".repeat(300),
        errorMessage: `card 4111 1111 1111 1111 declined ${"y".repeat(600)}`,
        resource: "https://pay.example/charges?api_key=sk_live_abcdefghijklmnop",
        metadata: { durationMs: 12, authorization: "Bearer secret-token", long: "z".repeat(5_000) },
      }),
    );
    const event = stored[0]?.event;
    const text = JSON.stringify(event);
    for (const secret of ["4111", "sk_live", "secret-token"]) expect(text).not.toContain(secret);
    expect([...(event?.userAgent ?? "")].length).toBe(256);
    expect([...(event?.errorMessage ?? "")].length).toBe(512);
    expect(event?.metadata).toMatchObject({ durationMs: 12, cut: true });
    expect(Buffer.byteLength(JSON.stringify(event?.metadata))).toBeLessThanOrEqual(2_048);
  });

  it("marks the hour of each organization, and none for an event below the log level", async () => {
    const { recorder, calls } = recorderWith({ settings: { logLevel: "MEDIUM" } });
    await recorder.record(newEvent());
    await recorder.record(newEvent({ riskLevel: "MEDIUM" }));
    await recorder.record(newEvent({ riskLevel: "MEDIUM", organizationId: "globex" }));
    expect(calls).toEqual(["mark org#acme 2026-11-21T12", "put 1", "mark org#globex 2026-11-21T12", "put 1"]);
    await recorder.record(newEvent());
    expect(calls).toHaveLength(4);
  });

  it("gives the same event the same id if its identity is given", async () => {
    const { recorder, stored } = recorderWith();
    const identity = new Uint8Array(16).fill(7);
    for (let i = 0; i < 2; i++) await recorder.record(newEvent(), { timestamp: NOW, identity });
    expect(new Set(stored.map(({ event }) => event.id)).size).toBe(1);
  });

  it("records the event of a caller's alert without raising another alert", async () => {
    const { recorder, calls, stored } = recorderWith({ settings: { logLevel: "CRITICAL" } });
    await recorder.recordWithAlert(newEvent({ eventType: "MANUAL_ALERT_GENERATED", category: "system" }), {});
    expect(stored[0]?.event).toMatchObject({ alertGenerated: true, alertLevel: "LOW" });
    expect(calls.filter((call) => call.startsWith("alert"))).toEqual([]);
  });

  it.each([
    ["hours", "record"],
    ["events", "record"],
    ["alerts", "alert"],
  ] as const)("keeps the event as a dead letter if %s fail, and does not fail its caller", async (failing, stage) => {
    const { recorder, letters } = recorderWith({ failing });
    await expect(recorder.record(newEvent({ riskLevel: "HIGH" }))).resolves.toMatchObject({ riskLevel: "HIGH" });
    for (let i = 0; i < 2; i++) await recorder.record(newEvent({ riskLevel: "HIGH" }));
    expect(letters).toHaveLength(3);
    expect(letters[0]).toEqual({
      event: expect.objectContaining({ riskLevel: "HIGH" }),
      stage,
      error: expect.any(Error),
    });
  });

  it("marks an hour again if its mark failed", async () => {
    const time = { fails: true };
    const marks = jest.fn(async () => {
      if (time.fails) throw new Error("out");
    });
    const recorder = createRecorder({
      events: { put: async () => undefined },
      hours: { markHourOpen: marks },
      alerts: { raiseForEvent: async () => undefined },
      deadLetters: { keep: async () => undefined },
      settings: { logLevel: "LOW", alertThreshold: "HIGH", retentionDays: 90 },
      now: () => NOW,
      random: () => new Uint8Array(16),
    });
    await recorder.record(newEvent());
    time.fails = false;
    await recorder.record(newEvent());
    expect(marks).toHaveBeenCalledTimes(2);
  });

  it("restores a dead letter as it was, and fails if the store fails", async () => {
    const { recorder: broken, letters } = recorderWith({ failing: "events" });
    await broken.record(newEvent({ riskLevel: "HIGH" }));
    const event = letters[0]?.event;
    if (event === undefined) throw new Error("there is no dead letter");
    await expect(broken.restore(event)).rejects.toThrow("events are out");
    const { recorder, stored, calls, time } = recorderWith();
    time.now += HOUR;
    await recorder.restore(event);
    expect(stored).toEqual([{ event, ttl: expiryOf(NOW, 90), seal: { salt: expect.any(Uint8Array), isLate: true } }]);
    expect(calls).toEqual(["mark org#acme 2026-11-21T12", "put 1", `alert ${event.id}`]);
    time.now = expiryOf(NOW, 90) * 1000;
    await recorder.restore(event);
    expect(stored).toHaveLength(1);
  });
});
