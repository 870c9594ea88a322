import { describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { showView } from "../support/console.ts";
import { shareConsole } from "../support/share-console.ts";

const { service, open } = await shareConsole();

const DAY_MS = 86_400_000;
const from = Date.UTC(2026, 10, 16);
/** Reports of a closed period, which the shared service has not made: its clock does not move. */
const planted = [
  { id: "review-2026-11-16", kind: "review", from, to: from + 7 * DAY_MS, createdAt: from + 8 * DAY_MS },
  { id: "compliance-2026-11-21", kind: "compliance", from: from + 5 * DAY_MS, to: from + 6 * DAY_MS, createdAt: from },
];

const review = { reviewedBy: "ada", reviewedAt: from + 9 * DAY_MS };

const plant = async (page: Page, url: string): Promise<void> => {
  await page.route("**/provider/reports?*", (route) => route.fulfill({ json: planted }));
  await page.route("**/provider/reports/*/link", (route) => route.fulfill({ json: { url, expiresAt: from } }));
  await page.route("**/provider/reports/compliance-2026-11-21", (route) =>
    route.fulfill({ body: route.request().headers().accept ?? "", contentType: "text/html" }),
  );
};

/** Reports that can be reviewed. @returns the bodies of the reviews */
const plantReviews = async (page: Page): Promise<unknown[]> => {
  const reviewed = new Set<string>();
  const notes: unknown[] = [];
  await page.route("**/provider/reports?*", (route) => {
    const wanted = new URL(route.request().url()).searchParams.get("reviewed");
    const found = planted.filter(({ id }) => wanted === null || reviewed.has(id) === (wanted === "true"));
    const marked = found.map((one) => (reviewed.has(one.id) ? Object.assign({}, one, review) : one));
    return route.fulfill({ json: marked });
  });
  await page.route("**/provider/reports/*/review", (route) => {
    const id = new URL(route.request().url()).pathname.split("/").at(-2) ?? "";
    reviewed.add(id);
    notes.push(route.request().postDataJSON());
    return route.fulfill({ json: Object.assign({ id, reviews: [] }, review) });
  });
  return notes;
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

  it("lists and counts the reports that nobody has reviewed, and marks one as reviewed by the keyboard alone", async () => {
    const { page, complaints } = await open({ organizationId: "console-reviews" });
    const notes = await plantReviews(page);
    await showView(page, "/console/reports");
    await page.getByText("2 reports are not reviewed.").waitFor();
    await page.getByText("not reviewed yet").first().waitFor();

    await page.getByLabel("Review", { exact: true }).selectOption("Not reviewed");
    expect(new URL(page.url()).search).toBe("?reviewed=false");
    await page.getByRole("button", { name: "Mark as reviewed: Daily" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Mark as reviewed" });
    await dialog.getByLabel("Note (optional)").fill("Asked eve about the refused calls");
    await dialog.getByRole("button", { name: "Mark as reviewed" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("The report is marked as reviewed.").waitFor();
    await page.getByText("1 report is not reviewed.").waitFor();
    await page.getByRole("heading", { name: "Saturday, November 21, 2026" }).waitFor({ state: "detached" });
    expect(notes).toEqual([{ note: "Asked eve about the refused calls" }]);

    await page.getByRole("button", { name: "Mark as reviewed: Weekly" }).click();
    await dialog.getByRole("button", { name: "Mark as reviewed" }).click();
    await page.getByText("There is no report that nobody has reviewed").waitFor();
    expect(await page.getByText(/not reviewed\.$/).count()).toBe(0);
    expect(notes[1]).toEqual({});
    await page.getByLabel("Review", { exact: true }).selectOption("Reviewed");
    await page
      .getByText(/reviewed .* by ada/)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });
});
