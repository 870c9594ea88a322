import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import { createChangeRule, createRecordRuleChange, describeRules } from "../../../shared/detection/change-rule.ts";
import { ruleSettings } from "../../../shared/detection/erase-rules.ts";
import type { DetectionRuleRequest } from "../../../shared/detection/rule-request.ts";
import { createRuleSettingsStore, type RuleSettingsStore } from "../../../shared/detection/rule-settings-store.ts";
import type { ResolveCause } from "../../../shared/security/alerts/alert-resolver.ts";
import { titleOfEvent } from "../../../shared/security/alerts/event-title.ts";
import { builtInRules } from "../../../shared/security/alerts/finding.ts";
import type { Recorder } from "../../../shared/security/recorder.ts";
import { sanitiseMetadata } from "../../../shared/security/redaction/redact-and-cut.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useTable } from "../../support/use-table.ts";

quietLog();

const NOW = Date.UTC(2026, 10, 21, 12);
const RULE = "unusual_api_usage";

const store = createRuleSettingsStore(useTable("settings"));

let organizations = 0;
let organizationId = "";
beforeEach(() => {
  organizationId = `acme ${++organizations}`;
});

const nobody = { networks: [], users: [] };
const change = (fields: Partial<DetectionRuleRequest> = {}): DetectionRuleRequest => ({
  enabled: true,
  known: nobody,
  revision: 0,
  ...fields,
});

/** An instance of the function. */
const instance = (overrides: Partial<RuleSettingsStore> = {}) => {
  const record = jest.fn<Recorder["record"]>(async () => undefined);
  const resolve = jest.fn<ResolveCause>(async () => undefined);
  const dependencies = { store: { ...store, ...overrides }, recorder: { record }, resolve, now: () => NOW };
  const changeRule = createChangeRule(dependencies);
  const put = (body: DetectionRuleRequest, rule: string = RULE, userId = "ada") =>
    changeRule(rule, body, {
      caller: { organizationId, userId, sessionId: "session-1" },
      origin: { requestId: "request-1", ipAddress: "192.0.2.7", userAgent: "curl" },
    });
  return { put, record, resolve, recordRuleChange: createRecordRuleChange(dependencies) };
};
const eventsOf = ({ mock }: ReturnType<typeof instance>["record"]) => mock.calls.map(([event]) => event);

describe("a change of a rule's settings", () => {
  it("applies at once, rises the revision, and its event says what changed", async () => {
    const { put, record, resolve } = instance();
    const known = { networks: ["192.0.2.0/24"], users: ["bob"] };
    const changed = await put(change({ level: "LOW", thresholds: { calls: 50, improbability: 6 }, known }));
    expect(changed).toEqual({
      rule: RULE,
      enabled: true,
      level: "LOW",
      thresholds: {
        calls: { value: 50, default: 30, min: 10, max: 100_000, unit: "calls an hour" },
        improbability: { value: 6, default: 6, min: 4, max: 12, unit: "powers of ten" },
      },
      known,
      attack: expect.arrayContaining([{ tactic: "TA0009", technique: "T1213" }]),
      revision: 1,
    });
    expect(await store.read(organizationId)).toEqual({
      [RULE]: { enabled: true, level: "LOW", thresholds: { calls: 50 }, known, revision: 1 },
    });
    expect(eventsOf(record)).toEqual([
      {
        eventType: "DETECTION_RULE_CHANGED",
        category: "compliance",
        riskLevel: "MEDIUM",
        source: "user",
        organizationId,
        userId: "ada",
        sessionId: "session-1",
        ipAddress: "192.0.2.7",
        userAgent: "curl",
        resource: RULE,
        resourceType: "provider_account",
        action: "change_detection_rule",
        success: true,
        metadata: {
          requestId: "request-1",
          revision: 1,
          level: { from: null, to: "LOW" },
          thresholds: { from: {}, to: { calls: 50 } },
          networks: { added: ["192.0.2.0/24"], removed: [] },
          users: { added: ["bob"], removed: [] },
        },
      },
    ]);
    expect(resolve).not.toHaveBeenCalled();
    expect((await store.readStored(organizationId)).change).toBeUndefined();
  });

  it("is HIGH and named when it switches the rule off, and resolves the alert when it switches it on", async () => {
    const { put, record, resolve } = instance();
    await put(change({ enabled: false }));
    await put(change({ enabled: false, level: "LOW", revision: 1 }));
    expect(resolve).not.toHaveBeenCalled();
    await put(change({ revision: 2 }));
    expect(eventsOf(record).map(({ riskLevel }) => riskLevel)).toEqual(["HIGH", "MEDIUM", "MEDIUM"]);
    expect(
      eventsOf(record).map(({ metadata, ...event }) =>
        titleOfEvent({ ...event, metadata: sanitiseMetadata(metadata ?? {}) }),
      ),
    ).toEqual([
      "The detection rule unusual_api_usage was switched off: it finds nothing any more",
      "The detection rule unusual_api_usage has other settings",
      "The detection rule unusual_api_usage was switched on",
    ]);
    expect(resolve.mock.calls).toEqual([
      [organizationId, { kind: "event", rule: "detection_rule_off", subject: RULE }],
    ]);
  });

  it("is none if the same request comes again, before or after its answer was read", async () => {
    const { put, record } = instance();
    const body = change({ thresholds: { improbability: 7, calls: 40 } });
    expect((await put(body)).revision).toBe(1);
    expect((await put(body)).revision).toBe(1);
    expect((await put(change({ thresholds: { calls: 40, improbability: 7 }, revision: 1 }))).revision).toBe(1);
    expect(record).toHaveBeenCalledTimes(1);
    // Defaults that nobody has changed are no change either.
    expect((await put(change({ thresholds: { failures: 5 } }), "repeated_auth_failures")).revision).toBe(0);
    expect(record).toHaveBeenCalledTimes(1);
  });

  it.each([1, 2, 7])("is refused with revision %i while the rule has another", async (revision) => {
    const { put, record } = instance();
    await put(change({ level: "LOW" }));
    await put(change({ level: "HIGH", revision: 1 }));
    if (revision === 2) await put(change({ level: "MEDIUM", revision: 2 }));
    const refused = put(change({ level: "CRITICAL", revision }));
    await expect(refused).rejects.toMatchObject({ code: "revision_conflict" });
    // Neither may the content of now be sent with a revision that is not its own.
    await expect(put(change({ level: "HIGH", revision: 5 }))).rejects.toMatchObject({ code: "revision_conflict" });
    expect(record).toHaveBeenCalledTimes(revision === 2 ? 3 : 2);
  });

  it.each([
    ["nothing", { enabled: true }, "rule_not_found"],
    ["custom_1", { enabled: true }, "rule_not_found"],
    [RULE, { thresholds: { failures: 5 } }, "invalid_field"],
    [RULE, { thresholds: JSON.parse('{"__proto__":30}') }, "invalid_field"],
    [RULE, { thresholds: { calls: 9 } }, "invalid_field"],
    [RULE, { thresholds: { calls: 100_001 } }, "invalid_field"],
    [RULE, { thresholds: { calls: 30.5 } }, "invalid_field"],
    [RULE, { thresholds: { calls: "30" } }, "invalid_field"],
    [RULE, { thresholds: { calls: null } }, "invalid_field"],
    ["policy_violation", { thresholds: { failures: 5 } }, "invalid_field"],
  ] as const)("of %s to %j is %s", async (rule, fields, code) => {
    await expect(instance().put(change(fields), rule)).rejects.toMatchObject({ code });
    expect(await store.read(organizationId)).toEqual({});
  });

  it("takes the longest lists of every rule, and refuses what one item could not hold", async () => {
    const { put } = instance();
    const listsOf = (name: (i: number) => string) => ({
      networks: Array.from(
        { length: 100 },
        (_, i) => `2001:db8:ffff:ffff:ffff:ffff:ffff:${(i + 0x1000).toString(16)}/128`,
      ),
      users: Array.from({ length: 100 }, (_, i) => name(i)),
    });
    const longest = listsOf((i) => `${"u".repeat(125)}${i + 100}`);
    for (const rule of builtInRules) {
      expect(await put(change({ known: longest }), rule)).toMatchObject({ revision: 1, known: longest });
    }
    // Room for wider lists of some of the other rules.
    const [emptied, others] = [builtInRules.slice(0, 6), builtInRules.slice(6)];
    for (const rule of emptied) await put(change({ known: { networks: [], users: [] }, revision: 1 }), rule);
    const widest = listsOf((i) => `${"𝔲".repeat(125)}${i + 100}`);
    const wide = others.map((rule) => () => put(change({ known: widest, revision: 1 }), rule));
    const results = [];
    for (const one of wide)
      results.push(
        await one().then(
          ({ revision }) => revision,
          ({ code }) => code,
        ),
      );
    expect(results).toContain("invalid_field");
  });

  it("is one of several concurrent ones, and none is lost", async () => {
    const { put } = instance();
    await Promise.all(builtInRules.map((rule) => put(change({ level: "LOW" }), rule)));
    const all = await store.read(organizationId);
    expect(Object.values(all).map(({ revision, level }) => [revision, level])).toEqual(
      builtInRules.map(() => [1, "LOW"]),
    );
    const same = await Promise.allSettled(
      ["HIGH", "MEDIUM"].map((level) => put(change({ level: level as "HIGH", revision: 1 }))),
    );
    expect(same.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it("is recorded by the next change if the instance crashed before", async () => {
    const crashed = instance({ forgetChange: async () => Promise.reject(new Error("crash")) });
    await crashed.put(change({ enabled: false }));
    const { put, record } = instance();
    await put(change({ level: "LOW" }), "sync_silence");
    expect(eventsOf(record).map(({ resource, riskLevel }) => [resource, riskLevel])).toEqual([
      [RULE, "HIGH"],
      ["sync_silence", "MEDIUM"],
    ]);
    // With the same identity, so the event is stored once.
    expect(record.mock.calls[0]?.[1]).toEqual(crashed.record.mock.calls[0]?.[1]);
  });

  it("is shown for all rules, each with its defaults", async () => {
    await instance().put(change({ enabled: false }));
    const rules = describeRules(await store.read(organizationId));
    expect(rules.map(({ rule }) => rule)).toEqual([...builtInRules]);
    expect(rules.filter(({ enabled }) => !enabled).map(({ rule }) => rule)).toEqual([RULE]);
  });
});

describe("an erasure of a user", () => {
  const erase = async (isErased: (userId: string) => boolean) => {
    const { record, recordRuleChange } = instance();
    const erased = { isErased, mentions: isErased };
    const location = ruleSettings({ rules: store, recordRuleChange }, organizationId, erased);
    const page = await location.read(undefined);
    await page.erase();
    return { keys: page.keys, record, left: (await location.read(undefined)).keys };
  };
  const bob = (user: string) => user === "bob";

  it("removes the id from known users and from the author; the rule has a new revision and sees more", async () => {
    const known = { networks: ["192.0.2.0/24"], users: ["ada", "bob"] };
    await instance().put(change({ known, enabled: false }), RULE, "bob");
    await instance().put(change({ level: "LOW" }), "sync_silence", "bob");
    expect(await erase(bob)).toMatchObject({ keys: ["ruleSettings"], left: [] });
    const { rules, author } = await store.readStored(organizationId);
    expect(rules[RULE]).toMatchObject({
      enabled: false,
      known: { networks: ["192.0.2.0/24"], users: ["ada"] },
      revision: 2,
    });
    expect(rules.sync_silence).toMatchObject({ revision: 1 });
    expect(author).toEqual({ changedAt: NOW, changedBy: "" });
    // A form that was open before does not put the user back.
    await expect(instance().put(change({ known, enabled: false, revision: 1 }))).rejects.toMatchObject({
      code: "revision_conflict",
    });
  });

  it("leaves the settings of others alone, and an organization without settings", async () => {
    expect((await erase(bob)).keys).toEqual([]);
    await instance().put(change({ known: { networks: [], users: ["bobby"] } }));
    expect((await erase(bob)).keys).toEqual([]);
  });

  it("records an unrecorded change first", async () => {
    const crashed = instance({ forgetChange: async () => Promise.reject(new Error("crash")) });
    await crashed.put(change({ known: { networks: [], users: ["bob"] } }));
    const { record, left } = await erase(bob);
    expect(eventsOf(record)).toMatchObject([{ eventType: "DETECTION_RULE_CHANGED", resource: RULE }]);
    expect(left).toEqual([]);
    expect((await store.readStored(organizationId)).change).toBeUndefined();
  });

  it("removes all known users with all data of the organization, and keeps the rest", async () => {
    await instance().put(change({ enabled: false, known: { networks: ["192.0.2.0/24"], users: ["ada", "bob"] } }));
    await erase(() => true);
    expect(await store.read(organizationId)).toMatchObject({
      [RULE]: { enabled: false, known: { networks: ["192.0.2.0/24"], users: [] } },
    });
  });
});
