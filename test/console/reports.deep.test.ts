import { describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { shareConsole } from "../support/share-console.ts";

const { service, open } = await shareConsole();

const DAY_MS = 86_400_000;
const from = Date.UTC(2026, 10, 16);
/** Reports of a closed period, which the shared service has not made: its clock does not move. */
const planted = [
  { id: "review-2026-11-16", kind: "review", from, to: from + 7 * DAY_MS, createdAt: from + 8 * DAY_MS },
  { id: "compliance-2026-11-21", kind: "compliance", from: from + 5 * DAY_MS, to: from + 6 * DAY_MS, createdAt: from },
];

const plant = async (page: Page, url: string): Promise<void> => {
  await page.route("**/provider/reports?*", (route) => route.fulfill({ json: planted }));
  await page.route("**/provider/reports/*/link", (route) => route.fulfill({ json: { url, expiresAt: from } }));
  await page.route("**/provider/reports/compliance-2026-11-21", (route) =>
    route.fulfill({ body: route.request().headers().accept ?? "", contentType: "text/html" }),
  );
};

describe("the view Reports", () => {
  it("says when the first reports come, then lists, filters, opens and saves them", async () => {
    const { page } = await open({ organizationId: "console-reports" }, { path: "/console/reports" });
    await page.getByText("There are no reports yet").waitFor();
    expect(await page.getByRole("main").getByRole("time").count()).toBe(2);

    await plant(page, `${service.stack.apiUrl}/openapi.json`);
    await page.goto("/console/reports?kind=compliance");
    await page.getByRole("heading", { name: "Saturday, November 21, 2026" }).waitFor();
    expect(await page.getByRole("heading", { name: "November 16 – 22, 2026" }).count()).toBe(0);
    await page.getByLabel("Show").selectOption("All reports");
    await page.getByRole("heading", { name: "November 16 – 22, 2026" }).waitFor();
    expect(new URL(page.url()).search).toBe("");

    for (const format of ["HTML", "JSON"]) {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: `Download ${format}: Daily` }).click();
      expect((await download).suggestedFilename()).toBe(`compliance-2026-11-21.${format.toLowerCase()}`);
    }
    const popup = page.waitForEvent("popup");
    await page.getByRole("button", { name: "Open: Daily" }).click();
    const tab = await popup;
    await tab.waitForURL(/openapi\.json/);
    expect(await tab.evaluate("window.opener")).toBeNull();
  });

  it("opens no link that is not encrypted, and offers a link if the browser blocks new tabs", async () => {
    const { page } = await open({ organizationId: "console-reports" });
    await plant(page, "javascript:alert(1)");
    await page.getByRole("link", { name: "Reports" }).click();
    await page.getByRole("button", { name: "Open: Daily" }).click();
    await page.getByText("not encrypted, so it is not opened").waitFor();

    await page.unrouteAll();
    await plant(page, `${service.stack.apiUrl}/openapi.json`);
    await page.evaluate("window.open = () => null");
    await page.getByRole("button", { name: "Open: Daily" }).click();
    const link = page.getByRole("link", { name: "Open the report" });
    await link.waitFor();
    expect(await link.getAttribute("rel")).toContain("noopener");
  });
});
