/** The view Integrity: what an assessor sees of sealed hours, and how they take the proof with them. */
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import type { Coverage, Export, HourIntegrity, Integrity } from "../../functions/console/app/api/types.ts";
import { failRequests, failure, oppositeScreens, showView } from "../support/console.ts";
import { goTo, mannersOf, mannersOfDialog, walkByTab } from "../support/console-views.ts";
import { shareConsole } from "../support/share-console.ts";

const { open } = await shareConsole();

const user = { organizationId: "console-integrity" };
const path = "/console/integrity";
const INTEGRITY = /\/security\/integrity\?/;

const HOUR = 3_600_000;
const begin = Date.UTC(2026, 10, 20);
const PROBLEM = "The sealed event 01M8NTYHW9YH18R5PPHT25GJFK is not stored.";
const KEY = "plants.eu-central-1.integration-security+1a2b3c4d+AV0fyXK2mR8s6tT4mYwE2J7pQk0Qk9fJm2s1d8uVb3xN";

const hourOf = (i: number): HourIntegrity => {
  const hour = { hour: begin + i * HOUR, count: 10, version: 1, root: "cm9vdA==", checkpoint: i };
  if (i < 3) return { hour: hour.hour, count: 0, version: 0, status: "not_sealed" };
  if (i === 7) return { ...hour, status: "broken", problem: PROBLEM };
  if (i === 9) return { ...hour, status: "expired" };
  if (i === 11 || i === 12) return { ...hour, status: "verified", erased: [{ erasure: "01ERASURE", count: 4 }] };
  return { ...hour, status: "verified" };
};

const found: Integrity = { hours: Array.from({ length: 24 }, (_, i) => hourOf(i)), publicKey: KEY, log: "consistent" };

const COVERAGE = /\/security\/coverage\?/;

const dayOf = (day: string, recorded: number, sealed: number, fed?: number) => {
  const sums = { day, recorded, counted: recorded, sealed, archived: recorded, judgedHours: 22 };
  const notJudged = [
    { hour: Date.parse(day), reason: "no_events" as const },
    { hour: Date.parse(day) + HOUR, reason: "not_judged" as const },
  ];
  return fed === undefined ? { ...sums, notJudged } : { ...sums, notJudged, fed };
};

const coverage: Coverage = {
  // The feed began on the second day.
  days: [dayOf("2026-11-18", 40, 40), dayOf("2026-11-19", 1_200, 1_200, 700), dayOf("2026-11-20", 50, 49, 50)],
  rules: {},
  isWhole: false,
};

const answerWith = async (page: Page, body: Integrity = found, sums: Coverage = coverage) => {
  await page.route(INTEGRITY, (route) => route.fulfill({ json: body }));
  await page.route(COVERAGE, (route) => route.fulfill({ json: sums }));
};

const exported = (status: Export["status"]): Export => ({
  id: "proof",
  kind: "events",
  format: "ndjson",
  proof: true,
  filter: { since: begin + 3 * HOUR, until: begin + 24 * HOUR },
  status,
  requestedAt: begin,
  requestedBy: "ada",
  progress: { items: 210, bytes: 90_000 },
  files:
    status === "completed"
      ? [
          {
            name: "checkpoint.txt",
            count: 1,
            bytes: 200,
            sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            url: "https://bucket.example.com/checkpoint.txt",
            urlExpiresAt: Date.now() + 900_000,
          },
        ]
      : [],
});

describe("the view Integrity", () => {
  it("counts hours by status, and names those that are not verified with their reason", async () => {
    const { page, complaints } = await open(user);
    await answerWith(page);
    await page.getByRole("link", { name: "Integrity" }).click();
    await page.getByText("The evidence does not hold. 1 hour is broken.").waitFor();
    const main = page.getByRole("main");
    for (const count of ["19 hours, 190 sealed events", "1 hour, 10 sealed events", "3 hours, 0 sealed events"])
      await main.getByText(count).first().waitFor();
    await main.getByText("Consistent: its newest checkpoint signs all of it.").waitFor();

    const rows = page.getByRole("table", { name: "Hours that are not verified" }).getByRole("row");
    const texts = (await rows.allInnerTexts()).slice(1);
    expect(texts).toHaveLength(3);
    expect(texts[0]).toMatch(/Expired[\s\S]*no archive holds it/);
    expect(texts[1]).toContain(PROBLEM);
    expect(texts[2]).toMatch(/3 hours[\s\S]*Not sealed/);
    expect(await page.getByRole("list", { name: "Erased events" }).innerText()).toMatch(/^8 events in 2 hours/);
    expect(await page.getByRole("link", { name: "01ERASURE" }).getAttribute("href")).toBe("/console/erasure/01ERASURE");
    expect(complaints).toEqual([]);
  });

  it("has the key, the program and an export with proof of the sealed hours", async () => {
    const { page } = await open(user);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await answerWith(page);
    let [body, reads]: [unknown, number] = [undefined, 0];
    await page.route(/\/security\/exports$/, (route) => {
      body = route.request().postDataJSON();
      return route.fulfill({ status: 202, json: exported("requested") });
    });
    await page.route(/\/security\/exports\/proof$/, (route) =>
      route.fulfill({ json: exported(++reads < 2 ? "running" : "completed") }),
    );
    await showView(page, path);
    await page.getByRole("button", { name: "Copy: The public key" }).click();
    await page.getByText("The public key is in the clipboard.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(KEY);

    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download verify.mjs" }).click();
    const program = await text(await (await download).createReadStream());
    expect(program).toBe(readFileSync("docs/verify.mjs", "utf8"));

    await page.getByRole("button", { name: "Export with proof …" }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("21 hours").waitFor();
    await dialog.getByRole("button", { name: "Start the export" }).press("Enter");
    await dialog.getByRole("heading", { name: "Events as NDJSON, with proof" }).waitFor();
    await dialog.getByRole("link", { name: "Download checkpoint.txt" }).waitFor();
    expect(body).toEqual({ format: "ndjson", proof: true, since: begin + 3 * HOUR, until: begin + 24 * HOUR });
  });

  it("asks for the hours of the chosen period, and says in a sentence why the service refuses one", async () => {
    const { page } = await open(user);
    const asked: number[] = [];
    await page.route(INTEGRITY, (route) => {
      const { searchParams } = new URL(route.request().url());
      const hours = (Number(searchParams.get("until")) - Number(searchParams.get("since"))) / HOUR;
      asked.push(hours);
      const message = "until: expected at most 31 days after since";
      return hours > 744 ? route.fulfill(failure({ error: 40004, message })) : route.fulfill({ json: found });
    });
    await showView(page, path);
    await page.getByText("The evidence does not hold.").waitFor();
    await page.getByRole("button", { name: "7 days" }).press("Enter");
    await page.getByText("The evidence does not hold.").waitFor();
    expect(asked).toEqual([24, 168]);

    await showView(page, `${path}?since=2026-09-01T00:30:00Z&until=2026-11-20T00:00:00Z`);
    const refused = page.getByRole("alert");
    await refused.getByText("until: expected at most 31 days after since").waitFor();
    await refused.getByText("Choose other times: whole hours, at most 31 days").waitFor();
    expect(asked[2]).toBe(80 * 24);
    await page.getByRole("button", { name: "24 hours" }).press("Enter");
    await refused.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Check again" }).waitFor();

    await page.unroute(INTEGRITY);
    await failRequests(page, INTEGRITY);
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByText("The store does not answer.").waitFor();
    // What was found before stays.
    await page.getByText("The evidence does not hold.").waitFor();
  });

  it("names the days of a month whose sums differ, and says in one line that a month is whole", async () => {
    const { page } = await open(user);
    await answerWith(page);
    await showView(page, `${path}?month=2026-11`);
    await page.getByText("The sums of 1 day differ.").waitFor();
    await page.getByText("3 hours with events are not judged by detection.").waitFor();
    const rows = page.getByRole("table", { name: "Days that are not whole" }).getByRole("row");
    expect((await rows.allInnerTexts()).slice(1).map((row) => row.split(/\s+/))).toEqual([
      ["2026-11-20", "50", "50", "49", "50", "50"],
    ]);
    const alerts = page.getByRole("link", { name: "The alerts name the first hour" });
    expect(await alerts.getAttribute("href")).toBe("/console/alerts?rule=evidence_incomplete");

    await page.unroute(COVERAGE);
    const asked: (string | null)[] = [];
    await page.route(COVERAGE, (route) => {
      asked.push(new URL(route.request().url()).searchParams.get("month"));
      return route.fulfill({ json: Object.assign({}, coverage, { isWhole: true }) });
    });
    const months = page.getByLabel("Month");
    const chosen = (await months.locator("option").nth(1).getAttribute("value")) ?? "";
    await months.selectOption(chosen);
    await page.getByText("On 3 days, as many events are counted, sealed and archived as were recorded.").waitFor();
    expect(await page.getByRole("table", { name: "Days that are not whole" }).count()).toBe(0);
    expect([asked, new URL(page.url()).searchParams.get("month")]).toEqual([[chosen], chosen]);

    await page.unroute(COVERAGE);
    await failRequests(page, COVERAGE, { error: 40004, message: "month: expected a month, such as 2026-11" });
    await showView(page, `${path}?month=november`);
    await page.getByRole("alert").getByText("month: expected a month").waitFor();
    // The hours above do not depend on the month.
    await page.getByText("The evidence does not hold.").waitFor();
  });

  it("says that nothing is sealed yet, and offers no proof, as the service answers at first", async () => {
    const { page } = await open({ organizationId: "console-integrity-new" }, { path });
    await page.getByText("No hour of this period is sealed.").waitFor();
    await page.getByText("24 hours, 0 sealed events").waitFor();
    await page.getByText("Each day is summed in the night after it. None is yet.").waitFor();
    expect(await page.getByRole("button", { name: "Export with proof …" }).count()).toBe(0);
  });

  it("is for those who may read security events", async () => {
    const { page } = await open({ organizationId: user.organizationId, role: "member", userId: "mo" }, { path });
    await page.getByText("Your role does not allow this").waitFor();
    expect(await page.getByRole("link", { name: "Integrity" }).count()).toBe(0);
  });

  it.each(oppositeScreens)("keeps its manners at $width px, $scheme", async (screen) => {
    const { page } = await open(user, screen);
    await answerWith(page);
    await goTo(page, path);
    expect(await mannersOf(page)).toEqual([]);
    expect(await walkByTab(page)).toEqual([]);
    await page.getByRole("button", { name: "Export with proof …" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await mannersOfDialog(page)).toEqual([]);
  });
});
