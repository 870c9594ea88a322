/** The endpoints of mutes over HTTP. What they withhold and send is in mutes-sending.deep.test.ts. */
import { describe, expect, it } from "@jest/globals";
import { deepIt } from "../support/deep-it.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { useSharedService } from "../support/use-service.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const UNKNOWN = "01KB0000000000000000000000";

const service = await useSharedService();

type Mute = { id: string; state: string; from: number; until: number; createdAt: number; endedAt?: number };
type Alert = { id: string; rule: string; subject: string; level: string; status: string; resolvedBy?: string };

let organizations = 0;

/** Requests of a new organization's users. */
const freshOrganization = () => {
  const { organizationId, call, events } = organizationOf(service, `mutes-${++organizations}`);
  const ask = async <Body = unknown>(
    method: string,
    path: string,
    body?: object,
    claims: object = {},
    key?: string,
  ) => {
    const headers = key === undefined ? {} : { "idempotency-key": key };
    const answer = await call(method, `mutes${path}`, body, claims, headers);
    return { ...answer, body: answer.body as Body };
  };
  const create = async (body: object) => {
    const { status, body: created } = await ask<Mute>("POST", "", body);
    expect(status).toBe(201);
    return created;
  };
  const alerts = async () => (await call("GET", "security/alert")).body as Alert[];
  return { organizationId, call, ask, create, events, alerts };
};

const problem = (status: number, error: number, message = "") => ({
  status,
  body: { error, message: expect.stringContaining(message) },
});

const until = () => Date.now() + HOUR;

describe("mutes", () => {
  it("are created, listed, read and ended, and a repeated end changes nothing", async () => {
    const { create, ask } = freshOrganization();
    const end = until();
    const mute = await create({
      rules: ["manual"],
      subject: "a",
      levels: ["LOW"],
      until: end,
      reason: "test",
      from: 1,
    });
    expect(mute).toEqual({
      id: expect.any(String),
      rules: ["manual"],
      subject: "a",
      levels: ["LOW"],
      from: mute.createdAt,
      until: end,
      includeCritical: false,
      reason: "test",
      createdBy: "ada",
      createdAt: expect.any(Number),
      state: "active",
      hidden: { alerts: 0, notifications: 0, byLevel: {} },
    });
    const weekly = { days: ["monday", "sunday"], from: "22:00", to: "06:00", timeZone: "Europe/Berlin" };
    const planned = await create({ levels: ["LOW"], from: end, until: end + 90 * DAY, weekly, reason: "nights" });
    expect(planned).toMatchObject({ state: "planned", weekly, from: end });
    expect((await ask<Mute[]>("GET", "")).body).toEqual([planned, mute]);
    expect((await ask("GET", `/${mute.id}`)).body).toEqual(mute);
    expect((await ask("DELETE", `/${mute.id}`)).status).toBe(204);
    const { body: ended } = await ask<Mute>("GET", `/${mute.id}`);
    expect(ended).toEqual({ ...mute, state: "ended", endedAt: expect.any(Number), endedBy: "ada" });
    expect((await ask("DELETE", `/${mute.id}`)).status).toBe(204);
    expect((await ask("GET", `/${mute.id}`)).body).toEqual(ended);
  });

  it("are listed page by page, newest first", async () => {
    const { create, call } = freshOrganization();
    const ids: string[] = [];
    for (const reason of ["a", "b", "c"]) ids.unshift((await create({ levels: ["LOW"], until: until(), reason })).id);
    const first = await call("GET", "mutes?limit=2");
    const second = await call(
      "GET",
      `mutes?limit=2&cursor=${new URL(first.next ?? "", "http://x").searchParams.get("cursor")}`,
    );
    expect([first, second].flatMap(({ body }) => (body as Mute[]).map(({ id }) => id))).toEqual(ids);
    expect(second.next).toBeUndefined();
  });

  it("of other organizations and unknown ones do not exist", async () => {
    const mute = await freshOrganization().create({ levels: ["LOW"], until: until(), reason: "test" });
    const { ask } = freshOrganization();
    for (const id of [mute.id, UNKNOWN, "nothing", "x".repeat(300)]) {
      expect(await ask("GET", `/${id}`)).toMatchObject(problem(404, 40411));
      expect(await ask("DELETE", `/${id}`)).toMatchObject(problem(404, 40411));
    }
    expect((await ask("GET", "")).body).toEqual([]);
  });

  it("need the permissions of security", async () => {
    const { ask } = freshOrganization();
    for (const role of ["billing", "member", "guest"]) {
      for (const [method, path] of [
        ["GET", ""],
        ["POST", ""],
        ["GET", `/${UNKNOWN}`],
        ["DELETE", `/${UNKNOWN}`],
      ] as const) {
        expect(await ask(method, path, method === "POST" ? {} : undefined, { role })).toMatchObject({ status: 403 });
      }
    }
  });

  it("are one for repeated requests with a key", async () => {
    const { ask } = freshOrganization();
    const body = { levels: ["LOW"], until: until(), reason: "test" };
    const [first, second] = [await ask("POST", "", body, {}, "k"), await ask("POST", "", body, {}, "k")];
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect((await ask("POST", "", { ...body, reason: "other" }, {}, "k")).status).toBe(409);
    expect((await ask<Mute[]>("GET", "")).body).toHaveLength(1);
  });

  deepIt(
    "are at most 50 that have not ended, however many requests come at once",
    async () => {
      const { ask } = freshOrganization();
      const post = () => ask<Mute>("POST", "", { levels: ["LOW"], until: until(), reason: "test" });
      const answers = [];
      for (let i = 0; i < 12; i++) answers.push(...(await Promise.all([post(), post(), post(), post()])));
      answers.push(...(await Promise.all([post(), post(), post(), post()])));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
      const [one] = answers;
      expect((await ask("DELETE", `/${one?.body.id}`)).status).toBe(204);
      expect((await post()).status).toBe(201);
      expect(await post()).toMatchObject(problem(409, 40917, "50 mutes"));
    },
    60_000,
  );
});

describe("a mute that is not valid", () => {
  const good = () => ({ rules: ["manual"], levels: ["LOW"], until: until(), reason: "test" });
  const weekly = { days: ["monday"], from: "22:00", to: "06:00", timeZone: "UTC" };
  const bad: [name: string, changes: () => object, message: string][] = [
    ["neither rules nor levels", () => ({ rules: undefined, levels: undefined }), "expected rules, levels or both"],
    ["no rules", () => ({ rules: [] }), "rules"],
    [
      "51 rules",
      () => ({ rules: Array.from({ length: 51 }, (_, i) => `custom_${String(i).padStart(26, "0")}`) }),
      "rules",
    ],
    ["a rule twice", () => ({ rules: ["manual", "manual"] }), "rules"],
    ["an unknown rule", () => ({ rules: ["nothing"] }), "rules.0"],
    ["a custom rule of another form", () => ({ rules: ["custom_"] }), "rules.0"],
    ...[
      "notifications_silenced",
      "notifications_paused",
      "detection_rule_off",
      "evidence_incomplete",
      "alerts_muted",
    ].map((rule): [string, () => object, string] => [`the rule ${rule}`, () => ({ rules: [rule] }), "rules.0"]),
    ["an empty subject", () => ({ subject: "" }), "subject"],
    ["a long subject", () => ({ subject: "x".repeat(257) }), "subject"],
    ["a subject with two rules", () => ({ rules: ["manual", "sync_silence"], subject: "a" }), "subject"],
    ["a subject without rules", () => ({ rules: undefined, subject: "a" }), "subject"],
    ["no levels", () => ({ levels: [] }), "levels"],
    ["a level twice", () => ({ levels: ["LOW", "LOW"] }), "levels"],
    ["a level in small letters", () => ({ levels: ["low"] }), "levels"],
    ["CRITICAL without includeCritical", () => ({ levels: ["CRITICAL"] }), "levels"],
    ["an unknown field", () => ({ rule: "manual" }), "unknown field rule"],
    ["an unknown field of weekly", () => ({ weekly: { ...weekly, at: "x" } }), "weekly"],
    ["no end", () => ({ until: undefined }), "until"],
    ["an end in the past", () => ({ until: Date.now() - 1 }), "until"],
    ["an end before the beginning", () => ({ from: Date.now() + 2 * HOUR }), "until"],
    ["an end after more than 90 days", () => ({ until: Date.now() + 90 * DAY + HOUR }), "until"],
    [
      "a beginning after more than 90 days",
      () => ({ from: Date.now() + 91 * DAY, until: Date.now() + 92 * DAY }),
      "from",
    ],
    ["a time as text", () => ({ until: "2027-01-01T00:00:00Z" }), "until"],
    ["a fraction of a millisecond", () => ({ from: 1.5 }), "from"],
    ["a negative time", () => ({ from: -1 }), "from"],
    ["no reason", () => ({ reason: undefined }), "reason"],
    ["an empty reason", () => ({ reason: "" }), "reason"],
    ["a long reason", () => ({ reason: "x".repeat(501) }), "reason"],
    ["includeCritical as text", () => ({ includeCritical: "true" }), "includeCritical"],
    ["a field that is null", () => ({ weekly: null }), "weekly"],
    ["a day twice", () => ({ weekly: { ...weekly, days: ["monday", "monday"] } }), "weekly.days"],
    ["no day", () => ({ weekly: { ...weekly, days: [] } }), "weekly.days"],
    ["an unknown day", () => ({ weekly: { ...weekly, days: ["Monday"] } }), "weekly.days"],
    ["an unknown time of day", () => ({ weekly: { ...weekly, from: "24:00" } }), "weekly.from"],
    ["a span without a length", () => ({ weekly: { ...weekly, to: "22:00" } }), "weekly.to"],
    ["an unknown time zone", () => ({ weekly: { ...weekly, timeZone: "Europe/Nowhere" } }), "weekly.timeZone"],
    [
      "weekly without a time zone",
      () => ({ weekly: { days: ["monday"], from: "22:00", to: "06:00" } }),
      "weekly.timeZone",
    ],
  ];

  it("is refused, and the message names the field", async () => {
    const { ask } = freshOrganization();
    for (const [name, changes, message] of bad) {
      const answer = await ask("POST", "", { ...good(), ...changes() });
      expect([name, answer]).toEqual([name, expect.objectContaining(problem(400, 40002, message))]);
    }
    expect((await ask("GET", "")).body).toEqual([]);
  }, 60_000);

  it("would be valid at the bounds", async () => {
    const { create } = freshOrganization();
    const later = Date.now() + 90 * DAY - HOUR;
    await create({ ...good(), from: later, until: later + 90 * DAY });
    await create({ ...good(), subject: "🪴".repeat(256), reason: "🪴".repeat(500) });
    await create({ rules: [`custom_${UNKNOWN.toLowerCase()}`], until: until(), reason: "own rule" });
    await create({ levels: ["CRITICAL"], includeCritical: true, until: until(), reason: "all off" });
  });
});

describe("the events and the alert of a mute", () => {
  it("tell of the creation of a mute of HIGH alerts, and end with it", async () => {
    const { create, ask, events, alerts } = freshOrganization();
    const { id } = await create({ rules: ["manual"], until: until(), reason: "maintenance" });
    const ours = await eventually("the alert is listed", async () =>
      (await alerts()).find(({ subject }) => subject === id),
    );
    expect(ours).toMatchObject({ rule: "alerts_muted", level: "MEDIUM", status: "open" });
    await ask("DELETE", `/${id}`);
    const resolved = await eventually("the alert is resolved", async () =>
      (await alerts()).find(({ subject, status }) => subject === id && status === "resolved"),
    );
    expect(resolved).not.toHaveProperty("resolvedBy");
    const recorded = (await events("category=security")).map(
      ({ eventType, riskLevel, source, userId, resource, metadata }) => ({
        eventType,
        riskLevel,
        source,
        userId,
        resource,
        reason: (metadata as { reason?: string }).reason,
      }),
    );
    const common = { riskLevel: "MEDIUM", source: "user", userId: "ada", resource: id, reason: "maintenance" };
    expect(recorded).toEqual([
      { eventType: "ALERT_MUTE_ENDED", ...common },
      { eventType: "ALERT_MUTE_CREATED", ...common },
    ]);
    expect((await alerts()).map(({ rule }) => rule)).toEqual(["alerts_muted"]);
  });

  it("are HIGH if the mute includes CRITICAL alerts", async () => {
    const { create, events, alerts } = freshOrganization();
    const { id } = await create({ rules: ["manual"], includeCritical: true, until: until(), reason: "maintenance" });
    expect(await events("category=security")).toMatchObject([
      { eventType: "ALERT_MUTE_CREATED", riskLevel: "HIGH", alertGenerated: true, alertLevel: "HIGH" },
    ]);
    expect(await alerts()).toMatchObject([{ rule: "alerts_muted", level: "HIGH", subject: id }]);
  });

  it("are no alert if the mute covers LOW and MEDIUM alerts only", async () => {
    const { create, events, alerts } = freshOrganization();
    await create({ levels: ["LOW", "MEDIUM"], until: until(), reason: "noise" });
    expect(await events("category=security")).toMatchObject([
      { eventType: "ALERT_MUTE_CREATED", riskLevel: "MEDIUM", alertGenerated: false },
    ]);
    expect(await alerts()).toEqual([]);
  });
});

describe("alerts", () => {
  it("name the mutes that act on them, and are listed by the mute that hid them", async () => {
    const { call, create, ask } = freshOrganization();
    const generate = async (title: string, riskLevel: string) => {
      const { body } = await call("POST", "security/alert", { action: "generate_alert", title, riskLevel });
      return (body as { alert: Alert & { mutedBy?: string[] } }).alert;
    };
    const { id: before } = await generate("before", "LOW");
    const { id } = await create({ rules: ["manual"], levels: ["LOW"], until: until(), reason: "noise" });
    const generated = [await generate("low", "LOW"), await generate("high", "HIGH")];
    expect(generated.map((alert) => alert.mutedBy)).toEqual([[id], undefined]);
    const [low, high] = generated.map((alert) => alert.id);
    type Muted = Alert & { mutedBy?: string[] };
    const listed = (await call("GET", "security/alert")).body as Muted[];
    const mutedBy = (alertId?: string) => listed.find((one) => one.id === alertId)?.mutedBy;
    expect([before, low, high].map(mutedBy)).toEqual([[id], [id], undefined]);
    expect((await call("GET", `security/alert/${low}`)).body).toMatchObject({ mutedBy: [id] });
    const hidden = await eventually("the alert is hidden", async () => {
      const { body } = await call("GET", `security/alert?mutedBy=${id}`);
      return (body as Muted[]).length > 0 && (body as Muted[]);
    });
    expect(hidden.map((one) => one.id)).toEqual([low]);
    expect((await ask("GET", `/${id}`)).body).toMatchObject({
      hidden: { alerts: 1, notifications: 0, byLevel: { LOW: 1 } },
    });
    expect((await call("GET", `security/alert?mutedBy=${UNKNOWN}`)).body).toEqual([]);
    expect((await call("GET", "security/alert?mutedBy=a%23b")).body).toEqual([]);
    await ask("DELETE", `/${id}`);
    expect((await call("GET", `security/alert/${low}`)).body).not.toHaveProperty("mutedBy");
    expect((await call("GET", `security/alert?mutedBy=${id}`)).body).toMatchObject([{ id: low }]);
  });
});
