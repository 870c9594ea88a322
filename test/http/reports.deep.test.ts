import { beforeAll, describe, expect, it } from "@jest/globals";
import { controlOf } from "../support/control.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { requestFrom } from "../support/request-from.ts";
import { useService } from "../support/use-service.ts";

const DAY_MS = 86_400_000;

const service = await useService();
const ours = organizationOf(service, "reports");
beforeAll(async () => {
  await ours.call("GET", "security", undefined, { userId: "eve", role: "guest" });
  await ours.call("PUT", "settings", { recordAccess: { member: ["invoices"] } });
  // Past midnight, to the hour in which reports are made.
  const now = Date.now();
  await service.advance(DAY_MS - (now % DAY_MS) + 2 * 3_600_000);
});

type Listed = { id: string; kind: string; from: number; to: number; createdAt: number };
const list = async () => (await ours.call("GET", "reports")).body as Listed[];

const anyReport = async (kind: string): Promise<string> => (await list()).find((one) => one.kind === kind)?.id ?? "";

const linkTo = async (id: string): Promise<{ url: string; expiresAt: number }> => {
  const { status, body } = await ours.call("POST", `reports/${id}/link`);
  expect(status).toBe(200);
  return body as { url: string; expiresAt: number };
};

describe("reports", () => {
  it("cover each ended day and are listed once", async () => {
    const compliance = (await list()).filter(({ kind }) => kind === "compliance");
    expect(compliance).toHaveLength(1);
    const [report] = compliance;
    expect((report?.to ?? 0) - (report?.from ?? 0)).toBe(DAY_MS);
    expect((report?.from ?? 1) % DAY_MS).toBe(0);
  });

  it("contain refusals and changes, as JSON", async () => {
    const [{ id = "" } = {}] = (await list()).filter(({ kind }) => kind === "compliance");
    const report = await ours.call("GET", `reports/${id}`);
    expect(report).toMatchObject({ status: 200, body: { id, kind: "compliance" } });
    expect(report.headers.get("content-type")).toContain("application/json");
    expect(report.body).toMatchObject({ access: { users: [{ userId: "eve", refusals: 1 }, { userId: "ada" }] } });
    expect(report.body).toMatchObject({ changes: [{ area: "settings", who: "ada" }] });
    const events = await ours.events("category=data_access");
    expect(events.some(({ resourceType }) => resourceType === "report")).toBe(true);
  });

  it("are HTML pages for clients that prefer them, with failures as JSON", async () => {
    const [{ id = "" } = {}] = await list();
    const asPage = async (path: string) =>
      fetch(new URL(`/api/integrations/provider/reports/${path}`, service.stack.apiUrl), {
        headers: { authorization: `Bearer ${await ours.as()}`, accept: "text/html,application/json;q=0.5" },
      });
    const page = await asPage(id);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.headers.get("vary")?.toLowerCase()).toContain("accept");
    expect(await page.text()).toContain("<svg");
    const missing = await asPage("compliance-1999-01-01");
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ error: 40403 });
  });

  it("are not visible to another organization", async () => {
    const others = organizationOf(service, "reports-of-others");
    const [{ id = "" } = {}] = await list();
    expect((await others.call("GET", "reports")).body).toEqual([]);
    expect(await others.call("GET", `reports/${id}`)).toMatchObject({ status: 404, body: { error: 40403 } });
    expect((await ours.call("GET", "reports", undefined, { role: "billing" })).status).toBe(403);
    expect((await ours.call("GET", "reports?limit=0")).status).toBe(400);
  });

  it("are reviewed: the first review stands, later ones join, and lists tell them apart", async () => {
    const id = await anyReport("compliance");
    const ids = async (query: string) =>
      ((await ours.call("GET", `reports?${query}`)).body as Listed[]).map((report) => report.id);
    expect(await ids("reviewed=true")).toEqual([]);
    expect(await ids("reviewed=false")).toContain(id);
    const first = await ours.call("POST", `reports/${id}/review`, { note: "Asked eve" });
    expect(first).toMatchObject({
      status: 200,
      body: { id, reviewedBy: "ada", reviewedAt: expect.any(Number), reviews: [{ by: "ada", note: "Asked eve" }] },
    });
    const { reviewedAt } = first.body as { reviewedAt: number };
    const second = await ours.call("POST", `reports/${id}/review`, {}, { userId: "bob" });
    expect(second).toMatchObject({
      status: 200,
      body: { reviewedBy: "ada", reviewedAt, reviews: [{ by: "ada" }, { by: "bob" }] },
    });
    expect((await ours.call("GET", `reports/${id}`)).body).toMatchObject(second.body as object);
    expect((await list()).find((one) => one.id === id)).toMatchObject({ reviewedBy: "ada", reviewedAt });
    expect(await ids("reviewed=true")).toEqual([id]);
    expect(await ids("reviewed=false")).not.toContain(id);
    const events = await ours.events("eventType=REPORT_REVIEWED");
    expect(events.map(({ userId, resource }) => [userId, resource])).toEqual([
      ["bob", id],
      ["ada", id],
    ]);
  });

  it.each([
    ["an unknown field", "compliance", { notes: "x" }, {}, 400],
    ["a note that is too long", "compliance", { note: "x".repeat(2_001) }, {}, 400],
    ["a note that is no text", "compliance", { note: 1 }, {}, 400],
    ["a report that does not exist", "compliance-1999-01-01", {}, {}, 404],
    ["another organization's report", "compliance", {}, { organizationId: "reports-of-others" }, 404],
    ["a role that may not", "compliance", {}, { role: "billing" }, 403],
  ])("are not reviewed with %s", async (_, of, body, as, status) => {
    const id = of.includes("-") ? of : await anyReport(of);
    expect(await ours.call("POST", `reports/${id}/review`, body, as)).toMatchObject({ status });
    expect(await ours.call("GET", "reports?reviewed=maybe")).toMatchObject({ status: 400 });
  });

  it("open in a browser by a link, without a header", async () => {
    const id = await anyReport("compliance");
    const createdAt = (await list()).find((one) => one.id === id)?.createdAt;
    const { url, expiresAt } = await linkTo(id);
    expect(new URL(url).origin).toBe(new URL(service.stack.apiUrl ?? "").origin);
    expect(expiresAt).toBeGreaterThan(createdAt ?? Number.POSITIVE_INFINITY);
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
    });
    const text = await page.text();
    expect(text).toContain("<svg");
    expect(text).toContain("finds each alert and each event by its id in the console");

    const reads = (await ours.events("category=data_access")).filter(({ action }) => `${action}`.includes("link"));
    expect(reads).toEqual([
      expect.objectContaining({
        action: "read_report_by_link",
        userId: "ada",
        ipAddress: "127.0.0.1",
        resourceType: "report",
      }),
      expect.objectContaining({ action: "create_report_link", userId: "ada", resource: id }),
    ]);
    expect(service.logged()).not.toContain(new URL(url).searchParams.get("key") ?? "");
  });

  it("do not open by a link that was altered, is another report's or is not one, and such a link leaves no event", async () => {
    const { url } = await linkTo(await anyReport("compliance"));
    const key = new URL(url).searchParams.get("key") ?? "";
    const before = (await ours.events("")).length;
    const open = async (path: string) => {
      const response = await fetch(new URL(path, service.stack.apiUrl));
      return [response.status, ((await response.json()) as { error: number }).error];
    };
    const path = new URL(url).pathname;
    expect(await open(`${path}?key=${key.slice(0, -1)}`)).toEqual([404, 40406]);
    expect(await open(`${path.replace(/compliance-[^/]+/, "compliance-1999-01-01")}?key=${key}`)).toEqual([404, 40406]);
    expect(await open(`${path}?key=x`)).toEqual([404, 40406]);
    expect(await open(path)).toEqual([401, 40101]);
    expect(await open(`${path}?more=1`)).toEqual([401, 40101]);
    expect(await open(`${path}?key=${key}&key=${key}`)).toEqual([400, 40002]);
    expect(await open(`${path}?key=${key}&more=1`)).toEqual([400, 40002]);
    expect((await ours.events("")).length).toBe(before);
  });

  it("get a link only from who may read them, once for each Idempotency-Key and report", async () => {
    const id = await anyReport("compliance");
    const others = organizationOf(service, "reports-of-others");
    expect(await others.call("POST", `reports/${id}/link`)).toMatchObject({ status: 404, body: { error: 40403 } });
    expect((await ours.call("POST", `reports/${id}/link`, undefined, { role: "billing" })).status).toBe(403);
    expect((await ours.call("POST", "reports/nonsense/link")).status).toBe(404);
    const keyed = async (report: string) =>
      service.request("POST", `/api/integrations/provider/reports/${report}/link`, {
        token: await ours.as(),
        headers: { "idempotency-key": "one" },
      });
    const first = await keyed(id);
    expect(first.status).toBe(200);
    expect((await keyed(id)).text).toBe(first.text);
    expect((await keyed("compliance-1999-01-01")).status).toBe(409);
  });

  it("do not open from an address that the organization does not allow, which is recorded", async () => {
    const { url } = await linkTo(await anyReport("compliance"));
    await ours.call("PUT", "settings", { ipAllowlist: ["127.0.0.1/32"] });
    const { pathname, search } = new URL(url);
    const refused = await requestFrom(service, "127.0.0.2", ["GET", pathname + search], "none");
    expect(refused).toMatchObject({ status: 403, body: { error: 40302 } });
    expect((await fetch(url)).status).toBe(200);
    const [event] = await ours.events("eventType=PERMISSION_DENIED&riskLevel=HIGH");
    expect(event).toMatchObject({ userId: "ada", ipAddress: "127.0.0.2", metadata: { permission: "link" } });
    await ours.call("PUT", "settings", {});
  });

  it("do not open by a link that has expired", async () => {
    const { url } = await linkTo(await anyReport("compliance"));
    await service.advance(10 * 60_000);
    const ended = await fetch(url);
    expect(ended.status).toBe(410);
    expect(await ended.json()).toMatchObject({ error: 41001, message: expect.stringContaining("expired") });
  });

  it("are made again without an erased user", async () => {
    const { url } = await linkTo(await anyReport("compliance"));
    const [{ id = "" } = {}] = (await list()).filter(({ kind }) => kind === "compliance");
    expect((await ours.call("POST", "erasure", { scope: "user", userId: "eve" })).status).toBe(202);
    const erasure = await eventually("eve is erased", async () => {
      const [last] = (await ours.call("GET", "erasure")).body as { status: string; removed: { reports: number } }[];
      return last?.status === "completed" && last;
    });
    expect(erasure.removed.reports).toBeGreaterThan(0);
    expect((await fetch(url)).status).toBe(410);
    expect((await ours.call("GET", `reports/${id}`)).status).toBe(404);
    await service.advance(3_600_000);
    const again = await ours.call("GET", `reports/${id}`);
    expect(again).toMatchObject({ status: 200, body: { access: { users: [{ userId: "ada" }] } } });
    expect(again.text).not.toMatch(/\beve\b/);
  });

  it("of a month are made once it is over, name who reviewed its reports, and are reviewed", async () => {
    const [{ id: daily = "", from = 0 } = {}] = (await list()).filter(({ kind }) => kind === "compliance");
    const month = new Date(from).toISOString().slice(0, 7);
    const id = `month-${month}`;
    const next = Date.UTC(new Date(from).getUTCFullYear(), new Date(from).getUTCMonth() + 1, 1);
    expect((await ours.call("POST", `reports/${daily}/review`, {})).status).toBe(200);
    // To the hours in which reports are made; those of the last day first.
    const remaining = next + 3 * 3_600_000 - (await controlOf(service).now());
    if (remaining > 0) await service.advance(remaining, "last");
    await service.advance(3_600_000, "last");
    const ids = async (query: string) =>
      ((await ours.call("GET", `reports?limit=100&${query}`)).body as Listed[]).map((report) => report.id);
    const entry = (await list()).find((one) => one.id === id);
    expect(entry).toMatchObject({ kind: "month", from: Date.parse(`${month}-01T00:00:00Z`), to: next });
    expect(await ids("reviewed=false")).toContain(id);
    const { status, body } = await ours.call("GET", `reports/${id}`);
    const dailyEntry = expect.objectContaining({ id: daily, reviewedBy: "ada" });
    const reviewing = { list: expect.arrayContaining([dailyEntry]) };
    expect([status, body]).toMatchObject([200, { id, kind: "month", reviewing }]);
    const reviewed = await ours.call("POST", `reports/${id}/review`, { note: "The month is complete" });
    expect(reviewed).toMatchObject({ status: 200, body: { id, reviewedBy: "ada", reviews: [{ by: "ada" }] } });
    expect(await ids("reviewed=true")).toContain(id);
    expect(await ids("reviewed=false")).not.toContain(id);
    expect((await organizationOf(service, "reports-of-others").call("GET", `reports/${id}`)).status).toBe(404);
  });
});
