import { randomBytes } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { routes } from "../../../shared/api/routes.ts";
import { settingsRoutes } from "../../../shared/api/settings-routes.ts";
import { createJudgeRefusal } from "../../../shared/detection/judge-refusal.ts";
import { defaultRuleSettings, type RulesSettings } from "../../../shared/detection/rule-settings.ts";
import { createJudgingRecorder, createRefusalRecorder, deferRecording } from "../../../shared/http/refusals.ts";
import type { Route } from "../../../shared/http/route.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import type { Finding } from "../../../shared/security/alerts/finding.ts";
import { eventId } from "../../../shared/security/event-id.ts";
import type { NewSecurityEvent } from "../../../shared/security/security-event.ts";
import type { Caller } from "../../../shared/terms/caller.ts";
import type { ErrorName } from "../../../shared/terms/error-catalogue.ts";
import { httpEvent } from "../../support/http-event.ts";
import { quietLog } from "../../support/quiet-log.ts";

quietLog();

const caller: Caller = {
  userId: "ada",
  organizationId: "acme",
  role: "member",
  sessionId: "session-1",
  scope: "org:acme",
};

type Raised = Finding & { organizationId: string | undefined };

const recorderAt = (now = () => 0, { isBroken = false, settings = {} as RulesSettings } = {}) => {
  const recorded: NewSecurityEvent[] = [];
  const refusedTokens: NewSecurityEvent[] = [];
  const ids: string[] = [];
  const raised: Raised[] = [];
  const judging = createJudgingRecorder({
    recorder: {
      record: async (event, { timestamp = 0, identity = new Uint8Array(16) } = {}) => {
        recorded.push(event);
        ids.push(eventId(timestamp, identity));
        return undefined;
      },
    },
    judge: createJudgeRefusal({ read: async () => settings }),
    raise: async (organizationId, finding) => {
      if (isBroken) throw new DomainError("store_unavailable", "No.");
      raised.push({ organizationId, ...finding });
    },
    now,
    random: () => randomBytes(16),
  });
  const record = createRefusalRecorder({
    flood: { record: async (event) => void refusedTokens.push(event) },
    denials: { record: async (event) => void (await judging.record(event)) },
  });
  const refuse = (
    code: ErrorName,
    who: Caller | undefined = undefined,
    route: Route = routes.deletePlant,
    options: { foreignScope?: string } = {},
  ) => record({ route, event: httpEvent(), error: new DomainError(code, "No.", options), caller: who });
  return { recorded, refusedTokens, ids, raised, refuse };
};

describe("a refusal", () => {
  it("of a token is an authentication failure, of its organization if the signature is valid", async () => {
    const { recorded, refusedTokens, refuse } = recorderAt();
    await refuse("invalid_token");
    await refuse("expired_token", caller);
    expect(recorded).toEqual([]);
    const common = {
      eventType: "AUTHENTICATION_FAILURE",
      category: "authentication",
      riskLevel: "HIGH",
      source: "user",
      ipAddress: "127.0.0.1",
      userAgent: "jest",
      resource: "DELETE /plants/{id}",
      resourceType: "plant",
      action: "delete_plants_id",
      success: false,
      errorMessage: "No.",
      metadata: { requestId: "request-1", permission: "plants:write" },
    };
    expect(refusedTokens).toEqual([
      { ...common, errorCode: "40102" },
      { ...common, errorCode: "40103", organizationId: "acme", userId: "ada", sessionId: "session-1" },
    ]);
  });

  it("of a request without a token records no event", async () => {
    const { recorded, refusedTokens, refuse } = recorderAt();
    await refuse("no_bearer_token");
    expect([...recorded, ...refusedTokens]).toEqual([]);
  });

  it("of a permission is recorded as a denial", async () => {
    const { recorded, refuse } = recorderAt();
    await refuse("role_may_not", caller);
    expect(recorded).toHaveLength(1);
    expect(recorded[0]).toMatchObject({ eventType: "PERMISSION_DENIED", category: "authorization", userId: "ada" });
  });

  it("of an address names the address", async () => {
    const { recorded, refuse } = recorderAt();
    await refuse("ip_address_not_allowed", caller, routes.getCircuitBreaker);
    expect(recorded).toHaveLength(1);
    expect(recorded[0]).toMatchObject({
      eventType: "PERMISSION_DENIED",
      category: "authorization",
      organizationId: "acme",
      userId: "ada",
      ipAddress: "127.0.0.1",
      errorCode: "40302",
      metadata: { requestId: "request-1", permission: "status:read" },
    });
  });
});

describe("an immediate finding", () => {
  const at = Date.UTC(2026, 10, 21, 10);

  it("is raised if the address is blocked", async () => {
    const { recorded, ids, raised, refuse } = recorderAt(() => at);
    await refuse("ip_address_not_allowed", caller, routes.getCircuitBreaker);
    expect(raised).toEqual([
      expect.objectContaining({
        organizationId: "acme",
        rule: "policy_violation",
        subject: "address:127.0.0.1",
        level: "HIGH",
        eventIds: ids,
        occurrence: ids[0],
        firstSeen: at,
        lastSeen: at,
        evidence: { count: 1, threshold: 1, users: ["ada"] },
      }),
    ]);
    expect(recorded).toMatchObject([{ metadata: { judgedAtOnce: true } }]);
  });

  it.each([
    ["a change of the breaker", routes.changeCircuitBreaker, 1],
    ["a change of the settings", settingsRoutes.changeSettings, 1],
    ["a read of the settings", settingsRoutes.getSettings, 0],
    ["a read of the breaker", routes.getCircuitBreaker, 0],
    ["a read of events", routes.listSecurityEvents, 0],
  ])("is raised only for a denied change: %s", async (_what, route, count) => {
    const { recorded, raised, refuse } = recorderAt();
    await refuse("role_may_not", caller, route);
    expect(raised).toHaveLength(count);
    if (count === 0) return expect(recorded[0]?.metadata).not.toHaveProperty("judgedAtOnce");
    expect(raised).toMatchObject([
      {
        rule: "permission_escalation",
        subject: "user:ada",
        level: "HIGH",
        evidence: { permissions: [route.permission] },
      },
    ]);
    expect(recorded).toMatchObject([{ riskLevel: "HIGH", metadata: { judgedAtOnce: true } }]);
  });

  it("is an escalation and a violation if data of another organization was sent; no text names that organization", async () => {
    const { recorded, raised, refuse } = recorderAt();
    await refuse("invalid_cursor", caller, routes.listPlants, { foreignScope: "org:globex" });
    expect(raised).toMatchObject([
      { organizationId: "acme", rule: "permission_escalation", subject: "user:ada", level: "CRITICAL" },
      { organizationId: "acme", rule: "policy_violation", subject: "user:ada", level: "HIGH" },
    ]);
    expect(recorded).toMatchObject([
      {
        eventType: "PERMISSION_DENIED",
        category: "authorization",
        riskLevel: "CRITICAL",
        organizationId: "acme",
        metadata: { judgedAtOnce: true },
      },
    ]);
    expect(JSON.stringify([recorded, raised])).not.toContain("globex");
  });

  const set = (rule: string, settings: object): RulesSettings => ({
    [rule]: { ...defaultRuleSettings, revision: 1, ...settings },
  });

  it.each([
    ["is off", set("policy_violation", { enabled: false }), []],
    ["knows the user", set("policy_violation", { known: { networks: [], users: ["ada"] } }), []],
    ["knows the network", set("policy_violation", { known: { networks: ["127.0.0.0/8"], users: [] } }), []],
    ["knows others", set("policy_violation", { known: { networks: ["198.51.100.0/24"], users: ["bob"] } }), ["HIGH"]],
    ["has another level", set("policy_violation", { level: "LOW" }), ["LOW"]],
    ["is another", set("permission_escalation", { enabled: false, level: "LOW" }), ["HIGH"]],
  ])("follows the settings at once: the rule %s", async (_what, settings, levels) => {
    const { recorded, raised, refuse } = recorderAt(() => 0, { settings });
    await refuse("ip_address_not_allowed", caller, routes.getCircuitBreaker);
    expect(raised.map(({ level }) => level)).toEqual(levels);
    // Unmarked, the hourly rules judge it by the settings of then.
    if (levels.length === 0) expect(recorded[0]?.metadata).not.toHaveProperty("judgedAtOnce");
  });

  it("stays CRITICAL whatever the rule's level", async () => {
    const { raised, refuse } = recorderAt(() => 0, { settings: set("permission_escalation", { level: "LOW" }) });
    await refuse("invalid_cursor", caller, routes.listPlants, { foreignScope: "org:globex" });
    expect(raised.map(({ level }) => level)).toEqual(["CRITICAL", "HIGH"]);
  });

  it("is left to the hourly rules if it cannot be raised", async () => {
    const { recorded, refuse } = recorderAt(() => 0, { isBroken: true });
    await refuse("ip_address_not_allowed", caller, routes.getCircuitBreaker);
    expect(recorded).toHaveLength(1);
    expect(recorded[0]?.metadata).not.toHaveProperty("judgedAtOnce");
  });
});

describe("counting refusals that wait", () => {
  it("loads nothing before the first refusal, and never fails", async () => {
    let loads = 0;
    let counts = 0;
    const { recordRefusal, countRefusals } = deferRecording(async () => {
      loads++;
      return {
        recordRefusal: async () => undefined,
        noteFailure: async () => undefined,
        countRefusals: async () => {
          if (++counts > 1) throw new Error("The store is down.");
        },
      };
    });
    await countRefusals();
    expect([loads, counts]).toEqual([0, 0]);
    const error = new DomainError("invalid_token", "No.");
    await recordRefusal({ route: routes.deletePlant, event: httpEvent(), error, caller: undefined });
    await countRefusals();
    await countRefusals();
    expect([loads, counts]).toEqual([1, 2]);
  });
});
