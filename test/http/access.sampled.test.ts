import { describe, expect, it } from "@jest/globals";
import { deepIt } from "../support/deep-it.ts";
import { sampleOf } from "../support/depth.ts";
import { eventually, organizationOf, PROVIDER, type Run } from "../support/integration.ts";
import { requestFrom } from "../support/request-from.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useOrganizations, useSharedService } from "../support/use-service.ts";

/** The roles that each endpoint allows. The requests change nothing. */
const endpoints: [method: string, path: string, roles: string, body?: object][] = [
  ["GET", "connection", "admin billing member"],
  ["PUT", "connection", "admin billing", { method: "none" }],
  ["DELETE", "connection", "admin billing"],
  ["POST", "connection/authorize", "admin billing"],
  ["GET", "sync", "admin billing member"],
  ["POST", "sync", "admin billing", { mode: "none" }],
  ["GET", "records/customers", "admin billing"],
  ["GET", "records/subscriptions", "admin billing"],
  ["GET", "records/invoices", "admin billing"],
  ["GET", "records/payments", "admin billing"],
  ["GET", "settings", "admin"],
  ["PUT", "settings", "admin", { ipAllowlist: "none" }],
  ["GET", "circuit-breaker", "admin billing member"],
  ["GET", "circuit-breaker/history", "admin billing member"],
  ["POST", "circuit-breaker", "admin", { action: "none" }],
  ["GET", "security", "admin"],
  ["GET", "security/alert", "admin"],
  ["POST", "security/alert", "admin", { action: "none" }],
];
const allRoles = ["admin", "billing", "member", "guest"];

const service = await useSharedService();

const ours = useOrganizations(service, "access");

describe.each(sampleOf(endpoints, 5))("%s %s", (method, path, allowed, body) => {
  it("allows only roles with its permission and tokens with an organization", async () => {
    for (const role of allRoles) {
      const { status, body: answer } = await ours.call(method, path, body, { role });
      if (allowed.split(" ").includes(role)) expect([200, 204, 400]).toContain(status);
      else expect({ status, answer }).toMatchObject({ status: 403, answer: { error: 40301 } });
    }
    const nobodys = await service.mint({ role: "admin", userId: "ada" });
    expect(await service.request(method, `${PROVIDER}/${path}`, { token: nobodys })).toMatchObject({
      status: 403,
      body: { error: 40303 },
    });
    expect(await service.request(method, `${PROVIDER}/${path}`)).toMatchObject({ status: 401, body: { error: 40101 } });
    const denied = (await ours.events("eventType=PERMISSION_DENIED")).filter(({ resource }) =>
      String(resource).startsWith(`${method} `),
    );
    expect(denied).toHaveLength(allRoles.length - allowed.split(" ").length);
  });

  it("checks the token first, then the role, then the body", async () => {
    const malformed = { body: "{", contentType: "text/plain", headers: { "idempotency-key": "not a key" } };
    const call = async (token: string | undefined, more: object = malformed) =>
      service.request(method, `${PROVIDER}/${path}?limit=0&cursor=forged`, { token, ...(body && more) });
    expect(await call("forged")).toMatchObject({ status: 401, body: { error: 40102 } });
    expect((await call(await ours.as({ role: "guest" }))).status).toBe(403);
    if (body === undefined) return;
    const token = await ours.as();
    expect(await call(token)).toMatchObject({ status: 415, body: { error: 41501 } });
    expect(await call(token, { body: " ".repeat(65_537) })).toMatchObject({ status: 413, body: { error: 41301 } });
    for (const wrong of ["{", '\ufeff{"a":1}', '{"a":"\\ud800"}', "[", "null"])
      expect(await call(token, { body: wrong })).toMatchObject({ status: 400 });
    expect((await call(token, { body: "{}", contentType: "application/json; charset=utf-8" })).status).not.toBe(415);
  });

  it("has the headers of every answer", async () => {
    const answer = await ours.call(method, path, body);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("x-request-id")).toMatch(/./);
    if (answer.status !== 204) expect(answer.headers.get("content-type")).toContain("application/json");
  });
});

describe("GET circuit-breaker/history", () => {
  it("lists the transitions of the organization's circuit, newest first, with operator and reason", async () => {
    const history = async (query = "") =>
      (await ours.call("GET", `circuit-breaker/history${query}`, undefined, { role: "member" })).body as object[];
    expect(await history()).toEqual([]);
    const reason = "maintenance of the provider";
    await ours.call("POST", "circuit-breaker", { action: "force_open", reason });
    await ours.call("POST", "circuit-breaker", { action: "reset" });
    const transition = { id: expect.any(String), at: expect.any(Number), by: expect.any(String) };
    const expected = [
      { ...transition, from: "forced_open", to: "closed", cause: "reset" },
      { ...transition, from: "closed", to: "forced_open", cause: "force_open", reason },
    ];
    expect(await history()).toEqual(expected);
    const events = await ours.events("eventType=CIRCUIT_BREAKER_CHANGED");
    expect(await history("?limit=1")).toMatchObject([{ id: events[0]?.id, at: events[0]?.timestamp }]);
    expect((await organizationOf(service, "access-other").call("GET", "circuit-breaker/history")).body).toEqual([]);
  });
});

describe("GET me", () => {
  const me = (claims: object) => ours.call("GET", "me", undefined, claims);
  const permissions = {
    admin: [
      "records:read",
      "status:read",
      "connection:manage",
      "sync:run",
      "breaker:control",
      "security:read",
      "security:manage",
      "settings:manage",
      "erasure:request",
    ],
    billing: ["records:read", "status:read", "connection:manage", "sync:run"],
    member: ["status:read"],
    guest: [],
  };

  it.each(Object.entries(permissions))(
    "tells a caller of the role %s who it is and what it may do",
    async (role, may) => {
      const organizationId = ours.organizationId;
      const { status, body } = await me({ role, userId: "bob" });
      expect(status).toBe(200);
      expect(body).toEqual({
        userId: "bob",
        organizationId,
        role,
        permissions: may,
        ipAddress: "127.0.0.1",
        recordTypes: may.some((permission) => permission === "records:read")
          ? ["customers", "subscriptions", "invoices", "payments", "refunds", "disputes", "payouts"]
          : [],
        deployment: { retentionDays: 90, alertThreshold: "HIGH", securityLogLevel: "LOW", siemFeed: true },
      });
    },
  );

  it("tells the address that the allowlist sees", async () => {
    const answer = await requestFrom(service, "127.0.0.3", ["GET", `${PROVIDER}/me`], await ours.as({}));
    expect(answer).toMatchObject({ status: 200, body: { ipAddress: "127.0.0.3" } });
  });

  deepIt("follows the settings on records", async () => {
    await ours.call("PUT", "settings", { recordAccess: { guest: ["invoices"] } });
    expect((await me({ role: "guest" })).body).toMatchObject({
      permissions: ["records:read"],
      recordTypes: ["invoices"],
    });
    expect((await me({ role: "member" })).body).toMatchObject({ permissions: ["status:read"] });
  });

  it("takes the most powerful known role and the only organization of lists", async () => {
    const claims = { org_id: [ours.organizationId], org_role: ["owner", "member", "billing"] };
    expect((await me({ claims })).body).toMatchObject({ organizationId: ours.organizationId, role: "billing" });
  });

  it.each([
    ["missing", null, "The token has no claim org_role, so the role counts as guest."],
    ["unknown", "owner", "The token's claim org_role has no known role, so the role counts as guest."],
    [
      "a list of unknown roles",
      ["owner"],
      "The token's claim org_role has no known role, so the role counts as guest.",
    ],
  ])("and each refusal names the claim if the role is %s", async (_what, org_role, roleNote) => {
    const claims = { org_role };
    expect((await me({ claims })).body).toMatchObject({ role: "guest", permissions: [], roleNote });
    for (const [path, refusal] of [
      ["sync", "The role guest does not have the permission status:read."],
      ["records/invoices", "The role guest may not read records of this type."],
    ] as const) {
      expect(await ours.call("GET", path, undefined, { claims })).toMatchObject({
        status: 403,
        body: { error: 40301, message: `${refusal} ${roleNote}` },
      });
    }
    expect((await ours.events("eventType=PERMISSION_DENIED"))[0]).toMatchObject({
      errorMessage: expect.stringContaining(roleNote),
    });
  });

  it("needs an organization, an accepted token and an allowed address, and no parameters", async () => {
    const path = `${PROVIDER}/me`;
    expect(await service.request("GET", path, { token: await service.mint({ role: "admin" }) })).toMatchObject({
      status: 403,
      body: { error: 40303, message: "The token names no organization: it has no claim org_id." },
    });
    expect(await service.request("GET", path)).toMatchObject({ status: 401, body: { error: 40101 } });
    for (const organizationId of ["..", "."]) {
      const token = await service.mint({ organizationId });
      expect(await service.request("GET", path, { token })).toMatchObject({ status: 401, body: { error: 40102 } });
    }
    expect((await ours.call("POST", "me", {})).status).toBe(405);
    await ours.call("PUT", "settings", { ipAllowlist: ["127.0.0.1/32"] });
    const blocked = await requestFrom(service, "127.0.0.2", ["GET", path], await ours.as({ role: "guest" }));
    expect(blocked).toMatchObject({ status: 403, body: { error: 40302 } });
  });
});

deepIt("every endpoint checks the organization's allowlist before the body, for plain and mapped IPv4", async () => {
  const token = await ours.as();
  expect((await ours.call("PUT", "settings", { ipAllowlist: ["::ffff:127.0.0.1/128", "2001:db8::/32"] })).status).toBe(
    200,
  );
  for (const [method, path, , body] of endpoints) {
    const blocked = await requestFrom(service, "127.0.0.2", [method, `${PROVIDER}/${path}`], token);
    expect({ path, ...blocked }).toMatchObject({ path, status: 403, body: { error: 40302 } });
    const { status } = await ours.call(method, path, body);
    expect([200, 204, 400]).toContain(status);
  }
  expect(await ours.events("eventType=PERMISSION_DENIED")).toHaveLength(endpoints.length);
});

it("an allowlist without its author's address is refused", async () => {
  for (const ipAllowlist of [["10.0.0.0/8"], ["::/0"], ["127.0.0.2/32"], ["::ffff:10.0.0.0/104"]]) {
    expect(await ours.call("PUT", "settings", { ipAllowlist })).toMatchObject({ status: 409, body: { error: 40906 } });
  }
  for (const ipAllowlist of [["127.0.0.1"], ["127.0.0.1/33"], ["::1/129"], ["localhost/8"], [5]]) {
    expect(await ours.call("PUT", "settings", { ipAllowlist })).toMatchObject({ status: 400, body: { error: 40002 } });
  }
});

describe("access to records", () => {
  deepIt("is checked before the query, also for unknown types", async () => {
    await ours.call("PUT", "settings", { recordAccess: { member: ["customers", "payments"], guest: ["invoices"] } });
    const status = async (role: string, path: string) => (await ours.call("GET", path, undefined, { role })).status;
    for (const query of ["", "?limit=0", "?cursor=forged", "?updatedSince=", "?status=a&status=b"]) {
      const wrong = query === "" ? 200 : 400;
      expect(await status("member", `records/customers${query}`)).toBe(wrong);
      expect(await status("member", `records/invoices${query}`)).toBe(403);
      expect(await status("guest", `records/invoices${query}`)).toBe(wrong);
      expect(await status("guest", `records/payments${query}`)).toBe(403);
      expect(await status("admin", `records/subscriptions${query}`)).toBe(wrong);
    }
    expect(await status("member", "records/charges")).toBe(403);
    expect(await status("a role of another world", "records/customers")).toBe(403);
    // PUT replaces all settings: missing fields become the defaults.
    await ours.call("PUT", "settings", { ipAllowlist: [] });
    expect(await status("member", "records/customers")).toBe(403);
  });
});

describe("the Idempotency-Key of a change of the circuit", () => {
  it("repeats the first answer and changes the circuit once", async () => {
    const post = (body: object, key: string) =>
      ours.call("POST", "circuit-breaker", body, {}, { "idempotency-key": key });
    const opened = { action: "force_open", reason: "maintenance" };
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(opened, "open")));
    expect(answers[0]).toMatchObject({ status: 200, body: { state: "open", forced: true, reason: "maintenance" } });
    for (const answer of answers) expect(answer.text).toBe(answers[0]?.text);
    expect(await post({ action: "reset" }, "open")).toMatchObject({ status: 409, body: { error: 40905 } });
    expect(await post({ action: "reset" }, "reset")).toMatchObject({ body: { state: "closed" } });
    // A late repetition does not open the circuit again.
    expect((await post(opened, "open")).text).toBe(answers[0]?.text);
    const { body } = await ours.call("GET", "circuit-breaker");
    expect(body).toMatchObject({ organizationStats: { state: "closed", forced: false } });
    const events = await ours.call("GET", "security?eventType=CIRCUIT_BREAKER_CHANGED");
    expect((events.body as { events: { action: string }[] }).events.map(({ action }) => action)).toEqual([
      "reset",
      "force_open",
    ]);
  });
});

describe("the Idempotency-Key of a sync", () => {
  const post = (key: string, body?: object, claims?: object) =>
    ours.call("POST", "sync", body, claims, { "idempotency-key": key });
  const runs = async (id: string) => (await ours.runs()).filter((run) => run.id === id);

  deepIt("repeats the first answer, also after the run has ended; another body is 409", async () => {
    const provider = simulatedProvider(service);
    const { apiKey } = await provider.account(4);
    expect(await post("early")).toMatchObject({ status: 409, body: { error: 40903 } });
    await ours.connect(apiKey);
    await ours.lastRun();
    // The refusal was not stored under the key.
    const first = await post("early", {});
    expect(first).toMatchObject({ status: 202, body: { trigger: "manual", status: "running" } });
    const { id } = first.body as Run;
    await eventually("the run has ended", async () => (await runs(id))[0]?.status === "succeeded");
    expect((await post("early", {})).text).toBe(first.text);
    expect((await post("early")).text).toBe(first.text);
    expect((await post("early", { unknown: 1 })).text).toBe(first.text);
    expect(await post("early", { mode: "full" })).toMatchObject({ status: 409, body: { error: 40905 } });
    expect(await ours.runs()).toHaveLength(2);
    const ofBob = await post("early", {}, { userId: "bob", role: "billing" });
    expect(ofBob.status).toBe(202);
    expect((ofBob.body as Run).id).not.toBe(id);

    const others = organizationOf(service, `${ours.organizationId}-other`);
    await others.connect((await provider.account(4)).apiKey);
    await others.lastRun();
    const theirs = await others.call("POST", "sync", { mode: "full" }, {}, { "idempotency-key": "early" });
    expect(theirs.status).toBe(202);
    expect((theirs.body as Run).id).not.toBe(id);
  });

  it.each(["", " ", "with space", "x".repeat(256), "ü"])("is not %j", async (key) => {
    const answer = await post(key, {}).catch(() => undefined);
    // The client refuses to send values that no header can carry.
    if (answer !== undefined) expect(answer).toMatchObject({ status: 400, body: { error: 40002 } });
  });
});

it.each([
  ["PATCH", "connection", "DELETE, GET, PUT"],
  ["DELETE", "sync", "GET, POST"],
  ["POST", "records/invoices", "GET"],
  ["DELETE", "settings", "GET, PUT"],
  ["GET", "connection/authorize", "POST"],
])("%s %s is 405, with a token and without", async (method, path, allow) => {
  for (const token of [undefined, await ours.as()]) {
    const answer = await service.request(method, `${PROVIDER}/${path}`, { token });
    expect(answer).toMatchObject({ status: 405, body: { error: 40501 } });
    expect(answer.headers.get("allow")?.split(/, */).sort().join(", ")).toBe(allow);
  }
});

/** Of a count of refusals. */
const failuresOf = (event: object) => (event as { metadata: { failures?: number } }).metadata.failures;

deepIt("records a user's refusals one by one up to 60 a minute, then counts them", async () => {
  const theirs = organizationOf(service, "access-flood");
  const guest = { role: "guest", userId: "mallory" };
  for (let i = 0; i < 80; i++) expect((await theirs.call("GET", "settings", undefined, guest)).status).toBe(403);
  const events = await eventually("every refusal is recorded or counted", async () => {
    // The next requests of the instance count what waits there.
    await theirs.call("GET", "settings");
    const found = await theirs.events("userId=mallory&eventType=PERMISSION_DENIED");
    return found.reduce((sum, event) => sum + (failuresOf(event) ?? 1), 0) === 80 && found;
  });
  const counts = events.filter((event) => failuresOf(event) !== undefined);
  expect(counts.length).toBeGreaterThanOrEqual(1);
  for (const { timestamp, metadata } of counts) expect(Object(metadata).lastAt).toBeGreaterThanOrEqual(timestamp);
  // Each further instance records one more.
  expect(events.length - counts.length).toBeGreaterThanOrEqual(60);
  expect(events.length).toBeLessThan(70);
});
