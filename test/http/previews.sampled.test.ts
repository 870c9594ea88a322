/** The endpoints of previews over HTTP. What previews find is in previews.deep.test.ts. */
import { describe, expect, it } from "@jest/globals";
import type { Preview } from "../../shared/previews/preview.ts";
import { deepIt } from "../support/deep-it.ts";
import { sampleOf } from "../support/depth.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { useSharedService } from "../support/use-service.ts";

const PATH = "detection/previews";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const UNKNOWN = "01kb0000000000000000000000";

const service = await useSharedService();

const rule = { rule: "repeated_auth_failures", enabled: true, known: { networks: ["192.0.2.0/24"] } };
const customRule = {
  name: "Many refusals",
  level: "HIGH",
  mode: "live",
  filter: { eventTypes: ["PERMISSION_DENIED"] },
  measure: "count",
  groupBy: "userId",
  windowMinutes: 60,
  condition: { gte: 5 },
};
const mute = () => ({ rules: ["repeated_auth_failures"], until: Date.now() + DAY, reason: "A load test." });

let organizations = 0;

const freshOrganization = () => {
  const organization = organizationOf(service, `previews-${++organizations}`);
  const { call } = organization;
  const post = (body: object, key?: string) =>
    call("POST", PATH, body, {}, key === undefined ? undefined : { "idempotency-key": key });
  const get = async (id: string) => (await call("GET", `${PATH}/${id}`)).body as Preview;
  const ended = (id: string) =>
    eventually(`preview ${id} has ended`, async () => {
      const preview = await get(id);
      return (preview.status === "succeeded" || preview.status === "failed") && preview;
    });
  return { ...organization, post, get, ended };
};

const problem = (status: number, error: number, message = "") => ({
  status,
  body: { error, message: expect.stringContaining(message) },
});

const noFindings = { alerts: 0, byLevel: {}, byDay: {}, notifications: 0, atNight: 0 };

const refused: [message: string, body: object][] = [
  ["days: ", { rule }],
  ["days: expected an integer from 1 to 90", { days: 0, rule }],
  ["days: expected an integer from 1 to 90", { days: 91, rule }],
  ["days: ", { days: 1.5, rule }],
  ["days: ", { days: "1", rule }],
  ["expected exactly one of rule, customRule and mute", { days: 1 }],
  ["expected exactly one of rule, customRule and mute", { days: 1, rule, customRule }],
  ["expected exactly one of rule, customRule and mute", { days: 1, rule, mute: mute() }],
  ["unknown field mode", { days: 1, rule, mode: "x" }],
  ["rule.rule: expected one of", { days: 1, rule: { ...rule, rule: "event_threshold" } }],
  ["rule.enabled: ", { days: 1, rule: { rule: rule.rule } }],
  ["rule.level: ", { days: 1, rule: { ...rule, level: "high" } }],
  ["thresholds: unknown threshold", { days: 1, rule: { ...rule, thresholds: { calls: 60 } } }],
  ["thresholds.failures: expected an integer", { days: 1, rule: { ...rule, thresholds: { failures: 0 } } }],
  ["rule", { days: 1, rule: { ...rule, revision: 0 } }],
  ["rule.known.networks.0", { days: 1, rule: { ...rule, known: { networks: ["x"] } } }],
  ["customRule.name: ", { days: 1, customRule: { ...customRule, name: "" } }],
  ["customRule", { days: 1, customRule: { ...customRule, revision: 1 } }],
  ["customRule.id: ", { days: 1, customRule: { ...customRule, id: "" } }],
  [
    "customRule.windowMinutes: ",
    { days: 1, customRule: { ...customRule, condition: { lt: 1 }, groupBy: undefined, windowMinutes: 30 } },
  ],
  ["mute.reason: ", { days: 1, mute: { ...mute(), reason: "" } }],
  ["until: expected a time in the future", { days: 1, mute: { ...mute(), until: 1 } }],
  ["expected rules, levels or both", { days: 1, mute: { ...mute(), rules: undefined } }],
  ["mute.rules.0: ", { days: 1, mute: { ...mute(), rules: ["alerts_muted"] } }],
];

describe("previews", () => {
  it.each([
    ["settings of a rule", () => ({ days: 1, rule })],
    ["an own rule", () => ({ days: 90, customRule })],
    ["a mute", () => ({ days: 7.0, mute: mute() })],
  ])("of %s are accepted, and succeed", async (_, body) => {
    const { post, ended, call } = freshOrganization();
    const requested = body();
    const { status, body: accepted } = await post(requested);
    const preview = accepted as Preview;
    expect([status, preview]).toEqual([
      202,
      {
        id: expect.stringMatching(/^[0-9A-Z]{26}$/),
        status: "queued",
        days: requested.days,
        from: preview.to - requested.days * DAY,
        to: expect.any(Number),
        reads: 0,
        progress: { hours: 0, of: expect.any(Number) },
        requestedAt: expect.any(Number),
        requestedBy: "ada",
        expiresAt: preview.requestedAt + 7 * DAY,
      },
    ]);
    expect(preview.to % HOUR).toBe(0);
    const done = await ended(preview.id);
    const { from, to } = preview;
    expect(done).toEqual({
      ...preview,
      status: "succeeded",
      progress: { hours: preview.progress.of, of: preview.progress.of },
      // biome-ignore lint/suspicious/noThenProperty: a field of the API.
      result: { from, to, now: noFindings, then: noFindings, added: [], removed: [], withheld: [] },
    });
    // Nothing but the preview: neither an event nor an alert.
    expect((await call("GET", "security?limit=10")).body).toMatchObject({ events: [] });
    expect((await call("GET", "security/alert")).body).toEqual([]);
  });

  deepIt("run one at a time: of concurrent requests one is accepted, and the next one after its end", async () => {
    const { post, ended } = freshOrganization();
    const answers = await Promise.all(Array.from({ length: 6 }, () => post({ days: 90, mute: mute() })));
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted.length).toBeGreaterThan(0);
    for (const answer of answers) if (answer.status !== 202) expect(answer).toMatchObject(problem(409, 40924));
    for (const { body } of accepted) await ended((body as Preview).id);
    const again = await post({ days: 1, rule });
    expect(again.status).toBe(202);
    await ended((again.body as Preview).id);
  });

  deepIt("are the same for a repeated Idempotency-Key", async () => {
    const { post, ended } = freshOrganization();
    const [first, second] = [await post({ days: 1, rule }, "k"), await post({ days: 1, rule }, "k")];
    expect(second).toMatchObject({ status: 202, body: first.body as object });
    expect((await post({ days: 2, rule }, "k")).status).toBe(409);
    await ended((first.body as Preview).id);
  });

  it("are unknown to other organizations, and need the permissions of detection", async () => {
    const { post, call, ended } = freshOrganization();
    const { body } = await post({ days: 1, rule });
    const { id } = body as Preview;
    expect(await freshOrganization().call("GET", `${PATH}/${id}`)).toMatchObject(problem(404, 40414));
    expect(await call("GET", `${PATH}/${UNKNOWN}`)).toMatchObject(problem(404, 40414));
    expect(await call("GET", `${PATH}/${"x".repeat(300)}`)).toMatchObject(problem(404, 40414));
    for (const role of ["billing", "member", "guest"]) {
      expect((await call("POST", PATH, { days: 1, rule }, { role })).status).toBe(403);
      expect((await call("GET", `${PATH}/${id}`, undefined, { role })).status).toBe(403);
    }
    expect((await call("GET", `${PATH}/${id}?limit=1`)).status).toBe(400);
    await ended(id);
  });

  it("of an own rule that is not the organization's are 404", async () => {
    const theirs = freshOrganization();
    const { body } = await theirs.call("POST", "detection/custom-rules", customRule);
    const { id } = body as { id: string };
    const { post } = freshOrganization();
    expect(await post({ days: 1, customRule: { ...customRule, id } })).toMatchObject(problem(404, 40412));
    expect(await post({ days: 1, customRule: { ...customRule, id: UNKNOWN } })).toMatchObject(problem(404, 40412));
    const accepted = await theirs.post({ days: 1, customRule: { ...customRule, id, level: "LOW" } });
    expect(accepted.status).toBe(202);
    await theirs.ended((accepted.body as Preview).id);
  });

  deepIt("are deleted by an erasure, also by that of one user", async () => {
    const { post, call, ended } = freshOrganization();
    const { body } = await post({ days: 1, rule });
    const { id } = await ended((body as Preview).id);
    const erasure = await call("POST", "erasure", { scope: "user", userId: "somebody" });
    expect(erasure.status).toBe(202);
    await eventually("the preview is erased", async () => (await call("GET", `${PATH}/${id}`)).status === 404);
  });

  it.each(sampleOf(refused, 6))("are refused: %s %j", async (message, body) => {
    expect(await freshOrganization().post(body)).toMatchObject(problem(400, 40002, message));
  });
});
