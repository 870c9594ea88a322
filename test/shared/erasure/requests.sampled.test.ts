import { describe, expect, it, jest } from "@jest/globals";
import { erasureRoutes } from "../../../shared/api/erasure-routes.ts";
import { createOpenApiDocument } from "../../../shared/api/open-api-document.ts";
import { ErasureRequest } from "../../../shared/erasure/erasure.ts";
import { createRequestErasure } from "../../../shared/erasure/request-erasure.ts";
import { resumeErasures } from "../../../shared/erasure/resume-erasures.ts";
import { createHandler } from "../../../shared/http/create-handler.ts";
import { createCursors } from "../../../shared/http/cursor.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { defaultSettings } from "../../../shared/settings/settings.ts";
import type { RequestIdentity } from "../../../shared/terms/idempotency-key.ts";
import type { Role } from "../../../shared/terms/permissions.ts";
import { isDeep } from "../../support/depth.ts";
import { httpEvent, lambdaContext } from "../../support/http-event.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { identityAt, keyedIdentity } from "../../support/request-identity.ts";
import { mentionsOf, useWorld } from "./world.ts";

quietLog();

const world = useWorld();

const DAY = 86_400_000;
const zeros = { records: 0, webhookEvents: 0, events: 0, alerts: 0, reports: 0, detections: 0, other: 0 };

const by = (organizationId: string, identity?: RequestIdentity, userId = "root") => ({
  caller: { organizationId, userId, sessionId: "s-1" },
  origin: { requestId: "r-1", ipAddress: "203.0.113.1", userAgent: "curl" },
  ...(identity && { identity }),
});

const eventsOf = async (organizationId: string) =>
  (await world.scan()).securityEvents.filter((event) => event.organizationId === organizationId);

describe("a request", () => {
  it("is answered, listed and recorded, and requests a worker", async () => {
    const organizationId = world.newOrganization();
    world.published.length = 0;
    const requestedAt = world.time.now;
    const erasure = await world.request({ scope: "user", userId: "bob", reason: "left us" }, by(organizationId));
    expect(erasure).toEqual({
      id: expect.any(String),
      scope: "user",
      status: "requested",
      requestedAt,
      requestedBy: "root",
      dueAt: requestedAt + 30 * DAY,
      removed: zeros,
    });
    // The list shows the reason while the erasure is open, and never the user.
    expect(await world.list(organizationId)).toEqual([{ ...erasure, reason: "left us" }]);
    expect(world.published).toEqual([
      {
        source: "integration-security",
        detailType: "ErasureRequested",
        detail: { version: 1, organizationId, erasureId: erasure.id },
      },
    ]);
    expect(await eventsOf(organizationId)).toMatchObject([
      {
        eventType: "ERASURE_REQUESTED",
        category: "compliance",
        source: "user",
        userId: "root",
        sessionId: "s-1",
        ipAddress: "203.0.113.1",
        userAgent: "curl",
        action: "request_erasure",
        timestamp: requestedAt,
        metadata: JSON.stringify({ erasureId: erasure.id, scope: "user", requestId: "r-1" }),
      },
    ]);
    expect(mentionsOf({ ...(await world.scan()), erasures: [] }, "bob")).toEqual([]);
  });

  it("has its reason redacted", async () => {
    const organizationId = world.newOrganization();
    await world.request({ scope: "all", reason: "card 4242 4242 4242 4242" }, by(organizationId));
    expect(JSON.stringify(await world.list(organizationId))).not.toContain("4242 4242");
  });

  it("that is repeated is the same, even after it completed, and for any requester", async () => {
    const organizationId = world.newOrganization();
    const request = { scope: "user", userId: "bob" } as const;
    const key = keyedIdentity(world.time.now);
    const first = await world.request(request, by(organizationId, key.first));
    world.time.now += 1_000;
    expect(await world.request(request, by(organizationId, key.repeated, "another"))).toEqual(first);
    await world.deliverAll();
    expect(await world.request(request, by(organizationId, key.repeated))).toEqual(first);
    expect(await world.list(organizationId)).toHaveLength(1);
    expect((await world.request(request, by(organizationId))).id).not.toBe(first.id);
  });

  it("is stored once for concurrent attempts", async () => {
    const organizationId = world.newOrganization();
    const { first, repeated } = keyedIdentity(world.time.now);
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        world.request({ scope: "all" }, by(organizationId, i === 0 ? first : repeated)),
      ),
    );
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(await world.list(organizationId)).toHaveLength(1);
  });

  it("that could not be stored is stored by the next attempt", async () => {
    const organizationId = world.newOrganization();
    const failure = new DomainError("store_unavailable", "no");
    const broken = createRequestErasure({
      ...world.main,
      erasures: { ...world.main.erasures, create: jest.fn<() => Promise<void>>().mockRejectedValue(failure) },
    });
    const { first, repeated } = keyedIdentity(world.time.now);
    await expect(broken({ scope: "all" }, { ...by(organizationId), identity: first })).rejects.toBe(failure);
    const erasure = await world.request({ scope: "all" }, by(organizationId, repeated));
    expect(await world.list(organizationId)).toMatchObject([{ id: erasure.id }]);
  });

  it("that was stored by an attempt that then died is recorded, and requests a worker, by the next attempt", async () => {
    const organizationId = world.newOrganization();
    const die = () => Promise.reject(new Error("died"));
    const dying = createRequestErasure({ ...world.main, events: { requested: die }, bus: { publish: die } });
    const { first, repeated } = keyedIdentity(world.time.now);
    await expect(dying({ scope: "all" }, { ...by(organizationId), identity: first })).rejects.toThrow("died");
    await world.request({ scope: "all" }, by(organizationId, repeated));
    expect((await eventsOf(organizationId)).map(({ eventType }) => eventType)).toEqual(["ERASURE_REQUESTED"]);
    await world.deliverAll();
    expect(await world.list(organizationId)).toMatchObject([{ status: "completed" }]);
  });

  if (isDeep)
    it("is carried out if recorder and bus fail: the worker records it, and the schedule requests a worker", async () => {
      const organizationId = world.newOrganization();
      const mute = createRequestErasure({
        ...world.main,
        events: { requested: jest.fn<() => Promise<void>>().mockRejectedValue(new Error("no")) },
        bus: { publish: async (events) => events.map((event) => ({ event, reason: "no" })) },
      });
      const { id } = await mute({ scope: "all" }, { ...by(organizationId), identity: identityAt(world.time.now) });
      expect(await eventsOf(organizationId)).toEqual([]);
      world.time.now += 61_000;
      world.published.length = 0;
      expect(await resumeErasures({ ...world.main, bus: world.main.bus }, () => 60_000)).toMatchObject({ failed: 0 });
      await world.deliverAll();
      expect((await eventsOf(organizationId)).map(({ eventType }) => eventType)).toEqual([
        "ERASURE_REQUESTED",
        "ERASURE_COMPLETED",
      ]);
      expect(await world.list(organizationId)).toMatchObject([{ id, status: "completed" }]);
    });
});

describe("the list", () => {
  it("has the latest request first, page by page", async () => {
    const organizationId = world.newOrganization();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      world.time.now += 1_000;
      ids.unshift((await world.request({ scope: "all" }, by(organizationId))).id);
    }
    const seen: string[] = [];
    let after: { id: string } | undefined;
    do {
      const page = await world.main.erasures.list(organizationId, { limit: 2, after });
      seen.push(...page.items.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual(ids);
    expect(await world.list(world.newOrganization())).toEqual([]);
  });
});

describe("the hourly schedule", () => {
  if (isDeep)
    it("requests a worker for each erasure without one, and raises an alarm after 20 days", async () => {
      const lines: string[] = [];
      const write = jest.spyOn(process.stdout, "write").mockImplementation((line) => {
        lines.push(String(line));
        return true;
      });
      const organizationId = world.newOrganization();
      const { id } = await world.request({ scope: "user", userId: "bob" }, by(organizationId));
      world.published.length = 0;
      const resume = async () => {
        lines.length = 0;
        await resumeErasures({ ...world.main, bus: world.main.bus }, () => 60_000);
        const asked = world.published.splice(0).map(({ detail }) => (detail as { erasureId: string }).erasureId);
        return {
          isAsked: asked.includes(id),
          alarms: lines.filter((line) => line.includes("erasure_overdue") && line.includes(id)),
        };
      };
      try {
        // A worker is about to take the request.
        expect(await resume()).toEqual({ isAsked: false, alarms: [] });
        world.time.now += 60_001;
        expect(await resume()).toEqual({ isAsked: true, alarms: [] });
        await world.main.leases.take(organizationId, id, { delivery: "d", attempt: "a" }, world.time.now);
        expect(await resume()).toEqual({ isAsked: false, alarms: [] });
        world.time.now += 20 * DAY - 60_002;
        expect(await resume()).toEqual({ isAsked: true, alarms: [] });
        world.time.now += 1;
        const { isAsked, alarms } = await resume();
        expect(isAsked).toBe(true);
        expect(alarms.map((line) => JSON.parse(line))).toEqual([
          {
            level: "error",
            message: "An erasure is not completed",
            alarm: "erasure_overdue",
            erasureId: id,
            daysLeft: 10,
          },
        ]);
        await world.deliver({ organizationId, erasureId: id });
        expect(await resume()).toEqual({ isAsked: false, alarms: [] });
      } finally {
        write.mockRestore();
      }
    });
});

describe("over HTTP", () => {
  const post = async (body: unknown, role: Role = "admin") => {
    const caller = { userId: "root", organizationId: "acme", role, sessionId: undefined, scope: "org:acme" } as const;
    const handler = createHandler(
      erasureRoutes.requestErasure,
      async ({ body: request }) => world.request(request, by("acme")),
      {
        authenticate: async () => caller,
        settings: { read: async () => defaultSettings },
        cursors: async () => createCursors("secret"),
        answerOnce: (_request, answer) => answer(identityAt(world.time.now)),
      },
    );
    const path = erasureRoutes.requestErasure.path;
    const headers = { "content-type": "application/json" };
    const event = httpEvent({ rawPath: path, headers, body: JSON.stringify(body) });
    const { statusCode, body: text } = await handler(event, lambdaContext);
    return { statusCode, body: JSON.parse(String(text)) };
  };

  it("is for admins", async () => {
    for (const role of ["billing", "member", "guest"] as const) {
      expect(await post({ scope: "all" }, role)).toMatchObject({ statusCode: 403, body: { error: 40301 } });
    }
    expect(await post({ scope: "all" })).toMatchObject({ statusCode: 202, body: { status: "requested" } });
    expect(await post({ scope: "user", userId: "bob" })).toMatchObject({ statusCode: 202, body: { scope: "user" } });
  });

  it.each([
    [{}, "scope: expected one of all, user"],
    [{ scope: "none" }, "scope: expected one of all, user"],
    [{ scope: "user" }, "userId: expected a text of 1 to 128 characters"],
    [{ scope: "user", userId: "" }, "userId: expected a text of 1 to 128 characters"],
    [{ scope: "user", userId: "x".repeat(129) }, "userId: expected a text of 1 to 128 characters"],
    [{ scope: "all", userId: "bob" }, "userId: expected no userId with the scope all"],
    [{ scope: "all", reason: "" }, "reason: expected a text of 1 to 512 characters"],
  ])("refuses %j", async (body, message) => {
    expect(await post(body)).toEqual({ statusCode: 400, body: { error: 40002, message } });
  });

  it("is documented", () => {
    const document = createOpenApiDocument(erasureRoutes);
    const operations = document.paths?.["/api/integrations/provider/erasure"];
    expect(Object.keys(operations ?? {})).toEqual(["post", "get"]);
    expect(Object.keys(document.components?.schemas ?? {})).toEqual(
      expect.arrayContaining(["Erasure", "ErasureRequest", "EraseAll", "EraseUser"]),
    );
    expect(ErasureRequest.safeParse({ scope: "all", unknown: 1 })).toEqual({ success: true, data: { scope: "all" } });
  });
});
