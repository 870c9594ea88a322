import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { eventually, organizationOf } from "../support/integration.ts";
import { type ServiceUnderTest, startService } from "../support/service.ts";

const DAY_MS = 86_400_000;

let service: ServiceUnderTest;
let ours: ReturnType<typeof organizationOf>;
beforeAll(async () => {
  service = await startService();
  ours = organizationOf(service, "reports");
  await ours.call("GET", "security", undefined, { userId: "eve", role: "guest" });
  await ours.call("PUT", "settings", { recordAccess: { member: ["invoices"] } });
  // Past midnight, to the hour in which reports are made.
  const now = Date.now();
  await service.advance(DAY_MS - (now % DAY_MS) + 2 * 3_600_000);
});
afterAll(async () => {
  expect(service.denials).toEqual([]);
  await service.stop();
});

type Listed = { id: string; kind: string; from: number; to: number; createdAt: number };
const list = async () => (await ours.call("GET", "reports")).body as Listed[];

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

  it("are made again without an erased user", async () => {
    const [{ id = "" } = {}] = (await list()).filter(({ kind }) => kind === "compliance");
    expect((await ours.call("POST", "erasure", { scope: "user", userId: "eve" })).status).toBe(202);
    const erasure = await eventually("eve is erased", async () => {
      const [last] = (await ours.call("GET", "erasure")).body as { status: string; removed: { reports: number } }[];
      return last?.status === "completed" && last;
    });
    expect(erasure.removed.reports).toBeGreaterThan(0);
    expect((await ours.call("GET", `reports/${id}`)).status).toBe(404);
    await service.advance(3_600_000);
    const again = await ours.call("GET", `reports/${id}`);
    expect(again).toMatchObject({ status: 200, body: { access: { users: [{ userId: "ada" }] } } });
    expect(again.text).not.toMatch(/\beve\b/);
  });
});
