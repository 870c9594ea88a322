/** The endpoints of own rules over HTTP. What the rules find is in custom-rules.deep.test.ts. */
import { describe, expect, it } from "@jest/globals";
import { deepIt } from "../support/deep-it.ts";
import { sampleOf } from "../support/depth.ts";
import { organizationOf } from "../support/integration.ts";
import { useSharedService } from "../support/use-service.ts";

const UNKNOWN = "01kb0000000000000000000000";
const PATH = "detection/custom-rules";

const service = await useSharedService();

type Rule = { id: string; name: string; revision: number; createdAt: number; changedAt: number };

const rule = {
  name: "Many refusals",
  level: "HIGH",
  mode: "live",
  filter: { eventTypes: ["PERMISSION_DENIED"] },
  measure: "count",
  groupBy: "userId",
  windowMinutes: 60,
  condition: { gte: 5 },
};
const { groupBy: _, ...silence } = { ...rule, condition: { lt: 1 }, windowMinutes: 720 };

let organizations = 0;

/** Requests of a new organization's users. */
const freshOrganization = () => {
  const { organizationId, call, events: eventsOf } = organizationOf(service, `custom-rules-${++organizations}`);
  const ask = async <Body = Rule>(method: string, path: string, body?: object, key?: string) => {
    const headers = key === undefined ? {} : { "idempotency-key": key };
    const answer = await call(method, PATH + path, body, {}, headers);
    return { ...answer, body: answer.body as Body };
  };
  const create = async (body: object) => {
    const { status, body: created } = await ask("POST", "", body);
    expect(status).toBe(201);
    return created;
  };
  const list = async () => (await ask<Rule[]>("GET", "")).body;
  const events = async () => (await eventsOf("category=compliance")).reverse();
  return { organizationId, call, ask, create, list, events };
};

const problem = (status: number, error: number, message = "") => ({
  status,
  body: { error, message: expect.stringContaining(message) },
});

describe("own rules", () => {
  it("are created, listed, read, replaced and deleted, each change with its event", async () => {
    const { create, list, ask, events } = freshOrganization();
    const attack = [{ tactic: "TA0006", technique: "T1110.001" }];
    const created = await create({ ...rule, attack });
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{26}$/),
      ...rule,
      attack,
      revision: 1,
      createdAt: expect.any(Number),
      createdBy: "ada",
      changedAt: created.createdAt,
      changedBy: "ada",
    });
    const other = await create(silence);
    expect(await list()).toEqual([created, other]);
    const path = `/${created.id}`;
    expect(await ask("GET", path)).toMatchObject({ status: 200, body: created });
    const changed = await ask("PUT", path, { ...rule, mode: "dryRun", revision: 1 });
    expect(changed).toMatchObject({
      status: 200,
      body: { id: created.id, revision: 2, mode: "dryRun", createdAt: created.createdAt },
    });
    expect(changed.body).not.toHaveProperty("attack");
    expect(changed.body).toMatchObject({
      dryRun: { since: changed.body.changedAt, wouldHaveRaised: 0, samples: [] },
    });
    expect((await ask("GET", path)).body).toEqual(changed.body);
    expect((await ask("DELETE", path)).status).toBe(204);
    expect(await ask("DELETE", path)).toMatchObject(problem(404, 40412));
    expect(await ask("GET", path)).toMatchObject(problem(404, 40412));
    expect(await list()).toEqual([other]);
    const recorded = await events();
    expect(recorded).toMatchObject([
      {
        eventType: "CUSTOM_RULE_CREATED",
        action: "create_custom_rule",
        resource: created.id,
        metadata: { name: rule.name },
      },
      { eventType: "CUSTOM_RULE_CREATED", resource: other.id },
      { eventType: "CUSTOM_RULE_CHANGED", resource: created.id, metadata: { changed: ["mode", "attack"] } },
      { eventType: "CUSTOM_RULE_DELETED", resource: created.id },
    ]);
    for (const event of recorded) expect(event).toMatchObject({ riskLevel: "MEDIUM", userId: "ada", source: "user" });
  });

  it("are replaced only with their revision, and the same definition changes nothing", async () => {
    const { create, ask, events } = freshOrganization();
    const { id } = await create(rule);
    const put = (body: object) => ask("PUT", `/${id}`, body);
    expect(await put({ ...rule, revision: 1 })).toMatchObject({ status: 200, body: { revision: 1 } });
    expect(await put({ ...rule, name: "B", revision: 2 })).toMatchObject(problem(409, 40921, "revision 1"));
    const concurrent = await Promise.all(["B", "C", "D"].map((name) => put({ ...rule, name, revision: 1 })));
    expect(concurrent.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await put({ ...rule, name: "E", revision: 1 })).toMatchObject(problem(409, 40921, "revision 2"));
    expect(await put({ ...rule, name: "E", revision: 2.0 })).toMatchObject({ status: 200, body: { revision: 3 } });
    expect((await events()).map(({ eventType }) => eventType)).toEqual([
      "CUSTOM_RULE_CREATED",
      "CUSTOM_RULE_CHANGED",
      "CUSTOM_RULE_CHANGED",
    ]);
  });

  deepIt("are at most 20, also of concurrent requests, and names may repeat", async () => {
    const { ask, list } = freshOrganization();
    const answers = await Promise.all(Array.from({ length: 24 }, () => ask("POST", "", rule)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    for (const answer of answers) if (answer.status !== 201) expect(answer).toMatchObject(problem(409, 40920));
    const [first] = await list();
    expect((await ask("DELETE", `/${first?.id}`)).status).toBe(204);
    expect((await ask("POST", "", rule)).status).toBe(201);
    expect((await ask("POST", "", rule)).status).toBe(409);
  });

  it("are listed page by page", async () => {
    const { create, call } = freshOrganization();
    const created = [await create(rule), await create(rule), await create(silence)];
    const first = await call("GET", `${PATH}?limit=2`);
    expect(first.body).toEqual(created.slice(0, 2));
    const next = first.next?.split("/api/integrations/provider/")[1] ?? "";
    expect((await call("GET", next)).body).toEqual(created.slice(2));
  });

  deepIt("are created once by repeated requests with an Idempotency-Key", async () => {
    const { ask, list } = freshOrganization();
    const [first, second] = [await ask("POST", "", rule, "k"), await ask("POST", "", rule, "k")];
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(await list()).toEqual([first.body]);
    expect((await ask("POST", "", silence, "k")).status).toBe(409);
  });

  it.each<[string, object]>(
    sampleOf(
      [
        ["name: ", { ...rule, name: "" }],
        ["name: ", { ...rule, name: "n".repeat(101) }],
        ["level: ", { ...rule, level: "high" }],
        ["mode: ", { ...rule, mode: "test" }],
        ["filter: expected at least one field", { ...rule, filter: {} }],
        ["filter.eventTypes: ", { ...rule, filter: { eventTypes: [] } }],
        ["filter.eventTypes.0: ", { ...rule, filter: { eventTypes: ["SOMETHING"] } }],
        ["filter.categories.0: ", { ...rule, filter: { categories: ["x"] } }],
        ["filter.sources.1: ", { ...rule, filter: { sources: ["user", "x"] } }],
        ["filter.success: ", { ...rule, filter: { success: "true" } }],
        ["filter.userIds.0: ", { ...rule, filter: { userIds: ["a b"] } }],
        [
          "filter.userIds: expected a list of 1 to 50",
          { ...rule, filter: { userIds: Array.from({ length: 51 }, (_, i) => `u${i}`) } },
        ],
        ["filter.networks.0: ", { ...rule, filter: { networks: ["192.0.2.1"] } }],
        ["filter.resourceTypes.0: ", { ...rule, filter: { resourceTypes: ["x"] } }],
        ["filter.errorCodes.0: ", { ...rule, filter: { errorCodes: [40301] } }],
        ["filter.levels.0: ", { ...rule, filter: { levels: ["low"] } }],
        ["filter: unknown field eventType", { ...rule, filter: { eventType: ["PERMISSION_DENIED"] } }],
        ["measure: ", { ...rule, measure: "sum" }],
        ["measure: ", { ...rule, measure: { distinct: "resourceType" } }],
        ["groupBy: ", { ...rule, groupBy: "eventType" }],
        ["windowMinutes: ", { ...rule, windowMinutes: 4 }],
        ["windowMinutes: ", { ...rule, windowMinutes: 61 }],
        ["windowMinutes: ", { ...rule, windowMinutes: 5.5 }],
        ["windowMinutes: ", { ...rule, windowMinutes: "60" }],
        ["windowMinutes: ", { ...rule, windowMinutes: 1_441 }],
        ["condition: ", { ...rule, condition: { gte: 0 } }],
        ["condition: ", { ...rule, condition: { gte: 10_001 } }],
        ["condition: ", { ...rule, condition: { gte: 1, lt: 2 } }],
        ["condition: ", { ...rule, condition: {} }],
        ["condition.gte: ", { ...rule, measure: { distinct: "userId" }, condition: { gte: 501 } }],
        ["condition: ", { ...silence, condition: { lt: 0 } }],
        ["windowMinutes: ", { ...silence, windowMinutes: 30 }],
        ["groupBy: ", { ...silence, groupBy: "userId" }],
        ["measure: ", { ...silence, measure: { distinct: "userId" } }],
        ["attack: ", { ...rule, attack: [] }],
        ["attack.0.tactic: ", { ...rule, attack: [{ tactic: "TA6", technique: "T1110" }] }],
        ["attack.0.technique: ", { ...rule, attack: [{ tactic: "TA0006", technique: "T1110.1" }] }],
        ["unknown field expression", { ...rule, expression: "true" }],
        ["unknown field revision", { ...rule, revision: 1 }],
        ...(["name", "level", "mode", "filter", "measure", "windowMinutes", "condition"] as const).map(
          (name): [string, object] => [`${name}: `, { ...rule, [name]: undefined }],
        ),
      ],
      8,
    ),
  )("are refused with %s", async (message, body) => {
    const { ask, list } = freshOrganization();
    expect(await ask("POST", "", body)).toMatchObject(problem(400, 40002, message));
    expect(await list()).toEqual([]);
  });

  deepIt("are taken at every bound", async () => {
    const { create } = freshOrganization();
    const networks = Array.from({ length: 50 }, (_, i) => `2001:db8:${i}::/48`);
    for (const windowMinutes of [5, 60, 120, 180, 240, 360, 480, 720, 1_440]) await create({ ...rule, windowMinutes });
    await create({ ...rule, name: "🌱".repeat(100), condition: { gte: 10_000 }, filter: { networks, success: false } });
    await create({ ...rule, measure: { distinct: "resource" }, condition: { gte: 500 }, groupBy: "resourceType" });
    await create({ ...silence, windowMinutes: 60, condition: { lt: 10_000 } });
  });

  it("need a revision to be replaced", async () => {
    const { create, ask } = freshOrganization();
    const { id } = await create(rule);
    for (const revision of [undefined, -1, "1", 1.5, null]) {
      expect(await ask("PUT", `/${id}`, { ...rule, revision })).toMatchObject(problem(400, 40002, "revision: "));
    }
    expect(await ask("PUT", `/${id}`, { ...rule, revision: 0 })).toMatchObject(problem(409, 40921, "revision 1"));
    expect(await ask("PUT", `/${UNKNOWN}`, { ...rule, revision: 1 })).toMatchObject(problem(404, 40412));
    expect(await ask("PUT", `/${"x".repeat(300)}`, { ...rule, revision: 1 })).toMatchObject(problem(404, 40412));
  });

  it("are of one organization, and for administrators", async () => {
    const { create, call } = freshOrganization();
    const { id } = await create(rule);
    const requests = [
      ["GET", ""],
      ["POST", "", rule],
      ["GET", `/${id}`],
      ["PUT", `/${id}`, { ...rule, name: "x", revision: 1 }],
      ["DELETE", `/${id}`],
    ] as const;
    for (const [method, path, body] of requests) {
      for (const role of ["billing", "member", "guest"]) {
        expect(await call(method, PATH + path, body, { role })).toMatchObject(problem(403, 40301));
      }
    }
    const stranger = freshOrganization();
    for (const [method, path, body] of requests.slice(2)) {
      expect(await stranger.ask(method, path, body)).toMatchObject(problem(404, 40412));
    }
    expect(await stranger.list()).toEqual([]);
    expect(await call("GET", `${PATH}?name=x`)).toMatchObject(problem(400, 40002, "name"));
  });
});
