/** States of the views Overview and Circuit breaker: both themes, small screens, roles, failures, hostile texts. */
import { describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { ATTACKS } from "../shared/reports/hostile.ts";
import { type ConsoleUser, failRequests, failure, REQUEST_ID, screens, showView } from "../support/console.ts";
import { organizationOf } from "../support/integration.ts";
import { expectAccessible, useOwnConsole } from "../support/share-console.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";

const BREAKER = "/console/circuit-breaker";

const { service, browser, open } = await useOwnConsole();

const organizationWithAccount = async (organizationId: string) => {
  const organization = organizationOf(service, organizationId);
  const account = await simulatedProvider(service).account(2, { seed: organizationId });
  expect((await organization.connect(account.apiKey)).status).toBe(200);
  expect((await organization.lastRun()).status).toBe("succeeded");
  return { ...organization, ...account };
};

/** Opens a view in both themes and widths, waits for a text, and checks it. */
const checkEverywhere = async (user: ConsoleUser, path: string, use: (page: Page) => Promise<void>): Promise<void> => {
  for (const view of screens) {
    const { page } = await open(user, { path, ...view });
    await use(page);
    await expectAccessible(page);
    await browser.closePages();
  }
};

describe("the overview", () => {
  it("is accessible before the first connection, to an administrator and to a member", async () => {
    const organizationId = "overview-empty";
    await checkEverywhere({ organizationId }, "/console", (page) =>
      page.getByRole("link", { name: "Connect the provider" }).waitFor(),
    );
    const { page } = await open({ organizationId, role: "member" });
    await page.getByText("Ask an administrator of your organization to connect it.").waitFor();
    await expectAccessible(page);
  });

  it("is accessible when all is well and when much is wrong, in each period", async () => {
    const organizationId = "overview-full";
    const { accountId, sync, call } = await organizationWithAccount(organizationId);
    await checkEverywhere({ organizationId }, "/console", async (page) => {
      await page.getByText("All is well: nothing needs your attention.").waitFor();
      await page.getByText("No events in the period before").first().waitFor();
    });
    for (const riskLevel of ["LOW", "MEDIUM", "HIGH", "CRITICAL"])
      await call("POST", "security/alert", { action: "generate_alert", title: riskLevel, riskLevel });
    const provider = simulatedProvider(service);
    const fault = await provider.fail(accountId, { kind: "error", status: 503 });
    await sync({ mode: "full" });
    await provider.recover(fault);
    for (const [period, text] of [
      ["24h", "Events by hour"],
      ["7d", "Events by day (UTC)"],
      ["90d", "No earlier data"],
    ])
      await checkEverywhere({ organizationId }, `/console?period=${period}`, async (page) => {
        await page.getByText("Not well", { exact: true }).waitFor();
        await page
          .getByText(text ?? "")
          .first()
          .waitFor();
        await page
          .getByRole("figure", { name: /^Events by/ })
          .getByText("Numbers")
          .click();
        await page.getByRole("columnheader", { name: "Failed" }).waitFor();
      });
    await call("POST", "circuit-breaker", { action: "reset" });
  });

  it("does not move its parts on a phone when it learns what else needs attention", async () => {
    const organizationId = "overview-still";
    const { accountId, sync, call } = await organizationWithAccount(organizationId);
    await call("POST", "security/alert", { action: "generate_alert", title: "Look", riskLevel: "HIGH" });
    const fault = await simulatedProvider(service).fail(accountId, { kind: "error", status: 503 });
    await sync({ mode: "full" });
    await simulatedProvider(service).recover(fault);
    const { page } = await open({ organizationId }, { path: "/console/settings", width: 390 });
    await page.evaluate(`localStorage.setItem("console.kept.firstSteps ${organizationId}", "hidden")`);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(/provider\/(sync|security)/, async (route) => {
      await released;
      await route.continue();
    });
    await showView(page, "/console");
    const card = page.getByRole("heading", { name: "Connection", exact: true });
    await card.waitFor();
    const before = await card.boundingBox();
    release();
    await page.getByText(/^Also needs attention: \d/).click();
    await page.getByText("The last sync failed").waitFor();
    await page.getByText(/^Also needs attention: \d/).click();
    expect(await card.boundingBox()).toEqual(before);
    await expectAccessible(page);
    await call("POST", "circuit-breaker", { action: "reset" });
  });

  it("keeps the choice of a period in the address", async () => {
    await organizationWithAccount("overview-period");
    const { page } = await open({ organizationId: "overview-period" });
    await page.getByRole("button", { name: "7 days" }).click();
    await page.getByRole("heading", { name: "Activity in 7 days" }).waitFor();
    expect(new URL(page.url()).search).toBe("?period=7d");
    await page.goBack();
    await page.getByRole("heading", { name: "Activity in 24 hours" }).waitFor();
    await page.goForward();
    await page.getByRole("heading", { name: "Activity in 7 days" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Activity in 7 days" }).waitFor();
  });

  it("refreshes itself with at most five requests, and leaves out what a role may not see", async () => {
    const organizationId = "overview-roles";
    await organizationWithAccount(organizationId);
    const { page, requests } = await open({ organizationId, role: "billing" });
    await page.getByText("The role billing may not see alerts").waitFor();
    await page.getByRole("heading", { name: "Sync" }).waitFor();
    expect(await page.getByRole("heading", { name: "Open alerts" }).count()).toBe(0);
    expect(await page.getByText("Stop the integration").count()).toBe(0);
    expect(requests.filter((url) => url.includes("/security"))).toEqual([]);
    await expectAccessible(page);
    await browser.closePages();

    const admin = await open({ organizationId });
    await admin.page.clock.install();
    await admin.page.reload();
    await admin.page.getByText("All is well").waitFor();
    await admin.page.getByText("No events in the period before").first().waitFor();
    await admin.page.getByText("Payments by day (UTC)").first().waitFor();
    const before = admin.requests.length;
    const refreshed = admin.page.waitForResponse(/\/security\?/);
    await admin.page.clock.runFor(16_000);
    await refreshed;
    const api = admin.requests.slice(before).filter((url) => url.includes("/api/"));
    expect(api.length).toBeLessThanOrEqual(5);
    expect(await admin.page.getByText("All is well").isVisible()).toBe(true);
  });

  it("counts money by day beside what is expected, for roles that may read payments", async () => {
    const organizationId = "overview-money";
    await organizationWithAccount(organizationId);
    const { page } = await open({ organizationId, role: "billing" });
    const chart = page.getByRole("figure", { name: "Payments by day (UTC)" });
    await chart.getByText("Numbers").click();
    expect(await chart.getByRole("row").count()).toBe(15);
    expect(await chart.getByRole("columnheader").allInnerTexts()).toEqual([
      "Time",
      "Payments",
      "Failed",
      "Failed, expected",
      "Refunds",
      "Refunds, expected",
      "Disputes",
      "Fraud warnings",
    ]);
    await expectAccessible(page);
    const member = await open({ organizationId, role: "member" });
    await member.page.getByRole("heading", { name: "Sync" }).waitFor();
    expect(await member.page.getByText("Money in 14 days").count()).toBe(0);
    expect(member.requests.filter((url) => url.includes("/money"))).toEqual([]);
  });

  it("keeps the last answers below an error with the request id, and tries again", async () => {
    const organizationId = "overview-errors";
    await organizationWithAccount(organizationId);
    await checkEverywhere({ organizationId }, "/console/settings", async (page) => {
      await page.getByRole("heading", { name: "Settings" }).waitFor();
      await failRequests(page, "**/api/integrations/provider/**");
      await page.evaluate("document.querySelector('a[href=\"/console\"]').click()");
      await page.getByText(REQUEST_ID).first().waitFor();
      await page.getByText("The state of the integration is not known.").waitFor();
    });
    const { page } = await open({ organizationId });
    await page.getByText("All is well").waitFor();
    await failRequests(page, "**/provider/circuit-breaker");
    await page.getByRole("link", { name: "Details" }).first().click();
    await page.goBack();
    await page.getByText("What is below may be out of date.").waitFor();
    await page.getByText("All is well").waitFor();
    await page.unroute("**/provider/circuit-breaker");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("What is below may be out of date.").waitFor({ state: "detached" });
  });
});

it("an open page raises no alert against its user when the clock is moved", async () => {
  const organizationId = "overview-clock";
  const { events } = await organizationWithAccount(organizationId);
  const { page } = await open({ organizationId });
  await page.getByText("All is well").waitFor();
  await service.advance(70 * 60_000);
  await page.getByRole("link", { name: "Syncs", exact: true }).click();
  await page.getByRole("list", { name: "Runs" }).waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("heading", { name: "Sync" }).waitFor();
  expect(await events("eventType=AUTHENTICATION_FAILURE")).toEqual([]);
});

describe("the circuit breaker", () => {
  it("closes in front of the user as time passes and the provider works again", async () => {
    const organizationId = "breaker-recovery";
    const { accountId, sync, call } = await organizationWithAccount(organizationId);
    const provider = simulatedProvider(service);
    const fault = await provider.fail(accountId, { kind: "error", status: 503 });
    await sync({ mode: "full" });
    await provider.recover(fault);
    const { page } = await open({ organizationId }, { path: BREAKER });
    await page.getByText("The provider is tried again in").waitFor();
    await service.advance(31_000);
    await page.getByText("Two successes close the circuit.").waitFor();
    expect((await sync({ mode: "full" })).status).toBe("succeeded");
    await page.getByText("It closed: two test requests succeeded.").waitFor();
    await page.getByText("Requests reach the provider.", { exact: true }).waitFor();
    const { body } = await call("GET", "circuit-breaker");
    expect(body).toMatchObject({ organizationStats: { state: "closed" } });
  });

  it("is accessible in each state, with its dialogs and what it refused", async () => {
    const organizationId = "breaker-states";
    const { accountId, sync, call } = await organizationWithAccount(organizationId);
    await checkEverywhere({ organizationId }, BREAKER, (page) =>
      page.getByText("The circuit breaker has never changed.").waitFor(),
    );
    const provider = simulatedProvider(service);
    const fault = await provider.fail(accountId, { kind: "error", status: 503 });
    await sync({ mode: "full" });
    await provider.recover(fault);
    await call("POST", "circuit-breaker", { action: "force_open", reason: "Maintenance" });
    await checkEverywhere({ organizationId }, BREAKER, async (page) => {
      await page.getByText("It refused 1 sync").click();
      await page.getByText("A user started it.").waitFor();
      await page.getByText("Loading the refused requests").waitFor({ state: "detached" });
    });
    for (const action of ["force_open", "force_close", "reset"])
      await checkEverywhere({ organizationId }, `${BREAKER}?action=${action}`, (page) =>
        page.getByRole("list", { name: "What will happen" }).waitFor(),
      );
    await call("POST", "circuit-breaker", { action: "reset" });
  });

  it("offers no action to a role that may not act, also by the address", async () => {
    const { page } = await open(
      { organizationId: "breaker-member", role: "member" },
      { path: `${BREAKER}?action=force_open` },
    );
    await page.getByText("may not stop the integration or reset the circuit breaker").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
    await expectAccessible(page);
  });

  it("says in the dialog that an action failed, keeps the reason, and acts once when it is sent again", async () => {
    const organizationId = "breaker-failure";
    const { call } = await organizationWithAccount(organizationId);
    const { page } = await open({ organizationId }, { path: `${BREAKER}?action=force_open` });
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("It ends").selectOption({ label: "When an administrator resets it" });
    await dialog.getByLabel("Reason").fill("An answer is lost");
    let keys: (string | undefined)[] = [];
    await page.route("**/provider/circuit-breaker", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      keys = [...keys, route.request().headers()["idempotency-key"]];
      if (keys.length > 1) return route.continue();
      // The service acts, and its answer is lost.
      await route.fetch();
      return route.fulfill(failure());
    });
    await dialog.getByRole("button", { name: "Stop the integration" }).click();
    await dialog.getByText(REQUEST_ID).waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Stop the integration" }).click();
    await page.getByText("You stopped the integration: held open.").waitFor();
    expect(new Set(keys).size).toBe(1);
    const { body } = await call("GET", "circuit-breaker/history");
    expect(body).toEqual([expect.objectContaining({ cause: "force_open", reason: "An answer is lost" })]);
    await call("POST", "circuit-breaker", { action: "reset" });
  });

  it("shows hostile texts as texts", async () => {
    const organizationId = "breaker-hostile";
    const userId = "<img/src=x/onerror=document.title='owned'>";
    const { call } = await organizationWithAccount(organizationId);
    const reasons = ATTACKS.filter((attack) => attack.isWellFormed());
    for (const [index, reason] of reasons.entries())
      expect(
        await call(
          "POST",
          "circuit-breaker",
          { action: index % 2 === 0 ? "force_open" : "force_close", reason },
          { userId },
        ),
      ).toMatchObject({ status: 200 });
    for (const path of ["/console", BREAKER]) {
      const { page, complaints, foreignRequests } = await open({ organizationId }, { path, width: 320 });
      await page.getByText(userId, { exact: false }).first().waitFor();
      if (path === BREAKER) {
        await page.getByText("Loading the history").waitFor({ state: "hidden" });
        const text = await page.getByRole("main").innerText();
        for (const attack of reasons.filter((one) => /^[\x20-\x7e]+$/.test(one))) expect(text).toContain(attack);
      }
      await expectAccessible(page);
      expect(await page.title()).not.toContain("owned");
      expect(complaints).toEqual([]);
      expect(foreignRequests()).toEqual([]);
      await browser.closePages();
    }
  });
});
