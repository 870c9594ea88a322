import { describe, expect, it } from "@jest/globals";
import type { SecurityStatistics } from "../../shared/security/monitoring/statistics.ts";
import { eventTypes } from "../../shared/security/security-event.ts";
import { isDeep } from "../support/depth.ts";
import { organizationOf } from "../support/integration.ts";
import type { Service } from "../support/service.ts";
import { useService, useSharedService } from "../support/use-service.ts";

const SECURITY = "/api/integrations/provider/security";

type Event = Record<string, unknown> & { id: string; timestamp: number };
type Report = {
  events: Event[];
  highRiskEvents: Event[];
  stats: SecurityStatistics;
  suspiciousActivity: unknown[];
  alertCounts?: unknown;
};

/** Tests that move the clock have a service of their own, and run in the deep tests only. */
const itMovesTheClock = isDeep ? it : () => undefined;

const own = isDeep ? await useService() : undefined;
const service: Service = own ?? (await useSharedService());
let organizations = 0;

const advance = async (ms: number, firing?: "last"): Promise<void> => {
  await own?.advance(ms, firing);
};

/** A new organization: its administrator reads events, other users cause them. */
const freshOrganization = async () => {
  const organizationId = `security-${++organizations}`;
  const { as, call } = organizationOf(service, organizationId);
  const admin = await as({ userId: "admin" });
  const read = async (query = "") => {
    const { status, body, next } = await call("GET", `${SECURITY}${query}`, undefined, { userId: "admin" });
    expect(status).toBe(200);
    return { ...(body as Report), next };
  };
  /** Sends a request without permission, which records one event of the user. */
  const refuse = (userId: string, role = "guest") =>
    call("GET", SECURITY, undefined, { userId, role, claims: { sid: `session-of-${userId}` } });
  /** Sends an expired token, which counts towards the flood limit. */
  const expire = (userId: string) => call("GET", "/plants", undefined, { userId, expiresInSeconds: -120 });
  return { organizationId, admin, read, refuse, expire };
};

describe("GET …/security", () => {
  it("is empty, with zeros, for an organization without events", async () => {
    const { read } = await freshOrganization();
    expect(await read()).toEqual({
      events: [],
      highRiskEvents: [],
      stats: { totalEvents: 0, highRiskEvents: 0, failureRate: 0, avgResponseTime: 0 },
      suspiciousActivity: [],
      next: undefined,
    });
  });

  it("shows a refusal with user, request and address, and counts it", async () => {
    const { organizationId, read, refuse } = await freshOrganization();
    const { headers } = await refuse("eve", "billing");
    const { events, highRiskEvents, stats } = await read();
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
        organizationId,
        userId: "eve",
        sessionId: "session-of-eve",
        eventType: "PERMISSION_DENIED",
        category: "authorization",
        riskLevel: "HIGH",
        source: "user",
        ipAddress: "127.0.0.1",
        userAgent: "node",
        resource: `GET ${SECURITY}`,
        resourceType: "security_event",
        action: "get_api_integrations_provider_security",
        success: false,
        errorCode: "40301",
        errorMessage: "The role billing does not have the permission security:read.",
        metadata: { requestId: headers.get("x-request-id"), permission: "security:read" },
        processed: false,
        alertGenerated: true,
        alertLevel: "HIGH",
        timestamp: expect.any(Number),
        createdAt: expect.any(Number),
      },
    ]);
    expect(highRiskEvents).toEqual(events);
    expect(stats).toEqual({ totalEvents: 1, highRiskEvents: 1, failureRate: 1, avgResponseTime: 0 });
  });

  it("names the user of an expired token, also for refusals of plants", async () => {
    const { read, expire } = await freshOrganization();
    await expire("eve");
    const { events } = await read("?eventType=authentication_failure&category=Authentication&riskLevel=high");
    expect(events).toEqual([expect.objectContaining({ userId: "eve", errorCode: "40103", resourceType: "plant" })]);
  });

  it("filters by each of its parameters, together and in any case", async () => {
    const { read, refuse, expire } = await freshOrganization();
    await refuse("eve");
    await refuse("bob");
    await expire("bob");
    const idsOf = async (query: string) =>
      (await read(query)).events.map(({ userId, eventType }) => `${userId} ${eventType}`);
    expect(await idsOf("?userId=bob")).toEqual(["bob AUTHENTICATION_FAILURE", "bob PERMISSION_DENIED"]);
    expect(await idsOf("?userId=bob&eventType=Permission_Denied")).toEqual(["bob PERMISSION_DENIED"]);
    expect(await idsOf("?category=AUTHORIZATION")).toEqual(["bob PERMISSION_DENIED", "eve PERMISSION_DENIED"]);
    expect(await idsOf("?riskLevel=low")).toEqual([]);
    expect(await idsOf("?processed=true")).toEqual([]);
    expect(await idsOf("?processed=false&riskLevel=HIGH")).toHaveLength(3);
    expect(await idsOf("?success=true")).toEqual([]);
    expect(await idsOf("?success=false&source=USER&ipAddress=127.0.0.1")).toHaveLength(3);
    expect(await idsOf("?ipAddress=127.0.0.2")).toEqual([]);
    expect(await idsOf("?source=webhook")).toEqual([]);
    expect((await read("?ipAddress=127.0.0.1&userId=bob")).stats.totalEvents).toBe(2);
    expect((await read("?userId=bob")).stats.totalEvents).toBe(2);
    expect((await read("?processed=false")).stats.totalEvents).toBe(3);
    expect((await read("?category=authentication")).stats.totalEvents).toBe(1);
  });

  itMovesTheClock("accepts both formats of since, inclusive, and defaults to the last day", async () => {
    const { read, refuse } = await freshOrganization();
    await refuse("eve");
    const [first] = (await read()).events;
    const at = first?.timestamp ?? 0;
    await advance(25 * 3_600_000, "last");
    await refuse("bob");
    const usersSince = async (query: string) => {
      const { events, stats } = await read(query);
      expect(stats.totalEvents).toBe(events.length);
      return events.map(({ userId }) => userId);
    };
    expect(await usersSince("")).toEqual(["bob"]);
    expect(await usersSince(`?since=${at}`)).toEqual(["bob", "eve"]);
    expect(await usersSince(`?since=${at + 1}`)).toEqual(["bob"]);
    expect(await usersSince(`?since=${encodeURIComponent(new Date(at).toISOString())}`)).toEqual(["bob", "eve"]);
    expect(await usersSince("?since=0")).toEqual(["bob", "eve"]);
    expect(await usersSince("?since=99999999999999")).toEqual([]);
    expect(await usersSince(`?since=${at}&until=${at + 1}`)).toEqual(["eve"]);
    expect(await usersSince(`?since=0&until=${at}`)).toEqual([]);
    expect(await usersSince(`?since=${at}&until=${at}`)).toEqual([]);
    expect(await usersSince(`?since=${at + 1}&until=${at}`)).toEqual([]);
    expect(await usersSince(`?since=0&until=${at + 25 * 3_600_000 + 3_600_000}&userId=bob`)).toEqual(["bob"]);
  });

  itMovesTheClock("counts by hour or day, also the hours without events, and refuses too long a period", async () => {
    const { read, refuse, organizationId } = await freshOrganization();
    await refuse("eve");
    await advance(25 * 3_600_000, "last");
    for (const user of ["bob", "ida"]) await refuse(user);
    const [last] = (await read()).events;
    const at = last?.timestamp ?? 0;
    const since = at - 30 * 3_600_000;
    for (const [interval, length] of [
      ["hour", 3_600_000],
      ["day", 86_400_000],
    ] as const) {
      const starts: number[] = [];
      for (let start = since; start <= at; start = Math.floor(start / length) * length + length) starts.push(start);
      for (const filter of ["", "&riskLevel=high", "&success=false"]) {
        const { stats, events } = await read(`?interval=${interval}&since=${since}&until=${at + 1}${filter}`);
        expect(stats.intervals?.map(({ from }) => from)).toEqual(starts);
        expect(stats.intervals?.filter(({ totalEvents }) => totalEvents > 0)).toEqual(
          [1, 2].map((count) =>
            expect.objectContaining({ totalEvents: count, failures: count, highRiskEvents: count, avgResponseTime: 0 }),
          ),
        );
        expect([stats.totalEvents, events.length]).toEqual([3, 3]);
      }
    }
    expect((await read("?interval=hour&userId=bob")).stats.intervals?.at(-1)).toMatchObject({ totalEvents: 1 });
    expect((await read("?interval=day&since=9&until=9")).stats.intervals).toEqual([]);
    const token = await service.mint({ organizationId, userId: "admin" });
    for (const query of ["hour&since=0", `day&since=${at - 93 * 86_400_000}`, "week"]) {
      expect(await service.request("GET", `${SECURITY}?interval=${query}`, { token })).toMatchObject({
        status: 400,
        body: { error: 40002, message: expect.stringMatching(/^interval: expected /) },
      });
    }
  });

  it("counts the unresolved alerts on request", async () => {
    const { read, refuse } = await freshOrganization();
    const none = { LOW: 0, MEDIUM: 0, HIGH: 0, CRITICAL: 0 };
    expect((await read("?alertCounts=true")).alertCounts).toEqual({ open: none, acknowledged: none, partial: false });
    for (const user of ["eve", "bob"]) await refuse(user);
    expect((await read("?alertCounts=true&limit=1")).alertCounts).toMatchObject({ open: { ...none, HIGH: 2 } });
    expect(await read("?alertCounts=false")).not.toHaveProperty("alertCounts");
  });

  it("returns every event once over all pages, newest first, with the same statistics on each page", async () => {
    const { read, refuse } = await freshOrganization();
    for (let i = 0; i < 7; i++) await refuse(`user-${i}`);
    const seen: unknown[] = [];
    let query: string | undefined = "?limit=3";
    while (query !== undefined) {
      const page: Report & { next: string | undefined; nextCursor?: string } = await read(query);
      expect(page.nextCursor).toBe(page.next && new URL(page.next, service.stack.apiUrl).searchParams.get("cursor"));
      seen.push(...page.events.map(({ userId }) => userId));
      expect(page.stats.totalEvents).toBe(7);
      expect(page.highRiskEvents).toHaveLength(3);
      query = page.next?.slice(SECURITY.length);
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => `user-${i}`));
  });

  it.each([
    "limit=0",
    "limit=1001",
    "limit=x",
    "since=-1",
    "since=yesterday",
    "since=2026-02-30T00:00:00Z",
    "riskLevel=severe",
    "riskLevel=",
    "category=other",
    "eventType=",
    "eventType=UNHEARD_OF",
    "until=tomorrow",
    "success=1",
    "source=cron",
    "ipAddress=",
    "processed=maybe",
    "processed=true&processed=true",
    "userId=",
    "cursor=x",
  ])("refuses %s", async (query) => {
    const { admin } = await freshOrganization();
    expect(await service.request("GET", `${SECURITY}?${query}`, { token: admin })).toMatchObject({ status: 400 });
  });

  it("lists all event types to a request with an unknown one", async () => {
    const { admin } = await freshOrganization();
    const { body } = await service.request("GET", `${SECURITY}?eventType=UNHEARD_OF`, { token: admin });
    const message = `eventType: expected one of ${Object.keys(eventTypes).join(", ")}`;
    expect(body).toEqual({ error: 40002, message });
  });

  it("names the existing parameters to a request with an unknown one", async () => {
    const { admin } = await freshOrganization();
    const filters =
      "eventType, category, riskLevel, since, until, userId, processed, success, source, ipAddress, interval, alertCounts, limit, cursor";
    for (const [path, name, existing] of [
      [`${SECURITY}?format=csv`, "format", `one of ${filters}`],
      [`${SECURITY}/alert?q=x`, "q", "one of status, assignee, mutedBy, limit, cursor"],
      [`${SECURITY}/events/x?limit=1`, "limit", "no query parameter"],
    ]) {
      const { status, body } = await service.request("GET", path ?? "", { token: admin });
      expect({ status, body }).toEqual({
        status: 400,
        body: { error: 40002, message: `${name}: unknown parameter, expected ${existing}` },
      });
    }
  });

  it("checks organization and role before everything else", async () => {
    const { organizationId } = await freshOrganization();
    for (const role of ["billing", "member", "guest", "owner"]) {
      const token = await service.mint({ organizationId, role });
      expect(await service.request("GET", `${SECURITY}?limit=x`, { token })).toMatchObject({
        status: 403,
        body: { error: 40301 },
      });
    }
    const token = await service.mint({ role: "admin" });
    expect(await service.request("GET", SECURITY, { token })).toMatchObject({ status: 403, body: { error: 40303 } });
    expect(await service.request("GET", SECURITY)).toMatchObject({ status: 401 });
  });

  it("shows no event of another organization and refuses its cursors", async () => {
    const mine = await freshOrganization();
    const other = await freshOrganization();
    for (const user of ["eve", "bob"]) await mine.refuse(user);
    const { next } = await mine.read("?limit=1");
    expect(await other.read("?since=0")).toMatchObject({ events: [], highRiskEvents: [], stats: { totalEvents: 0 } });
    expect(await service.request("GET", next ?? "", { token: other.admin })).toMatchObject({
      status: 400,
      body: { error: 40003 },
    });
  });
});

describe("GET …/security/events/{id}", () => {
  itMovesTheClock("returns the event as the list has it, until it expires", async () => {
    const { read, refuse, organizationId } = await freshOrganization();
    await refuse("eve");
    const [event] = (await read()).events;
    const get = async () => {
      const token = await service.mint({ organizationId });
      return service.request("GET", `${SECURITY}/events/${event?.id}`, { token });
    };
    expect(await get()).toMatchObject({ status: 200, body: event });
    await advance(91 * 24 * 3_600_000, "last");
    expect(await get()).toMatchObject({ status: 404, body: { error: 40404 } });
  });

  it("does not find an unknown id or another organization's event", async () => {
    const mine = await freshOrganization();
    const other = await freshOrganization();
    await mine.refuse("eve");
    const [event] = (await mine.read()).events;
    for (const id of [event?.id, "x", "0".repeat(26), encodeURIComponent("#é")]) {
      expect(await service.request("GET", `${SECURITY}/events/${id}`, { token: other.admin })).toMatchObject({
        status: 404,
        body: { error: 40404, message: "There is no such security event." },
      });
    }
  });

  it("needs security:read", async () => {
    const { organizationId } = await freshOrganization();
    const token = await service.mint({ organizationId, role: "billing" });
    expect(await service.request("GET", `${SECURITY}/events/x`, { token })).toMatchObject({
      status: 403,
      body: { error: 40301 },
    });
  });
});

describe("a flood of bad tokens", () => {
  itMovesTheClock("records a bounded number of events, whose counts add up to the number of refusals", async () => {
    const { organizationId, read } = await freshOrganization();
    const token = await service.mint({ organizationId, userId: "eve", expiresInSeconds: -120 });
    // Sequential, so that one instance receives all of them.
    for (let i = 0; i < 120; i++) await service.request("DELETE", "/plants/1", { token });
    // The next request counts what has waited in memory for two seconds, refused or not.
    await advance(2_000);
    const valid = await service.mint({ organizationId, userId: "ada" });
    await service.request("DELETE", "/plants/1", { token: valid });
    const { events, stats } = await read();
    expect(stats.totalEvents).toBe(6);
    expect(events.map(({ metadata }) => (metadata as { failures?: number }).failures ?? 1)).toEqual([
      115, 1, 1, 1, 1, 1,
    ]);
    expect(events[0]).not.toHaveProperty("userId");
  });
});
