/** Refusals of valid tokens: events one by one up to a limit, then counts. */
import { beforeEach, describe, expect, it } from "@jest/globals";
import { createJudgeRefusal } from "../../../shared/detection/judge-refusal.ts";
import { createJudgingRecorder } from "../../../shared/http/refusals.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import type { Finding } from "../../../shared/security/alerts/finding.ts";
import { createFloodBudgetStore } from "../../../shared/security/flood-budget-store.ts";
import { createDenialRecorder } from "../../../shared/security/flood-denials.ts";
import { createRecorder } from "../../../shared/security/recorder.ts";
import { createSecurityEventStore } from "../../../shared/security/security-event-store.ts";
import { deepIt } from "../../support/deep-it.ts";
import {
  createFloodInstance,
  recordedRefusals,
  refusalsIn,
  refusedPermission,
  useFloodTables,
} from "../../support/flood.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { NOW } from "../../support/security-events.ts";

quietLog();

const database = useFloodTables();
const time = { now: NOW };
const now = () => time.now;
const random = () => crypto.getRandomValues(new Uint8Array(16));
let organizations = 0;
let organizationId = "";

const instance = () => createFloodInstance(database, now).denials;
const recorded = () => recordedRefusals(database, organizationId);
const refusal = (fields: Parameters<typeof refusedPermission>[0] = {}) =>
  refusedPermission({ organizationId, userId: "eve", ...fields });

beforeEach(() => {
  organizationId = `denials ${++organizations}`;
  time.now = NOW;
});

describe("hundreds of refusals of one user in a minute", () => {
  it("are 60 events and a count of the others, with the user", async () => {
    const one = instance();
    for (let i = 0; i < 600; i++) {
      time.now = NOW + i * 90;
      await one.record(refusal());
    }
    time.now += 2_000;
    await one.countDue();
    const events = await recorded();
    expect(events).toHaveLength(61);
    expect(refusalsIn(events)).toBe(600);
    const count = events.at(-1);
    expect(count).toMatchObject({
      eventType: "PERMISSION_DENIED",
      riskLevel: "HIGH",
      userId: "eve",
      errorCode: "40301",
      action: "get_plants",
      metadata: { failures: 540, users: 1, permission: "plants:read", isLowerBound: true },
    });
    expect(count).not.toHaveProperty("sessionId");
    expect(count?.metadata).not.toHaveProperty("requestId");
  });

  deepIt("are hardly more events if many instances share them", async () => {
    const instances = Array.from({ length: 20 }, instance);
    for (let i = 0; i < 120; i++) {
      time.now = NOW + i * 450;
      await instances[i % 20]?.record(refusal());
    }
    time.now += 2_000;
    for (const one of instances) await one.countDue();
    const events = await recorded();
    expect(refusalsIn(events)).toBe(120);
    const singles = events.filter(({ metadata }) => metadata.failures === undefined);
    // 59 of slots, and the first of each instance.
    expect(singles).toHaveLength(59 + 20);
    expect(events.length - singles.length).toBe(1);
  });
});

describe("the limit", () => {
  it("is of each user, and of each network without one; a quiet minute ends it", async () => {
    const one = instance();
    const callers = [{ userId: "eve" }, { userId: undefined }, { userId: undefined, ipAddress: "::1" }];
    for (const caller of callers) for (let i = 0; i < 61; i++) await one.record(refusal(caller));
    expect(await recorded()).toHaveLength(3 * 61);
    expect((await recorded()).filter(({ metadata }) => metadata.failures === 1)).toHaveLength(3);
    time.now = NOW + 60_000;
    for (let i = 0; i < 3; i++) await one.record(refusal());
    expect(await recorded()).toHaveLength(3 * 61 + 3);
  });

  it("costs no claim for the first refusal of a minute, and one for each further event", async () => {
    let claims = 0;
    const one = createDenialRecorder({
      recorder: { record: async () => undefined },
      budget: {
        claim: async () => ({ isGranted: ++claims > 0, times: {} }),
        openCount: async () => ({ time: NOW, isNew: true }),
      },
      events: createSecurityEventStore(database.table("securityEvents")),
      noteFailure: async () => undefined,
      now,
    });
    for (const [at, expected] of [
      [0, 0],
      [1, 1],
      [2, 2],
      [60_002, 2],
      [60_003, 3],
    ] as const) {
      time.now = NOW + at;
      await one.record(refusal());
      expect(claims).toBe(expected);
    }
  });

  it("is an instance's own while the store of the budget fails", async () => {
    const events: unknown[] = [];
    const failed = async () => Promise.reject(new DomainError("store_unavailable", "No."));
    const one = createDenialRecorder({
      recorder: { record: async (event) => void events.push(event) as undefined },
      budget: { claim: failed, openCount: failed },
      events: createSecurityEventStore(database.table("securityEvents")),
      noteFailure: async () => undefined,
      now,
    });
    for (let i = 0; i < 100; i++) await one.record(refusal());
    expect(events).toHaveLength(60);
  });
});

describe("a rule that judges at once", () => {
  it("takes a count as one finding, and sees each reason's first refusal", async () => {
    const findings: Finding[] = [];
    const events = createSecurityEventStore(database.table("securityEvents"));
    const recorder = createRecorder({
      events,
      hours: { markHourOpen: async () => undefined },
      alerts: { raiseForEvent: async () => undefined },
      deadLetters: { keep: async () => undefined },
      settings: { logLevel: "LOW", alertThreshold: "HIGH", retentionDays: 90 },
      now,
      random,
    });
    const judge = createJudgeRefusal({ read: async () => ({}) });
    const raise = async (_: string | undefined, finding: Finding) => void findings.push(finding);
    const one = createDenialRecorder({
      recorder: createJudgingRecorder({ recorder, judge, raise, now, random }),
      budget: createFloodBudgetStore(database.table("securityRollups"), random),
      events,
      noteFailure: async () => undefined,
      now,
    });
    for (let i = 0; i < 200; i++) await one.record(refusal());
    expect(findings).toEqual([]);
    time.now++;
    const change = { action: "put_settings", metadata: { requestId: "request-2", permission: "settings:manage" } };
    for (let i = 0; i < 200; i++) await one.record(refusal(change));
    expect(findings).toMatchObject([{ rule: "permission_escalation", subject: "user:eve", evidence: { count: 1 } }]);
    time.now++;
    for (let i = 0; i < 200; i++) await one.record(refusal({ ...change, riskLevel: "CRITICAL" }));
    expect(findings.slice(1)).toMatchObject([
      { rule: "permission_escalation", level: "CRITICAL" },
      { rule: "policy_violation", level: "HIGH" },
    ]);
    time.now += 2_000;
    await one.countDue();
    const counts = (await recorded()).filter(({ metadata }) => metadata.failures !== undefined);
    expect(counts).toMatchObject([
      { metadata: { failures: 140, permission: "plants:read" } },
      { metadata: { failures: 200, permission: "settings:manage", judgedAtOnce: true } },
      { metadata: { failures: 200, judgedAtOnce: true } },
    ]);
    expect(new Set(findings.flatMap(({ eventIds }) => eventIds))).toEqual(new Set(counts.slice(1).map(({ id }) => id)));
  });
});
