/** Fire drills over HTTP, with the deployed functions, their rights and their schedule. */
import { describe, expect, it } from "@jest/globals";
import type { Drill } from "../../shared/drills/drill.ts";
import { dueOccurrence } from "../../shared/drills/drill.ts";
import type { Alert } from "../../shared/security/alerts/alert.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { useReceivers, useService } from "../support/use-service.ts";

const PATH = "security/drill";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const PATIENCE = 240_000;

const service = await useService();
const startReceiver = useReceivers();

let organizations = 0;

const freshOrganization = () => {
  const organization = organizationOf(service, `drilled-${++organizations}`);
  const { call } = organization;
  const post = (key?: string, body: object = {}, claims?: object) =>
    call("POST", PATH, body, claims, key === undefined ? undefined : { "idempotency-key": key });
  const get = async (id: string) => (await call("GET", `${PATH}/${id}`)).body as Drill;
  const ended = (id: string) =>
    eventually(`drill ${id} has ended`, async () => {
      const drill = await get(id);
      return drill.status !== "running" && drill;
    });
  return {
    ...organization,
    post,
    get,
    ended,
    /** Runs a drill to its end. */
    drill: async () => ended(((await post()).body as Drill).id),
    alerts: async (query = "") => (await call("GET", `security/alert?limit=100${query}`)).body as Alert[],
    drilled: (receiver: { received: { body: string }[] }) =>
      receiver.received.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.alert?.drill === true),
  };
};

const problem = (status: number, error: number) => ({ status, body: { error, message: expect.any(String) } });
const time = expect.any(Number);

describe("a drill", () => {
  it("is accepted, and succeeds without destinations", async () => {
    const { post, ended } = freshOrganization();
    const { status, body } = await post();
    const started = body as Drill;
    expect([status, started]).toEqual([
      202,
      { id: expect.stringMatching(/^[0-9A-Z]{26}$/), status: "running", startedAt: time },
    ]);
    expect(await ended(started.id)).toEqual({
      ...started,
      status: "succeeded",
      endedAt: time,
      alertId: expect.any(String),
      stages: { recordedAt: time, judgedAt: time, alertedAt: time, deliveries: [] },
    });
  });

  it("is labelled in its events and its alert, which are listed and no part of any number", async () => {
    const { call, drill, alerts, events } = freshOrganization();
    const report = async () =>
      (await call("GET", "security?limit=100&interval=hour&alertCounts=true")).body as Record<string, unknown>;
    const { id, alertId = "" } = await drill();
    const own = await events("eventType=AUTHENTICATION_FAILURE&success=false&source=user");
    expect(own.length).toBeGreaterThan(4);
    for (const event of own) {
      expect(event).toMatchObject({ drill: true, riskLevel: "LOW", metadata: { drillId: id }, alertGenerated: false });
      expect((await call("GET", `security/events/${event.id}`)).body).toMatchObject({ drill: true });
    }
    expect((await events("category=authentication")).map((event) => event.id)).toEqual(own.map((event) => event.id));
    const [alert, ...others] = await alerts();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      id: alertId,
      drill: true,
      rule: "repeated_auth_failures",
      title: expect.stringMatching(/^Drill: /),
      level: "HIGH",
      status: "open",
      eventIds: own.map((event) => event.id),
    });
    expect((await call("GET", `security/alert/${alertId}`)).body).toMatchObject({ drill: true });
    // Only the request of the drill is an ordinary event.
    expect(await report()).toMatchObject({
      stats: { totalEvents: 1, highRiskEvents: 0, failureRate: 0 },
      highRiskEvents: [],
      suspiciousActivity: [],
      alertCounts: { open: { LOW: 0, MEDIUM: 0, HIGH: 0, CRITICAL: 0 } },
    });
    const counted = async (filter: string) =>
      ((await call("GET", `security?limit=1&${filter}`)).body as { stats: { totalEvents: number } }).stats.totalEvents;
    for (const filter of [
      "eventType=AUTHENTICATION_FAILURE",
      "category=authentication",
      "ipAddress=192.0.2.1",
      "success=false",
    ])
      expect([filter, await counted(filter)]).toEqual([filter, 0]);
    const [request] = await events("eventType=DRILL_STARTED");
    expect(request).toMatchObject({ userId: "ada", category: "compliance", riskLevel: "LOW", resource: id });
    expect(request).not.toHaveProperty("drill");
  });

  it(
    "goes at once to every active destination, past filters, quiet hours, digests and mutes",
    async () => {
      const { call, post, ended, drilled, alerts } = freshOrganization();
      const receiver = await startReceiver();
      const all = { from: "00:00", to: "23:59", timeZone: "Etc/UTC", exceptCritical: false };
      const settings: Record<string, object> = {
        filtered: { filter: { levels: ["CRITICAL"], changes: [] } },
        quiet: { quietHours: all },
        digest: { digest: { every: "day", at: "12:00", timeZone: "Etc/UTC" } },
      };
      const ids: string[] = [];
      for (const [name, more] of Object.entries(settings)) {
        const made = await call("POST", "notifications", { type: "webhook", name, url: receiver.url, ...more });
        expect([name, made.status]).toEqual([name, 201]);
        ids.push((made.body as { id: string }).id);
      }
      const mute = { levels: ["LOW", "MEDIUM", "HIGH", "CRITICAL"], includeCritical: true, reason: "all" };
      expect(await call("POST", "mutes", { ...mute, until: Date.now() + 30 * DAY })).toMatchObject({ status: 201 });
      const { id } = (await post()).body as Drill;
      const drill = await ended(id);
      expect(drill).toMatchObject({ status: "succeeded" });
      const { alertId } = drill;
      const { deliveries } = drill.stages;
      expect(deliveries.map(({ destinationId }) => destinationId).sort()).toEqual(ids.sort());
      for (const delivery of deliveries)
        expect(delivery).toEqual({ destinationId: expect.any(String), acceptedAt: time });
      const sent = drilled(receiver);
      expect(sent).toHaveLength(3);
      for (const notification of sent)
        expect(notification).toMatchObject({
          type: "security.alert.raised",
          data: {
            alert: { drill: true, title: expect.stringMatching(/^Drill: /), message: expect.stringMatching(/drill/) },
          },
        });
      const raised = (await alerts()).find(({ drill }) => drill === true);
      expect(raised).toMatchObject({ id: alertId });
      expect(raised).not.toHaveProperty("mutedBy");
    },
    PATIENCE,
  );

  it(
    "runs one at a time, fails after ten minutes, and the next one may start",
    async () => {
      const { call, post, get, ended } = freshOrganization();
      const receiver = await startReceiver();
      receiver.answer = (response) => response.writeHead(500).end();
      const made = await call("POST", "notifications", { type: "webhook", name: "SOC", url: receiver.url });
      const destinationId = (made.body as { id: string }).id;
      const { id, startedAt } = (await post()).body as Drill;
      expect(await post()).toMatchObject(problem(409, 40925));
      await eventually("the drill was tried", async () => receiver.received.length > 0);
      expect(await get(id)).toMatchObject({ status: "running", stages: { deliveries: [{ destinationId }] } });
      await service.advance(10 * MINUTE);
      const failedAt = startedAt + 10 * MINUTE;
      expect(await get(id)).toMatchObject({
        status: "failed",
        endedAt: failedAt,
        stages: { recordedAt: time, deliveries: [{ destinationId, failedAt }] },
      });
      receiver.answer = (response) => response.end();
      const next = (await post()).body as Drill;
      expect(await ended(next.id)).toMatchObject({ status: "succeeded" });
      expect(await get(id)).toMatchObject({ status: "failed" });
    },
    PATIENCE,
  );

  it(
    "may begin ten times in a UTC day",
    async () => {
      const { post, ended } = freshOrganization();
      for (let i = 0; i < 10; i++) {
        const started = await post();
        expect([i, started.status]).toEqual([i, 202]);
        await ended((started.body as Drill).id);
      }
      const refused = await post();
      expect(refused).toMatchObject(problem(429, 42902));
      const seconds = Number(refused.headers.get("retry-after"));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(86_400);
      await service.advance(DAY);
      expect((await post()).status).toBe(202);
    },
    PATIENCE,
  );

  it("is the same for a repeated Idempotency-Key", async () => {
    const { post, ended, events } = freshOrganization();
    const [first, second] = [await post("k"), await post("k")];
    expect(second).toMatchObject({ status: 202, body: first.body as object });
    await ended((first.body as Drill).id);
    expect(await post("k")).toMatchObject({ status: 202, body: first.body as object });
    expect(await events("eventType=DRILL_STARTED")).toHaveLength(1);
  });

  it("needs the permissions of security, and takes no fields and parameters", async () => {
    const { post, call, ended } = freshOrganization();
    const { id } = (await post()).body as Drill;
    for (const role of ["billing", "member", "guest"]) {
      expect((await post(undefined, {}, { role })).status).toBe(403);
      expect((await call("GET", `${PATH}/${id}`, undefined, { role })).status).toBe(403);
    }
    expect(await freshOrganization().call("GET", `${PATH}/${id}`)).toMatchObject(problem(404, 40415));
    expect(await call("GET", `${PATH}/01KB0000000000000000000000`)).toMatchObject(problem(404, 40415));
    expect(await call("GET", `${PATH}/${"x".repeat(300)}`)).toMatchObject(problem(404, 40415));
    expect((await call("GET", `${PATH}/${id}?limit=1`)).status).toBe(400);
    await ended(id);
    expect((await post(undefined, { dry: true })).status).toBe(400);
  });

  it(
    "shows who acknowledged its alert, until an erasure of that user",
    async () => {
      const { call, drill, get } = freshOrganization();
      const { id, alertId } = await drill();
      const body = { action: "acknowledge", alertIds: [alertId] };
      expect((await call("POST", "security/alert", body, { userId: "grace" })).status).toBe(200);
      expect(await get(id)).toMatchObject({ stages: { acknowledgedAt: time, acknowledgedBy: "grace" } });
      expect((await call("POST", "erasure", { scope: "user", userId: "grace" })).status).toBe(202);
      await eventually("grace is erased", async () => !("acknowledgedBy" in (await get(id)).stages));
      expect(await get(id)).toMatchObject({ status: "succeeded", stages: { acknowledgedAt: time } });
    },
    PATIENCE,
  );

  it(
    "is in no export of events, and in no export of all data",
    async () => {
      const { call, drill } = freshOrganization();
      await drill();
      for (const path of ["security/exports", "export"]) {
        const { id } = (await call("POST", path, path === "export" ? undefined : { format: "ndjson" })).body as {
          id: string;
        };
        const files = await eventually("the export is complete", async () => {
          const one = (await call("GET", `security/exports/${id}`)).body as {
            status: string;
            files: { url?: string }[];
          };
          return one.status === "completed" && one.files;
        });
        for (const { url = "" } of files) expect(await (await fetch(url)).text()).not.toContain('"drill":true');
      }
    },
    PATIENCE,
  );
});

describe("monthly drills", () => {
  it(
    "are off by default, and start on the first Monday at 10:00 UTC, once",
    async () => {
      const { call, alerts } = freshOrganization();
      const off = freshOrganization();
      expect((await off.call("GET", "settings")).body).toMatchObject({ drill: "off" });
      expect((await off.call("PUT", "settings", {})).body).toMatchObject({ drill: "off" });
      expect((await call("PUT", "settings", { drill: "weekly" })).status).toBe(400);
      expect(await call("PUT", "settings", { drill: "monthly" })).toMatchObject({
        status: 200,
        body: { drill: "monthly" },
      });
      const { startedAt: clock } = (await freshOrganization().post()).body as Drill;
      let due = Math.ceil(clock / HOUR) * HOUR;
      while (dueOccurrence(due) !== due) due += HOUR;
      await service.advance(due - clock - HOUR, "last");
      expect(await alerts()).toEqual([]);
      await service.advance(HOUR + 10 * MINUTE);
      const drilled = await eventually("the drill has started", async () => {
        const found = (await alerts()).filter(({ drill }) => drill === true);
        return found.length > 0 && found;
      });
      expect(drilled).toHaveLength(1);
      expect(drilled[0]?.firstSeen).toBeGreaterThanOrEqual(due);
      await service.advance(2 * HOUR);
      expect(await alerts()).toHaveLength(1);
      expect(await off.alerts()).toEqual([]);
    },
    PATIENCE,
  );
});
