import { describe, expect, it } from "@jest/globals";
import { controlOf } from "../support/control.ts";
import { deepIt } from "../support/deep-it.ts";
import { sampleOf } from "../support/depth.ts";
import { organizationOf, PROVIDER } from "../support/integration.ts";
import { useSharedService } from "../support/use-service.ts";

const SECURITY = `${PROVIDER}/security`;
const ALERT = `${SECURITY}/alert`;

type Alert = Record<string, unknown> & { id: string; eventIds: string[] };

const service = await useSharedService();
let organizations = 0;

const freshOrganization = async () => {
  const organizationId = `acme-${++organizations}`;
  const { as, call, everyPage } = organizationOf(service, organizationId);
  const admin = { userId: "admin" };
  const change = (body: object, key?: string) =>
    call("POST", ALERT, body, admin, key === undefined ? {} : { "idempotency-key": key });
  const alerts = async (query = "") => (await call("GET", `${ALERT}${query}`, undefined, admin)).body as Alert[];
  const report = async (query = "") =>
    (await call("GET", `${SECURITY}${query}`, undefined, admin)).body as { events: (Alert & { processed: boolean })[] };
  const refuse = (userId: string) => call("GET", SECURITY, undefined, { userId, role: "guest" });
  return { organizationId, token: await as(admin), everyPage, change, alerts, report, refuse };
};

/** The events of an organization on the bus. */
const published = async (organizationId: string) => {
  type Detail = { organizationId?: string; change: string; alert: Alert; note?: object };
  const details = await controlOf(service).published<Detail>();
  return details.filter((detail) => detail.organizationId === organizationId);
};

describe("an event that reaches the threshold", () => {
  it("raises an alert that counts repetitions until it is resolved; the next event raises a new one", async () => {
    const { organizationId, token, change, alerts, refuse } = await freshOrganization();
    for (let i = 0; i < 3; i++) await refuse("eve");
    const [alert, ...others] = await alerts();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      title: "A call without the needed permission was refused",
      level: "HIGH",
      rule: "event_threshold",
      status: "open",
      count: 3,
      firstSeen: expect.any(Number),
      lastSeen: expect.any(Number),
    });
    expect(alert?.eventIds).toHaveLength(3);
    const ids = { alertIds: [alert?.id] };
    expect((await change({ action: "acknowledge", ...ids })).body).toEqual({
      action: "acknowledge",
      acknowledged: [alert?.id],
      unchanged: [],
      notFound: [],
    });
    // Each event leads to the alert, until that is resolved.
    const eventOf = async (id = "") => (await service.request("GET", `${SECURITY}/events/${id}`, { token })).body;
    for (const id of alert?.eventIds ?? []) expect(await eventOf(id)).toMatchObject({ id, alertId: alert?.id });
    await refuse("eve");
    expect(await alerts("?status=acknowledged")).toEqual([expect.objectContaining({ id: alert?.id, count: 4 })]);
    expect((await change({ action: "resolve", ...ids })).body).toEqual({
      action: "resolve",
      resolved: [alert?.id],
      unchanged: [],
      notFound: [],
    });
    expect(await eventOf(alert?.eventIds[0])).not.toHaveProperty("alertId");
    await refuse("eve");
    const [again] = await alerts("?status=open");
    expect(again).toMatchObject({ count: 1 });
    expect(again?.id).not.toBe(alert?.id);
    expect((await alerts()).map(({ id, status }) => [id, status])).toEqual([
      [again?.id, "open"],
      [alert?.id, "resolved"],
    ]);
    expect((await published(organizationId)).map((detail) => detail.change)).toEqual([
      "raised",
      "repeated",
      "repeated",
      "acknowledged",
      "repeated",
      "resolved",
      "raised",
    ]);
  });
});

describe("mark_processed", () => {
  it("marks each event once and finds no event of another organization", async () => {
    const mine = await freshOrganization();
    const other = await freshOrganization();
    for (const { refuse } of [mine, other]) await refuse("eve");
    const [event] = (await mine.report()).events;
    const [foreign] = (await other.report()).events;
    const eventIds = [event?.id, event?.id, foreign?.id, "nothing"];
    const notFound = [foreign?.id, "nothing"];
    expect(await mine.change({ action: "mark_processed", eventIds })).toMatchObject({
      status: 200,
      body: { processed: [event?.id], alreadyProcessed: [], notFound },
    });
    expect((await mine.change({ action: "mark_processed", eventIds })).body).toEqual({
      action: "mark_processed",
      processed: [],
      alreadyProcessed: [event?.id],
      notFound,
    });
    expect((await mine.report("?processed=true")).events).toEqual([
      expect.objectContaining({ id: event?.id, processed: true, processedAt: expect.any(Number) }),
    ]);
    expect((await mine.report("?processed=false&riskLevel=high")).events).toEqual([]);
    expect((await other.report()).events).toEqual([expect.objectContaining({ processed: false })]);
  });
});

describe("generate_alert", () => {
  it("creates an alert and records an event for it", async () => {
    const { change, alerts, report } = await freshOrganization();
    const said = {
      title: "Look into eve",
      riskLevel: "critical",
      message: "Card 4111 1111 1111 1111 was seen",
      metadata: { ticket: 4711 },
    };
    const { status, body } = await change({ action: "generate_alert", ...said });
    expect(status).toBe(200);
    const { alert } = body as { alert: Alert };
    expect(alert).toMatchObject({ title: "Look into eve", level: "CRITICAL", status: "open", count: 1 });
    expect(JSON.stringify(alert)).not.toContain("4111");
    expect(await alerts()).toEqual([alert]);
    expect((await report()).events).toEqual([
      expect.objectContaining({
        eventType: "MANUAL_ALERT_GENERATED",
        category: "system",
        riskLevel: "CRITICAL",
        userId: "admin",
        source: "user",
        alertGenerated: true,
        alertLevel: "CRITICAL",
      }),
    ]);
  });
});

describe("an Idempotency-Key", () => {
  const asked = { action: "generate_alert", title: "Look into eve", riskLevel: "high", metadata: { ticket: "ü" } };

  deepIt("makes one alert with one event, however often and concurrently the request is repeated", async () => {
    const { organizationId, change, alerts, report } = await freshOrganization();
    const answers = await Promise.all(Array.from({ length: 10 }, () => change(asked, "once")));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const [alert, ...others] = await alerts();
    expect(others).toEqual([]);
    expect(answers[0]).toMatchObject({ status: 200, body: { alert } });
    const { events } = await report();
    expect(events).toMatchObject([{ eventType: "MANUAL_ALERT_GENERATED", metadata: { alertId: alert?.id } }]);
    expect(events[0]?.metadata).not.toHaveProperty("ticket");
    expect(new Set((await published(organizationId)).map((detail) => detail.alert.id))).toEqual(new Set([alert?.id]));
    // Another request, and the same one after the alert was resolved.
    await change({ action: "resolve", alertIds: [alert?.id] });
    expect((await change(asked, "once")).text).toBe(answers[0]?.text);
    expect(await alerts()).toHaveLength(1);
    expect((await change(asked, "twice")).status).toBe(200);
    expect(await alerts()).toHaveLength(2);
  });

  it("is refused with another body, belongs to the organization, and must be well formed", async () => {
    const mine = await freshOrganization();
    const other = await freshOrganization();
    const first = await mine.change(asked, "k");
    expect(await mine.change({ ...asked, title: "Look into bob" }, "k")).toMatchObject({
      status: 409,
      body: { error: 40905 },
    });
    expect((await other.change(asked, "k")).text).not.toBe(first.text);
    expect(await other.alerts()).toHaveLength(1);
    expect(await mine.change(asked, "not a key")).toMatchObject({ status: 400, body: { error: 40002 } });
  });

  deepIt("gives the first answer of the other actions again", async () => {
    const { change, alerts, report, refuse } = await freshOrganization();
    await refuse("eve");
    const [alert] = await alerts();
    const [event] = (await report()).events;
    for (const body of [
      { action: "mark_processed", eventIds: [event?.id] },
      { action: "acknowledge", alertIds: [alert?.id] },
      { action: "assign", alertIds: [alert?.id], assignee: "bob" },
      { action: "resolve", alertIds: [alert?.id] },
      { action: "comment", alertIds: [alert?.id], text: "It was a test." },
    ]) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => change(body, body.action)));
      const [first] = answers;
      expect(Object.values(first?.body as object).find(Array.isArray)).toHaveLength(1);
      for (const answer of [...answers, await change(body, body.action)]) expect(answer.text).toBe(first?.text);
    }
  });
});

describe("acknowledge and resolve", () => {
  it("are idempotent, never reopen an alert, and find no alert of another organization", async () => {
    const mine = await freshOrganization();
    const other = await freshOrganization();
    await mine.refuse("eve");
    const [alert] = await mine.alerts();
    const alertIds = [alert?.id, "nothing"];
    expect((await other.change({ action: "resolve", alertIds })).body).toEqual({
      action: "resolve",
      resolved: [],
      unchanged: [],
      notFound: alertIds,
    });
    await mine.change({ action: "resolve", alertIds });
    for (const action of ["resolve", "acknowledge"]) {
      expect((await mine.change({ action, alertIds })).body).toMatchObject({
        unchanged: [alert?.id],
        notFound: ["nothing"],
      });
    }
  });

  deepIt("have one winner of concurrent requests", async () => {
    const { change, alerts, refuse } = await freshOrganization();
    await refuse("eve");
    const [alert] = await alerts();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => change({ action: "resolve", alertIds: [alert?.id] })),
    );
    const winners = answers.filter(({ body }) => (body as { resolved: string[] }).resolved.length === 1);
    expect(winners).toHaveLength(1);
  });
});

describe("assign and comment", () => {
  it("say who, when and what in the list, the history and on the bus, also after the alert was resolved", async () => {
    const { organizationId, token, change, alerts, refuse } = await freshOrganization();
    for (const user of ["eve", "mallory"]) await refuse(user);
    const [alert, other] = await alerts();
    const alertIds = [alert?.id];
    const done = { unchanged: [], notFound: [] };
    const assign = (assignee: unknown) => change({ action: "assign", alertIds, assignee });
    const comment = (text: string) => change({ action: "comment", alertIds, text });
    expect(await assign("bob")).toMatchObject({ status: 200, body: { action: "assign", assigned: alertIds, ...done } });
    expect((await assign("bob")).body).toEqual({ action: "assign", assigned: [], unchanged: alertIds, notFound: [] });
    expect((await comment("Eve again: 4111 1111 1111 1111")).body).toEqual({
      action: "comment",
      commented: alertIds,
      ...done,
    });
    const at = expect.any(Number);
    const assigned = { assignee: "bob", assignedBy: "admin", assignedAt: at, comments: 1, commentedAt: at };
    expect(await alerts("?assignee=bob&limit=1")).toEqual([{ ...alert, ...assigned, revision: 3 }]);
    expect(await alerts("?assignee=bob&status=resolved")).toEqual([]);
    expect((await alerts()).map(({ id }) => id)).toEqual([alert?.id, other?.id]);
    await assign("eve");
    await assign(null);
    expect(await alerts("?assignee=bob")).toEqual([]);
    await change({ action: "resolve", alertIds });
    expect((await assign("bob")).body).toMatchObject({ unchanged: alertIds });
    expect((await comment("It was a test.")).body).toMatchObject({ commented: alertIds });
    const { body } = await service.request("GET", `${ALERT}/${alert?.id}`, { token });
    const by = "admin";
    expect(body).toMatchObject({ status: "resolved", comments: 2, assignedBy: by, revision: 7 });
    expect(body).not.toHaveProperty("assignee");
    expect((body as { history: unknown }).history).toEqual([
      { change: "raised", at, count: 1, level: "HIGH" },
      { change: "assigned", at, by, assignee: "bob" },
      { change: "commented", at, by, text: "Eve again: [redacted:card]" },
      { change: "assigned", at, by, assignee: "eve" },
      { change: "assigned", at, by, assignee: null },
      { change: "resolved", at, by },
      { change: "commented", at, by, text: "It was a test." },
    ]);
    const id = expect.any(String);
    const changes = (await published(organizationId)).filter((detail) => detail.alert.id === alert?.id);
    expect(changes.map((detail) => [detail.change, detail.alert.revision, detail.note])).toEqual([
      ["raised", 1, undefined],
      ["assigned", 2, { id, by, assignee: "bob" }],
      ["commented", 3, { id, by, text: "Eve again: [redacted:card]" }],
      ["assigned", 4, { id, by, assignee: "eve" }],
      ["assigned", 5, { id, by, assignee: null }],
      ["resolved", 6, undefined],
      ["commented", 7, { id, by, text: "It was a test." }],
    ]);
  });

  it("find no alert of another organization", async () => {
    const mine = await freshOrganization();
    const other = await freshOrganization();
    await mine.refuse("eve");
    const [alert] = await mine.alerts();
    const alertIds = [alert?.id, "nothing"];
    for (const said of [
      { action: "assign", assignee: "bob" },
      { action: "comment", text: "hello" },
    ]) {
      expect((await other.change({ ...said, alertIds })).body).toMatchObject({ unchanged: [], notFound: alertIds });
    }
    expect(await mine.alerts()).toEqual([alert]);
    expect(await other.alerts("?assignee=bob")).toEqual([]);
  });

  deepIt("comment once for all requests with one Idempotency-Key, and for each request without", async () => {
    const { change, alerts, refuse } = await freshOrganization();
    await refuse("eve");
    const [alert] = await alerts();
    const body = { action: "comment", alertIds: [alert?.id], text: "why?" };
    await Promise.all(Array.from({ length: 5 }, () => change(body, "once")));
    expect(await alerts()).toMatchObject([{ comments: 1 }]);
    await Promise.all(Array.from({ length: 5 }, () => change(body)));
    expect(await alerts()).toMatchObject([{ comments: 6, revision: 7 }]);
  });
});

describe("reopen", () => {
  it("opens a resolved alert again, takes its cause away, and is in the history", async () => {
    const { organizationId, token, change, alerts, refuse } = await freshOrganization();
    await refuse("eve");
    const [alert] = await alerts();
    const alertIds = [alert?.id];
    await change({ action: "acknowledge", alertIds });
    await change({ action: "resolve", alertIds, cause: "false_alarm" });
    expect(await alerts("?status=resolved")).toMatchObject([{ id: alert?.id, cause: "false_alarm" }]);
    expect(await change({ action: "reopen", alertIds: [...alertIds, "unknown"] })).toMatchObject({
      status: 200,
      body: { action: "reopen", reopened: alertIds, unchanged: [], notFound: ["unknown"] },
    });
    const [open] = await alerts("?status=open");
    expect(open).toMatchObject({ id: alert?.id, status: "open", reopenings: 1, reopenedBy: "admin" });
    for (const gone of ["cause", "resolvedAt", "resolvedBy", "acknowledgedAt", "acknowledgedBy"]) {
      expect(open).not.toHaveProperty(gone);
    }
    expect((await change({ action: "reopen", alertIds })).body).toMatchObject({ reopened: [], unchanged: alertIds });
    await change({ action: "resolve", alertIds, cause: "true_alarm" });
    const { body } = await service.request("GET", `${ALERT}/${alert?.id}`, { token });
    const by = { at: expect.any(Number), by: "admin" };
    expect((body as Alert).history).toEqual([
      expect.objectContaining({ change: "raised" }),
      { change: "acknowledged", ...by },
      { change: "resolved", ...by, cause: "false_alarm" },
      { change: "reopened", ...by },
      { change: "resolved", ...by, cause: "true_alarm" },
    ]);
    const changes = (await published(organizationId)).map((detail) => detail.change);
    expect(changes).toEqual(["raised", "acknowledged", "resolved", "reopened", "resolved"]);
  });

  it("refuses the whole request with 409 while a newer alert of the rule and subject is not resolved", async () => {
    const { change, alerts, refuse } = await freshOrganization();
    await refuse("bob");
    await refuse("eve");
    const old = (await alerts()).map(({ id }) => id);
    await change({ action: "resolve", alertIds: old });
    await refuse("eve");
    expect(await change({ action: "reopen", alertIds: old })).toMatchObject({ status: 409, body: { error: 40930 } });
    const [newer, ...others] = await alerts("?status=open");
    expect(others).toEqual([]);
    await change({ action: "resolve", alertIds: [newer?.id] });
    // Two alerts of one rule and subject cannot be open at once.
    expect(await change({ action: "reopen", alertIds: [newer?.id, ...old] })).toMatchObject({ status: 409 });
    expect(await change({ action: "reopen", alertIds: old })).toMatchObject({ status: 200, body: { reopened: old } });
    expect((await alerts("?status=open")).map(({ id }) => id).sort()).toEqual([...old].sort());
  });

  it("does not find another organization's alert, and needs the permission to manage", async () => {
    const mine = await freshOrganization();
    const other = await freshOrganization();
    await mine.refuse("eve");
    const alertIds = (await mine.alerts()).map(({ id }) => id);
    await mine.change({ action: "resolve", alertIds });
    expect((await other.change({ action: "reopen", alertIds })).body).toMatchObject({
      reopened: [],
      notFound: alertIds,
    });
    const token = await service.mint({ organizationId: mine.organizationId, role: "member" });
    const body = JSON.stringify({ action: "reopen", alertIds });
    expect(await service.request("POST", ALERT, { token, body })).toMatchObject({ status: 403 });
    expect(await mine.alerts("?status=resolved")).toHaveLength(1);
  });
});

describe("the list", () => {
  it("returns every alert once over all pages, newest first", async () => {
    const { everyPage, change } = await freshOrganization();
    for (let i = 0; i < 5; i++) await change({ action: "generate_alert", title: `alert ${i}`, riskLevel: "low" });
    const seen = await everyPage<Alert>(`${ALERT}?limit=2`, { userId: "admin" });
    expect(seen.map(({ title }) => title)).toEqual(["alert 4", "alert 3", "alert 2", "alert 1", "alert 0"]);
  });
});

describe("an invalid request", () => {
  it.each(
    sampleOf<readonly [object, string]>(
      [
        [{}, "action: expected one of mark_processed, generate_alert, acknowledge, assign, comment, resolve, reopen"],
        [{ action: "delete" }, "action: expected one of"],
        [{ action: "mark_processed" }, "eventIds: expected a list of 1 to 100 ids"],
        [{ action: "mark_processed", eventIds: [] }, "eventIds: expected a list of 1 to 100 ids"],
        [{ action: "mark_processed", eventIds: Array(101).fill("x") }, "eventIds: expected a list of 1 to 100 ids"],
        [{ action: "acknowledge", alertIds: [7] }, "alertIds.0: expected an id"],
        [{ action: "assign", alertIds: ["x"] }, "assignee: expected a user id of 1 to 128 printable characters"],
        [{ action: "assign", alertIds: ["x"], assignee: "a b" }, "assignee: expected a user id"],
        [
          { action: "resolve", alertIds: ["x"], cause: "boredom" },
          "cause: expected one of true_alarm, false_alarm, test",
        ],
        [{ action: "reopen", alertIds: [] }, "alertIds: expected a list of 1 to 100 ids"],
        [{ action: "comment", alertIds: ["x"], text: "" }, "text: expected a text of 1 to 2000 characters"],
        [{ action: "generate_alert", title: "x" }, "riskLevel: expected one of LOW"],
        [{ action: "generate_alert", title: "", riskLevel: "low" }, "title: expected a text of 1 to 256 characters"],
        [{ action: "generate_alert", title: "x", riskLevel: "low", metadata: [] }, "metadata: expected an object"],
      ],
      5,
    ),
  )("%j is refused", async (body, message) => {
    const { change } = await freshOrganization();
    expect(await change(body)).toMatchObject({
      status: 400,
      body: { error: 40002, message: expect.stringContaining(message) },
    });
  });

  it.each(["status=closed", "assignee=", "limit=0", "cursor=x"])("%s is refused", async (query) => {
    const { token } = await freshOrganization();
    expect(await service.request("GET", `${ALERT}?${query}`, { token })).toMatchObject({ status: 400 });
  });

  deepIt("is refused only after authentication and authorization", async () => {
    for (const [method, body] of [
      ["POST", "{"],
      ["GET", undefined],
    ] as const) {
      const token = await service.mint({ organizationId: "acme", role: "billing" });
      expect(await service.request(method, ALERT, { token, body })).toMatchObject({
        status: 403,
        body: { error: 40301 },
      });
      expect(await service.request(method, ALERT, { body })).toMatchObject({ status: 401 });
    }
  });
});

describe("GET …/security/alert/{id}", () => {
  it("returns the alert with its history, whether it is resolved or not", async () => {
    const { token, change, alerts, refuse } = await freshOrganization();
    for (let i = 0; i < 2; i++) await refuse("eve");
    const [alert] = await alerts();
    const get = async () => (await service.request("GET", `${ALERT}/${alert?.id}`, { token })).body as Alert;
    const repeated = { change: "repeated", at: alert?.lastSeen, count: 2, level: "HIGH" };
    const raised = { change: "raised", at: expect.any(Number), count: 1 };
    expect(await get()).toEqual({ ...alert, history: [raised, repeated] });
    for (const action of ["acknowledge", "resolve"]) await change({ action, alertIds: [alert?.id] });
    expect(await get()).toMatchObject({
      status: "resolved",
      history: [
        raised,
        repeated,
        { change: "acknowledged", at: expect.any(Number), by: "admin" },
        { change: "resolved", at: expect.any(Number), by: "admin" },
      ],
    });
  });

  it("does not find an unknown id or another organization's alert", async () => {
    const mine = await freshOrganization();
    const other = await freshOrganization();
    await mine.refuse("eve");
    const [alert] = await mine.alerts();
    for (const id of [alert?.id, "x", "0".repeat(26)]) {
      expect(await service.request("GET", `${ALERT}/${id}`, { token: other.token })).toMatchObject({
        status: 404,
        body: { error: 40405, message: "There is no such alert." },
      });
    }
    const member = await service.mint({ organizationId: mine.organizationId, role: "member" });
    expect(await service.request("GET", `${ALERT}/${alert?.id}`, { token: member })).toMatchObject({
      status: 403,
      body: { error: 40301 },
    });
  });
});
