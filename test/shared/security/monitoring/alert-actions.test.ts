import "../../../support/function-environment.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { routes } from "../../../../shared/api/routes.ts";
import { createHandler } from "../../../../shared/http/create-handler.ts";
import { createCursors } from "../../../../shared/http/cursor.ts";
import type { ChangedAlert } from "../../../../shared/security/alerts/alert.ts";
import { readAlertWithHistory } from "../../../../shared/security/alerts/alert-history.ts";
import {
  type AlertActionDependencies,
  createAlertActions,
} from "../../../../shared/security/monitoring/alert-actions.ts";
import type { EventMoment } from "../../../../shared/security/recorder.ts";
import type { NewSecurityEvent } from "../../../../shared/security/security-event.ts";
import { defaultSettings } from "../../../../shared/settings/settings.ts";
import type { OrganizationCaller } from "../../../../shared/terms/caller.ts";
import type { RequestIdentity } from "../../../../shared/terms/idempotency-key.ts";
import { type AlertStores, NOON, reasonAt, startAlertTable } from "../../../support/alerts.ts";
import { httpEvent, lambdaContext } from "../../../support/http-event.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { identityAt, keyedIdentity } from "../../../support/request-identity.ts";

quietLog();

const path = "/api/integrations/provider/security/alert";

let table: Awaited<ReturnType<typeof startAlertTable>>;
let alerts: AlertStores;
let published: ChangedAlert[];
let recorded: NewSecurityEvent[];
/** The times and identities of the recorded events: equal ones are stored once. */
let moments: EventMoment[];
let caller: OrganizationCaller;
let organizations = 0;

beforeAll(async () => {
  table = await startAlertTable();
  alerts = table.stores();
});
afterAll(() => table.stop());
beforeEach(() => {
  published = [];
  recorded = [];
  moments = [];
  const organizationId = `acme-${++organizations}`;
  caller = { userId: "ada", organizationId, role: "admin", sessionId: "s-1", scope: `org:${organizationId}` };
});

const parts = (): AlertActionDependencies => ({
  alerts,
  reopenings: alerts,
  notes: alerts.notes,
  publisher: {
    async publish(changes) {
      published.push(...changes);
      return [];
    },
  },
  events: {
    markProcessed: async (organizationId, ids) => ({
      processed: ids.filter((id) => id.startsWith(organizationId)),
      alreadyProcessed: [],
      notFound: ids.filter((id) => !id.startsWith(organizationId)),
    }),
  },
  recorder: {
    recordWithAlert: async (event, moment) => {
      recorded.push(event);
      moments.push(moment);
    },
  },
});

const handlerParts = () => ({
  authenticate: async () => caller,
  settings: { read: async () => defaultSettings },
  cursors: async () => createCursors("secret"),
});

const post = async (body: string) => {
  const act = createAlertActions(parts());
  const handler = createHandler(
    routes.changeSecurityAlerts,
    ({ body: action, caller: who, origin, identity }) => act(action, { caller: who, origin, identity }),
    { ...handlerParts(), answerOnce: (_request, answer) => answer(identityAt(NOON)) },
  );
  const headers = { "content-type": "application/json" };
  const response = await handler(httpEvent({ rawPath: path, headers, body }), lambdaContext);
  return { status: response.statusCode, body: JSON.parse(response.body ?? "null") };
};
const send = (action: object) => post(JSON.stringify(action));

const list = async (query = "") => {
  const handler = createHandler(
    routes.listSecurityAlerts,
    ({ caller: { organizationId }, query: { status }, page }) =>
      alerts.list(organizationId, { status, ...page, now: NOON }),
    handlerParts(),
  );
  const event = httpEvent({ method: "GET", rawPath: path, rawQueryString: query });
  const response = await handler(event, lambdaContext);
  const next = /[?&](cursor=[^>&]+)/.exec(response.headers.link ?? "")?.[1];
  return { status: response.statusCode, body: JSON.parse(response.body ?? "null"), next };
};

describe("mark_processed", () => {
  it("answers each id once", async () => {
    const own = `${caller.organizationId}-1`;
    await expect(send({ action: "mark_processed", eventIds: [own, "x", own, "x", ""] })).resolves.toEqual({
      status: 200,
      body: { action: "mark_processed", processed: [own], alreadyProcessed: [], notFound: ["x", ""] },
    });
  });
});

describe("generate_alert", () => {
  it("returns, records and publishes a new alert each time", async () => {
    const asked = { action: "generate_alert", title: "Look at this", riskLevel: "critical", eventIds: ["b", "a"] };
    const { status, body } = await send({ ...asked, message: "why", metadata: { n: 1, big: 0, list: [true, null] } });
    expect(status).toBe(200);
    expect(body).toEqual({
      action: "generate_alert",
      alert: {
        id: expect.any(String),
        title: "Look at this",
        level: "CRITICAL",
        rule: "manual",
        subject: expect.any(String),
        status: "open",
        count: 1,
        firstSeen: NOON,
        lastSeen: NOON,
        revision: 1,
        eventIds: ["b", "a"],
        message: "why",
        metadata: { n: 1, big: 0, list: [true, null] },
      },
    });
    expect(published).toMatchObject([{ change: "raised", alert: { id: body.alert.id } }]);
    expect(recorded).toMatchObject([
      {
        eventType: "MANUAL_ALERT_GENERATED",
        category: "system",
        riskLevel: "CRITICAL",
        source: "user",
        organizationId: caller.organizationId,
        userId: "ada",
        sessionId: "s-1",
        ipAddress: "127.0.0.1",
        metadata: { alertId: body.alert.id, requestId: "request-1" },
      },
    ]);
    await send(asked);
    expect((await list()).body).toHaveLength(2);
  });

  it("keeps integers of any size in metadata: as numbers if they are exact, otherwise as their digits", async () => {
    const metadata = '{"small":7,"exact":9007199254740991,"large":1234567890123456789,"float":1.5,"minus":-3}';
    const { body } = await post(`{"action":"generate_alert","title":"t","riskLevel":"LOW","metadata":${metadata}}`);
    expect(body.alert.metadata).toEqual({
      small: 7,
      exact: 9007199254740991,
      large: "1234567890123456789",
      float: 1.5,
      minus: -3,
    });
  });

  it("redacts operators' texts", async () => {
    const card = "4111 1111 1111 1111";
    const { body } = await send({
      action: "generate_alert",
      title: card,
      message: `see ${card}`,
      riskLevel: "LOW",
      metadata: { password: "hunter2!", note: card },
      eventIds: [card],
    });
    const stored = JSON.stringify([body, (await list()).body, published, recorded]);
    expect(stored).not.toMatch(/4111|hunter2/);
  });

  it("accepts metadata up to 2 KB and 16 deep", async () => {
    const alert = { action: "generate_alert", title: "t", riskLevel: "LOW" };
    const nested = (depth: number): object => (depth === 0 ? {} : { in: nested(depth - 1) });
    const padded = (bytes: number) => ({ x: "x".repeat(bytes - 8) });
    const statusOf = async (metadata: object) => (await send({ ...alert, metadata })).status;
    await expect(statusOf(padded(2_048))).resolves.toBe(200);
    await expect(statusOf(padded(2_049))).resolves.toBe(400);
    // Bytes of UTF-8, not characters: 8 bytes of JSON around the text.
    for (const [character, bytes] of Object.entries({ é: 2, 界: 3, "🌵": 4 })) {
      const most = character.repeat((2_048 - 8) / bytes);
      await expect(statusOf({ x: most })).resolves.toBe(200);
      await expect(statusOf({ x: `${most}y` })).resolves.toBe(400);
    }
    await expect(statusOf(nested(16))).resolves.toBe(200);
    await expect(statusOf(nested(17))).resolves.toBe(400);
    const deep = `{"action":"generate_alert","title":"t","riskLevel":"LOW","metadata":{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}}`;
    expect((await post(deep)).status).toBe(400);
  });
});

describe.each([
  ["acknowledge", "acknowledged"],
  ["resolve", "resolved"],
] as const)("%s", (action, outcome) => {
  it("answers each id once, is idempotent, and publishes changed alerts", async () => {
    const { organizationId } = caller;
    const raise = async (of: string, subject: string) =>
      (await alerts.raise(of, reasonAt(NOON, { subject }), NOON)).alert.id;
    const [one, two, foreign] = [
      await raise(organizationId, "1"),
      await raise(organizationId, "2"),
      await raise("other", `${organizations}`),
    ];
    const alertIds = [two, one, foreign, "garbage", two, ""];
    const none = [foreign, "garbage", ""];
    await expect(send({ action, alertIds })).resolves.toEqual({
      status: 200,
      body: { action, [outcome]: [two, one], unchanged: [], notFound: none },
    });
    await expect(send({ action, alertIds })).resolves.toEqual({
      status: 200,
      body: { action, [outcome]: [], unchanged: [two, one], notFound: none },
    });
    expect(published.map(({ change, alert, organizationId: of }) => [change, alert.id, of]).sort()).toEqual(
      [one, two].sort().map((id) => [outcome, id, organizationId]),
    );
    expect((await list(`status=${outcome}`)).body).toHaveLength(2);
    expect((await list("status=open")).body).toEqual([]);
  });
});

describe.each([
  ["assign", "assigned", { assignee: "bob" }, { by: "ada", assignee: "bob" }],
  ["comment", "commented", { text: "see 4111 1111 1111 1111" }, { by: "ada", text: "see [redacted:card]" }],
] as const)("%s", (action, outcome, said, note) => {
  it("answers each id once, publishes what was said, and keeps it when the alert is resolved", async () => {
    const { organizationId } = caller;
    const raise = async (of: string, subject: string) =>
      (await alerts.raise(of, reasonAt(NOON, { subject }), NOON)).alert.id;
    const one = await raise(organizationId, "1");
    const two = await raise(organizationId, "2");
    const foreign = await raise("other", `${action} ${organizations}`);
    const alertIds = [two, one, foreign, "garbage", two, ""];
    await expect(send({ action, alertIds, ...said })).resolves.toEqual({
      status: 200,
      body: { action, [outcome]: [two, one], unchanged: [], notFound: [foreign, "garbage", ""] },
    });
    const id = expect.any(String);
    const changes = [...published].sort((a, b) => (a.alert.id < b.alert.id ? -1 : 1));
    expect(changes.map(({ change, alert, note: published_ }) => [change, alert.id, published_])).toEqual(
      [one, two].sort().map((alertId) => [outcome, alertId, { ...note, id }]),
    );
    await send({ action: "resolve", alertIds: [one] });
    const history = async () =>
      (await readAlertWithHistory({ alerts, notes: alerts.notes }, organizationId, one, NOON)).history;
    const entries = [
      { change: outcome, at: NOON, ...note },
      { change: "resolved", at: NOON, by: "ada" },
    ];
    await expect(history()).resolves.toEqual([expect.objectContaining({ change: "raised" }), ...entries]);
  });
});

describe("a request with an Idempotency-Key", () => {
  const asked = { action: "generate_alert", title: "Look at this", riskLevel: "HIGH" } as const;
  const request = (identity: RequestIdentity) => ({
    caller,
    identity,
    origin: { requestId: "request", ipAddress: "192.0.2.7" },
  });
  /** The steps after which an instance may die. */
  const gaps = ["the alert", "its event", "its publication"] as const;

  it.each(gaps)("is completed by a repetition if its instance died after %s", async (gap) => {
    const all = parts();
    const die = () => Promise.reject(new Error("the instance died"));
    const dying: AlertActionDependencies = {
      ...all,
      alerts: {
        ...all.alerts,
        async put(...alert) {
          await all.alerts.put(...alert);
          if (gap === "the alert") await die();
        },
      },
      recorder: {
        async recordWithAlert(...event) {
          await all.recorder.recordWithAlert(...event);
          if (gap === "its event") await die();
        },
      },
      publisher: {
        async publish(changes) {
          await all.publisher.publish(changes);
          return die();
        },
      },
    };
    const { first, repeated } = keyedIdentity(NOON);
    await expect(createAlertActions(dying)(asked, request(first))).rejects.toThrow("the instance died");
    const answer = await createAlertActions(parts())(asked, request(repeated));
    expect((await list()).body).toEqual([(answer as { alert: unknown }).alert]);
    expect(published).not.toEqual([]);
    expect(new Set(published.map(({ alert }) => alert.id)).size).toBe(1);
    expect(new Set(moments.map((moment) => JSON.stringify(moment))).size).toBe(1);
    expect(moments[0]).toMatchObject({ timestamp: NOON, identity: expect.any(Uint8Array) });
  });

  it("makes no second alert after the first one was resolved, also by a late first attempt", async () => {
    const { first, repeated } = keyedIdentity(NOON);
    const act = createAlertActions(parts());
    const { alert } = (await act(asked, request(first))) as { alert: { id: string } };
    await alerts.resolve(caller.organizationId, alert.id, { by: "ada", now: NOON });
    for (const identity of [first, repeated]) await act(asked, request(identity));
    expect((await list()).body).toMatchObject([{ id: alert.id, status: "resolved" }]);
  });

  it.each([
    [{ action: "acknowledge" }, "acknowledged"],
    [{ action: "resolve" }, "resolved"],
    [{ action: "assign", assignee: "bob" }, "assigned"],
    [{ action: "comment", text: "why?" }, "commented"],
  ] as const)("reports to %j as done what an earlier attempt did", async (said, outcome) => {
    const { organizationId } = caller;
    const { alert } = await alerts.raise(organizationId, reasonAt(NOON, { subject: "1" }), NOON);
    const other = await alerts.raise(organizationId, reasonAt(NOON, { subject: "2" }), NOON);
    const { first, repeated } = keyedIdentity(NOON);
    const act = createAlertActions(parts());
    await act({ ...said, alertIds: [alert.id] }, request(first));
    const alertIds = [alert.id, other.alert.id];
    await expect(act({ ...said, alertIds }, request(repeated))).resolves.toMatchObject({ [outcome]: alertIds });
    const another = await act({ ...said, alertIds }, request(identityAt(NOON)));
    // Each request comments again; any other action has nothing left to change.
    expect(another).toMatchObject({ [said.action === "comment" ? outcome : "unchanged"]: alertIds });
    const notes = await alerts.notes.list(organizationId, alert.id);
    expect(notes).toHaveLength({ acknowledge: 0, resolve: 0, assign: 1, comment: 2 }[said.action]);
  });
});

describe("an invalid request", () => {
  const ids = Array.from({ length: 101 }, (_, i) => `id-${i}`);
  it.each([
    [{}, /^action: expected one of mark_processed, generate_alert, acknowledge, assign, comment, resolve, reopen$/],
    [{ action: "reset" }, /^action: expected one of/],
    [[], /^body: expected an object with an action$/],
    [{ action: "mark_processed" }, /^eventIds: expected a list of 1 to 100 ids$/],
    [{ action: "mark_processed", eventIds: [] }, /^eventIds: expected a list/],
    [{ action: "mark_processed", eventIds: ids }, /^eventIds: expected a list/],
    [{ action: "mark_processed", eventIds: [1] }, /^eventIds.0: expected an id$/],
    [{ action: "resolve", alertIds: "x" }, /^alertIds: expected a list/],
    [{ action: "acknowledge", eventIds: ["x"] }, /^alertIds: expected a list/],
    [{ action: "assign", alertIds: ["x"] }, /^assignee: expected a user id of 1 to 128 printable characters/],
    [{ action: "assign", alertIds: ["x"], assignee: "" }, /^assignee: /],
    [{ action: "assign", alertIds: ["x"], assignee: "a b" }, /^assignee: /],
    [{ action: "assign", alertIds: ["x"], assignee: "🌵".repeat(129) }, /^assignee: /],
    [{ action: "assign", alertIds: [], assignee: null }, /^alertIds: expected a list/],
    [{ action: "comment", alertIds: ["x"] }, /^text: expected a text of 1 to 2000 characters$/],
    [{ action: "comment", alertIds: ["x"], text: "" }, /^text: /],
    [{ action: "comment", alertIds: ["x"], text: "x".repeat(2_001) }, /^text: /],
    [{ action: "comment", alertIds: ids, text: "x" }, /^alertIds: expected a list/],
    [{ action: "generate_alert", riskLevel: "LOW" }, /^title: expected a text of 1 to 256 characters$/],
    [{ action: "generate_alert", title: "", riskLevel: "LOW" }, /^title: /],
    [{ action: "generate_alert", title: "t" }, /^riskLevel: expected one of LOW, MEDIUM, HIGH, CRITICAL$/],
    [{ action: "generate_alert", title: "t", riskLevel: "worse" }, /^riskLevel: /],
    [{ action: "generate_alert", title: "t", riskLevel: "LOW", metadata: [] }, /^metadata: expected an object/],
    [{ action: "generate_alert", title: "t", riskLevel: "LOW", eventIds: [""] }, /^eventIds.0: /],
  ])("%j", async (body, message) => {
    await expect(send(body)).resolves.toEqual({
      status: 400,
      body: { error: 40002, message: expect.stringMatching(message) },
    });
  });

  it("is a query with an unknown status", async () => {
    await expect(list("status=closed")).resolves.toMatchObject({
      status: 400,
      body: { message: "status: expected one of open, acknowledged, resolved" },
    });
  });
});

describe("the list", () => {
  it("is read page by page", async () => {
    const { organizationId } = caller;
    for (let i = 0; i < 5; i++) await alerts.raise(organizationId, reasonAt(NOON, { subject: String(i) }), NOON);
    const subjects: string[] = [];
    let query = "limit=2&status=open";
    for (let more = true; more; ) {
      const { body, next } = await list(query);
      subjects.push(...body.map(({ subject }: { subject: string }) => subject));
      more = next !== undefined;
      query = `limit=2&status=open&${next}`;
    }
    expect(subjects.sort()).toEqual(["0", "1", "2", "3", "4"]);
  });
});
