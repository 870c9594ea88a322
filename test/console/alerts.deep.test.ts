import { describe, expect, it } from "@jest/globals";
import type { Page, Route } from "playwright-core";
import { ATTACKS } from "../shared/reports/hostile.ts";
import { violations } from "../support/accessibility.ts";
import type { View } from "../support/browser.ts";
import { showView } from "../support/console.ts";
import { viewAddresses } from "../support/console-views.ts";
import { answerByExamples } from "../support/example-answers.ts";
import { shareConsole } from "../support/share-console.ts";

const ALERT = "/api/integrations/provider/security/alert";

const { service, open } = await shareConsole();

const views: [string, View][] = [
  ["light", { width: 1_280 }],
  ["dark", { width: 1_280, scheme: "dark" }],
  ["small", { width: 320, height: 700, scheme: "dark" }],
];

/** Alerts in which each text from outside is an attack. Page by page, as the API answers them. */
const hostileAlerts = ATTACKS.map((attack, i) => ({
  id: `id-${i}-${attack}`,
  title: attack,
  level: ["LOW", "MEDIUM", "HIGH", "CRITICAL"][i % 4],
  rule: attack,
  subject: `user:${attack}`,
  status: i % 2 === 0 ? "open" : "acknowledged",
  count: 1 + i,
  message: attack,
  firstSeen: Date.now() - i * 3_600_000,
  lastSeen: Date.now(),
  eventIds: [attack],
  assignee: attack,
  evidence: { count: 3, [attack]: [attack] },
  metadata: { [attack]: { [attack]: attack } },
  comments: 1,
  revision: 1,
}));
const hostileHistory = ATTACKS.flatMap((attack) => [
  { change: "commented", at: Date.now(), by: attack, text: attack },
  { change: "assigned", at: Date.now(), by: attack, assignee: attack },
]);

const failure = { error: 50301, message: "The service is temporarily unavailable." };

/** Answers reads of alerts in place of the service. */
const answerReads = async (page: Page) => {
  const answers = { mode: "failing" as "failing" | "hostile" | "empty" };
  const fulfil = (route: Route, status: number, body: unknown) =>
    route.fulfill({
      status,
      contentType: "application/json",
      headers: { "x-request-id": "req-4711" },
      body: JSON.stringify(body),
    });
  await page.route(`**${ALERT}**`, (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    if (answers.mode === "failing") return fulfil(route, 503, failure);
    if (answers.mode === "empty") return fulfil(route, 200, []);
    if (pathname.endsWith("/alert")) {
      const status = searchParams.get("status");
      return fulfil(
        route,
        200,
        hostileAlerts.filter((alert) => alert.status === status),
      );
    }
    const id = decodeURIComponent(pathname.split("/").at(-1) ?? "");
    const alert = hostileAlerts.find((one) => one.id === id);
    return alert === undefined
      ? fulfil(route, 404, { error: 40405, message: "There is no such alert." })
      : fulfil(route, 200, { ...alert, history: hostileHistory });
  });
  return answers;
};

describe.each(views)("the states of the view, %s", (_, view) => {
  it("are accessible, fit the screen, and show hostile texts as texts", async () => {
    const { page, complaints } = await open({ organizationId: "alert-states" }, view);
    const answers = await answerReads(page);
    const check = async (state: string) => {
      expect({ state, violations: await violations(page) }).toEqual({ state, violations: [] });
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      expect(await page.title()).not.toBe("owned");
    };
    const main = page.getByRole("main");
    const openFromMenu = async () => {
      if (!(await page.getByRole("link", { name: "Alerts", exact: true }).isVisible()))
        await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("link", { name: "Alerts", exact: true }).click();
    };

    await openFromMenu();
    await page.getByText("req-4711").waitFor();
    await check("error");

    answers.mode = "hostile";
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText(`${ATTACKS.length} alerts shown`).waitFor();
    const shown = await main.innerText();
    for (const attack of ATTACKS.slice(0, 7)) expect(shown).toContain(attack);
    await check("list");
    await page.getByLabel("Select all shown").check();
    await check("selection");
    await page.keyboard.press("r");
    await page.getByRole("button", { name: "Cancel" }).waitFor();
    await check("confirmation");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Assign …" }).click();
    await page.getByLabel("User id").fill("a b");
    await page.getByRole("button", { name: "Assign", exact: true }).click();
    await page.getByText("Enter the user’s id, without spaces.").waitFor();
    await check("assignment");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByText("Acknowledge the selected alerts, or the alert").waitFor();
    await check("keys");
    await page.keyboard.press("Escape");
    // While a dialog is open, keys do nothing.
    await page.getByRole("dialog").waitFor({ state: "hidden" });

    await page.keyboard.press("j");
    // The selection may have left the focus on another row: Enter opens the one that has it.
    await main.locator("tr a:focus").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "History" }).waitFor();
    await page
      .getByText("This event has expired, or was erased.")
      .or(page.getByText("It could not be read."))
      .first()
      .waitFor();
    expect(await main.innerText()).toContain("<script>document.title='owned'</script>");
    await check("alert");
    answers.mode = "empty";
    await page.keyboard.press("u");
    await page.getByText("All clear: no alert needs you").waitFor();
    await check("empty");
    await page.getByRole("button", { name: "Raise an alert" }).click();
    await page.getByRole("button", { name: "Raise the alert" }).click();
    await page.getByText("Write what happened.").waitFor();
    await check("raising");
    // The browser reports failed requests.
    expect(complaints.filter((text) => !/^Failed to load resource/.test(text))).toEqual([]);
  });
});

it("leaves the focus where the user has gone since a dialog was closed", async () => {
  const { page } = await open({ organizationId: "alert-focus" }, { path: "/console/alerts" });
  await page.getByRole("heading", { name: "Alerts" }).waitFor();
  await page.keyboard.press("?");
  await page.locator("dialog[open]").waitFor();
  // The browser tells the page later that it has closed the dialog.
  await page.evaluate(`document.querySelector("dialog").close(); document.querySelector(".brand").focus();`);
  await page.locator("dialog").waitFor({ state: "detached" });
  expect(await page.evaluate("document.activeElement.className")).toBe("brand");
});

it("is explained to a role that may not see alerts", async () => {
  const { page } = await open({ organizationId: "alert-states", role: "billing" }, { path: "/console/alerts" });
  await page.getByText("Your role does not allow this").waitFor();
  expect(await violations(page)).toEqual([]);
});

describe("triage", () => {
  const start = async (organizationId: string, users: readonly string[], path = "/console/alerts") => {
    for (const userId of users) {
      const token = await service.mint({ organizationId, userId, role: "guest" });
      await service.request("GET", "/api/integrations/provider/security", { token });
    }
    const token = await service.mint({ organizationId, userId: "other" });
    const change = (body: object) => service.request("POST", ALERT, { token, body: JSON.stringify(body) });
    const list = async (query = "") =>
      (await service.request("GET", `${ALERT}${query}`, { token })).body as { id: string; subject: string }[];
    const { page } = await open({ organizationId }, { path });
    const row = (user: string) => page.getByRole("row", { name: new RegExp(`User ${user}\\b`) });
    return { page, row, change, list };
  };

  it("shows a change at once, and takes it back with the reason if it fails", async () => {
    const { page, row, list } = await start("alert-rollback", ["eve", "bob"]);
    await row("eve").waitFor();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(`**${ALERT}`, async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      await released;
      return route.fulfill({ status: 503, json: failure, headers: { "x-request-id": "req-4712" } });
    });
    await row("eve").getByRole("link").focus();
    await page.keyboard.press("a");
    await row("eve").getByText("Acknowledged").waitFor();
    await page.keyboard.press("r");
    await row("eve").waitFor({ state: "detached" });
    // The keys go on with the row that took its place.
    expect(await row("bob").getByRole("link").evaluate("document.activeElement.textContent")).toContain("refused");
    release();
    await row("eve").getByText("Open", { exact: true }).waitFor();
    const status = page.getByRole("status").filter({ hasText: "req-4712" });
    expect(await status.innerText()).toMatch(/could not be resolved\. The change was taken back\./);
    expect(await list("?status=open")).toHaveLength(2);
  });

  it("says which alerts somebody else had resolved", async () => {
    const { page, row, change, list } = await start("alert-race", ["eve", "bob"]);
    await row("eve").waitFor();
    await page.getByLabel("Select all shown").check();
    await change({ action: "resolve", alertIds: [(await list())[0]?.id] });
    await page.keyboard.press("r");
    await page.getByRole("button", { name: "Resolve 2 alerts" }).click();
    await page.getByText("1 alert is resolved. 1 alert was resolved by somebody else before.").waitFor();
  });

  it("keeps filters and search in the address, and selects a range", async () => {
    const { page, row } = await start("alert-filters", ["eve", "bob", "carol"]);
    await row("eve").waitFor();
    await page.keyboard.press("f");
    await page.keyboard.type("carol");
    await row("eve").waitFor({ state: "detached" });
    expect(page.url()).toContain("q=carol");
    await page.reload();
    await page.getByText("1 alert shown").waitFor();
    await page.getByLabel("Search").fill("");
    await row("bob").waitFor();
    await page.getByLabel("Level").selectOption("Low");
    await page.getByText("No alert matches the filters").waitFor();
    await page.goBack();
    await row("bob").waitFor();
    const boxes = page.getByRole("checkbox", { name: /^Select A call/ });
    await boxes.first().click();
    await boxes.last().click({ modifiers: ["Shift"] });
    await page.getByText("3 alerts selected").waitFor();
    await page.getByRole("button", { name: "Assign to me" }).click();
    await page.getByText("3 alerts are assigned to ada.").waitFor();
    await page.getByLabel("Assigned to").selectOption("Me");
    await page.getByText("3 alerts shown").waitFor();
  });

  it("raises an alert about an event, once, and keeps what was written over a reload", async () => {
    const { page, list } = await start("alert-by-hand", ["eve"], "/console/events");
    await page.getByRole("link", { name: "Permission denied" }).click();
    await page.getByRole("link", { name: "Open its alert" }).click();
    await page.getByRole("button", { name: "Resolve" }).click();
    await page.getByText("1 alert is resolved.").waitFor();
    await page
      .getByRole("region", { name: /^Events/ })
      .getByRole("link", { name: "Permission denied" })
      .click();
    await page.getByRole("button", { name: "Raise an alert" }).click();
    await page.getByLabel("Title").fill("Eve again");
    await page.getByRole("radio", { name: /^Critical/ }).check();
    await page.reload();
    expect(await page.getByLabel("Title").inputValue()).toBe("Eve again");
    await page.getByRole("button", { name: "Raise the alert" }).click();
    await page.getByRole("heading", { name: "Eve again", level: 1 }).waitFor();
    await page
      .getByRole("region", { name: /^Events/ })
      .getByRole("link", { name: "Permission denied" })
      .waitFor();
    expect(await list("?status=open")).toMatchObject([
      { title: "Eve again", level: "CRITICAL", eventIds: [expect.any(String)] },
    ]);
  });
});

it.each([
  [9, 0],
  [16, 1],
])(
  "an alert of %d events shows the older ones by id only if they are more than the next five",
  async (count, lists) => {
    const { page } = await open({ organizationId: "console-alert-events" });
    await answerByExamples(page, (answer, path) =>
      /\/security\/alert\/[^/]+$/.test(path)
        ? { ...answer, eventIds: Array.from({ length: count }, (_, i) => `01M8NTYA5CVAH32ZB64BFHB7${10 + i}`) }
        : answer,
    );
    await showView(page, `${viewAddresses["/console/alerts/:id"]}`);
    await page.getByRole("button", { name: count === 9 ? "Show 4 more" : "Show 5 more" }).waitFor();
    expect(await page.getByText(/^\d+ older events? by id$/).count()).toBe(lists);
  },
);
