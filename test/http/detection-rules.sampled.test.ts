import { describe, expect, it } from "@jest/globals";
import { builtInRules } from "../../shared/security/alerts/finding.ts";
import { deepIt } from "../support/deep-it.ts";
import { eventually } from "../support/integration.ts";
import { useOrganizations, useSharedService } from "../support/use-service.ts";

const service = await useSharedService();

const ours = useOrganizations(service, "rules-of");
type Rule = { rule: string; revision: number; thresholds: Record<string, Record<string, number>> } & Record<
  string,
  unknown
>;
const list = async (claims?: object) => ours.call("GET", "detection/rules", undefined, claims);
const one = async (rule: string) => ((await list()).body as Rule[]).find((entry) => entry.rule === rule);
const put = (rule: string, body?: object, claims?: object) => ours.call("PUT", `detection/rules/${rule}`, body, claims);
const alerts = async (rule: string) =>
  ((await ours.call("GET", "security/alert")).body as { rule: string }[]).filter((alert) => alert.rule === rule);

const RULE = "repeated_auth_failures";
const nobody = { networks: [], users: [] };

describe("the rules of detection", () => {
  it("are listed with their defaults, bounds and techniques, until an organization changes them", async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    const rules = body as Rule[];
    expect(rules.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining([
        "key_made_by_stranger",
        "key_seen_then_refused",
        "payout_after_access",
        "access_burst",
        "endpoint_tampered",
        "connection_key",
      ]),
    );
    expect(rules).toHaveLength(builtInRules.length);
    for (const { rule, thresholds, ...others } of rules) {
      expect(others).toEqual({
        enabled: true,
        known: nobody,
        attack: expect.arrayContaining([
          { tactic: expect.stringMatching(/^TA\d{4}$/), technique: expect.stringMatching(/^T\d{4}(\.\d{3})?$/) },
        ]),
        revision: 0,
      });
      for (const threshold of Object.values(thresholds)) {
        expect(threshold).toEqual({
          value: threshold.default,
          default: expect.any(Number),
          min: expect.any(Number),
          max: expect.any(Number),
          unit: expect.any(String),
        });
      }
      expect(rule).toMatch(/^[a-z_]+$/);
    }
    const { thresholds } = (await one(RULE)) ?? {};
    expect(thresholds).toMatchObject({ failures: { value: 5, default: 5, min: 2, max: 50, unit: "failures" } });
  });

  deepIt("take every threshold within its bounds, and no value beside them", async () => {
    for (const { rule, thresholds } of (await list()).body as Rule[]) {
      let { revision = 0 } = (await one(rule)) ?? {};
      for (const [name, { min = 0, max = 0 }] of Object.entries(thresholds)) {
        for (const value of [min, max]) {
          const answer = await put(rule, { enabled: true, thresholds: { [name]: value }, revision });
          expect(answer).toMatchObject({ status: 200, body: { thresholds: { [name]: { value } } } });
          revision = (answer.body as Rule).revision;
        }
        for (const value of [min - 1, max + 1, min + 0.5, String(min), null]) {
          expect(await put(rule, { enabled: true, thresholds: { [name]: value }, revision })).toMatchObject({
            status: 400,
            body: { error: 40002, message: `thresholds.${name}: expected an integer from ${min} to ${max}` },
          });
        }
      }
      expect((await one(rule))?.revision).toBe(revision);
    }
  });

  const refused: readonly (readonly [object | undefined, string])[] = [
    [undefined, "enabled: expected true or false"],
    [{ revision: 0 }, "enabled: expected true or false"],
    [{ enabled: true }, "revision: expected an integer from 0"],
    [{ enabled: true, revision: -1 }, "revision: expected an integer from 0"],
    [{ enabled: true, revision: 0.5 }, "revision: expected an integer from 0"],
    [{ enabled: true, revision: "0" }, "revision: expected an integer from 0"],
    [{ enabled: "yes", revision: 0 }, "enabled: expected true or false"],
    [{ enabled: true, revision: 0, level: "SEVERE" }, "level: expected one of LOW, MEDIUM, HIGH, CRITICAL"],
    [{ enabled: true, revision: 0, level: null }, "level: expected one of"],
    [{ enabled: true, revision: 0, thresholds: [] }, "thresholds: expected an object"],
    [
      { enabled: true, revision: 0, thresholds: { more: 1 } },
      "thresholds: unknown threshold, expected one of: failures,",
    ],
    [{ enabled: true, revision: 0, known: [] }, "known: expected an object"],
    [{ enabled: true, revision: 0, known: { networks: ["192.0.2.1"] } }, "known.networks.0: expected an IPv4 or IPv6"],
    [
      { enabled: true, revision: 0, known: { networks: Array(101).fill("192.0.2.0/24") } },
      "known.networks: expected a list",
    ],
    [{ enabled: true, revision: 0, known: { users: ["a b"] } }, "known.users.0: expected a user id"],
    [{ enabled: true, revision: 0, known: { users: [""] } }, "known.users.0: expected a user id"],
    [{ enabled: true, revision: 0, known: { users: ["u".repeat(129)] } }, "known.users.0: expected a user id"],
    [{ enabled: true, revision: 0, known: { users: Array(101).fill("ada") } }, "known.users: expected a list"],
    [{ enabled: true, revision: 0, known: { users: [], more: [] } }, "known: unknown field more"],
    [{ enabled: true, revision: 0, more: 1 }, "body: unknown field more, expected only enabled"],
  ];

  it.each(refused.map(([body, message]) => ({ body, message })))(
    "are refused with: $message",
    async ({ body, message }) => {
      expect(await put(RULE, body)).toMatchObject({
        status: 400,
        body: { error: 40002, message: expect.stringContaining(message) },
      });
      expect((await one(RULE))?.revision).toBe(0);
    },
  );

  it("change once: the same request again is no change, and another revision is a conflict", async () => {
    const body = { enabled: true, level: "LOW", thresholds: { failures: 9 }, known: { users: ["robot"] }, revision: 0 };
    const changed = await put(RULE, body);
    expect(changed).toMatchObject({
      status: 200,
      body: {
        rule: RULE,
        enabled: true,
        level: "LOW",
        thresholds: { failures: { value: 9, default: 5 }, windowMinutes: { value: 15 } },
        known: { networks: [], users: ["robot"] },
        revision: 1,
      },
    });
    expect(await put(RULE, body)).toMatchObject({ status: 200, body: changed.body as object });
    expect(await one(RULE)).toEqual(changed.body);
    expect(await put(RULE, { ...body, level: "HIGH" })).toMatchObject({ status: 409, body: { error: 40923 } });
    expect(await put(RULE, { enabled: true, revision: 5 })).toMatchObject({ status: 409, body: { error: 40923 } });
    // A field that is left out has its default.
    expect(await put(RULE, { enabled: true, revision: 1 })).toMatchObject({
      status: 200,
      body: { thresholds: { failures: { value: 5 } }, known: nobody, revision: 2 },
    });
    expect(await one(RULE)).not.toHaveProperty("level");
    expect(await ours.events("eventType=DETECTION_RULE_CHANGED")).toMatchObject([
      { riskLevel: "MEDIUM", resource: RULE, metadata: { revision: 2, users: { removed: ["robot"] } } },
      { riskLevel: "MEDIUM", resource: RULE, metadata: { revision: 1, level: { from: null, to: "LOW" } } },
    ]);
  });

  it("raise an alert while one is off, which is resolved when the rule is on again", async () => {
    expect(await put("sync_silence", { enabled: false, revision: 0 })).toMatchObject({ status: 200 });
    const [alert] = await alerts("detection_rule_off");
    expect(alert).toMatchObject({ subject: "sync_silence", level: "HIGH", status: "open", count: 1 });
    expect(await ours.events("eventType=DETECTION_RULE_CHANGED")).toMatchObject([
      { riskLevel: "HIGH", alertGenerated: true, userId: "ada", source: "user" },
    ]);
    expect(await put("sync_silence", { enabled: false, level: "LOW", revision: 1 })).toMatchObject({ status: 200 });
    expect(await alerts("detection_rule_off")).toMatchObject([{ status: "open", count: 1 }]);
    expect(await put("sync_silence", { enabled: true, revision: 2 })).toMatchObject({ status: 200 });
    expect(await alerts("detection_rule_off")).toMatchObject([{ status: "resolved" }]);
  });

  it("are followed at once by what is found at once", async () => {
    const deny = (userId: string) => ours.call("PUT", "settings", {}, { userId, role: "member" });
    await deny("eve");
    expect(await alerts("permission_escalation")).toMatchObject([
      {
        subject: "user:eve",
        level: "HIGH",
        attack: [
          { tactic: "TA0004", technique: "T1078" },
          { tactic: "TA0007", technique: "T1069" },
        ],
      },
    ]);
    await put("permission_escalation", { enabled: true, level: "MEDIUM", known: { users: ["robot"] }, revision: 0 });
    await deny("robot");
    await deny("mallory");
    expect(await alerts("permission_escalation")).toMatchObject([
      { subject: "user:mallory", level: "MEDIUM" },
      { subject: "user:eve" },
    ]);
    await put("permission_escalation", { enabled: false, revision: 1 });
    await deny("trudy");
    expect(await alerts("permission_escalation")).toHaveLength(2);
    // The event's own alert stays.
    expect(await alerts("event_threshold")).toEqual(
      expect.arrayContaining([expect.objectContaining({ subject: "PERMISSION_DENIED user:trudy" })]),
    );
  });

  it("are another organization's own", async () => {
    await put(RULE, { enabled: false, revision: 0 });
    const other = { organizationId: `${ours.organizationId}-other` };
    expect((await list(other)).body).toContainEqual(
      expect.objectContaining({ rule: RULE, enabled: true, revision: 0 }),
    );
  });

  it.each(["nothing", "custom_01J", "no rule", "%00", "x".repeat(300)])("do not include %s", async (rule) => {
    expect(await put(encodeURIComponent(rule), { enabled: true, revision: 0 })).toMatchObject({
      status: 404,
      body: { error: 40413 },
    });
  });

  it.each(["billing", "member", "guest"])("are not for the role %s", async (role) => {
    expect(await list({ role })).toMatchObject({ status: 403, body: { error: 40301 } });
    expect(await put(RULE, { enabled: true, revision: 0 }, { role })).toMatchObject({
      status: 403,
      body: { error: 40301 },
    });
  });

  it("take no unknown parameter", async () => {
    expect(await ours.call("GET", "detection/rules?limit=5")).toMatchObject({ status: 400, body: { error: 40002 } });
  });

  it("lose an erased user, and the rule sees that user again", async () => {
    await put(RULE, { enabled: true, known: { users: ["bob", "robot"] }, revision: 0 });
    expect(await ours.call("POST", "erasure", { scope: "user", userId: "bob" })).toMatchObject({ status: 202 });
    await eventually("the user is erased", async () => (await one(RULE))?.revision === 2);
    expect(await one(RULE)).toMatchObject({ known: { users: ["robot"] } });
  });
});
