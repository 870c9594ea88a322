import { describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { violations } from "../support/accessibility.ts";
import { showView } from "../support/console.ts";
import { deepIt } from "../support/deep-it.ts";
import { organizationOf } from "../support/integration.ts";
import { shareConsole } from "../support/share-console.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";

const { service, open } = await shareConsole();

const connected = async (organizationId: string) => {
  const organization = organizationOf(service, organizationId);
  const provider = simulatedProvider(service);
  const account = await provider.account(2, { seed: organizationId });
  expect((await organization.connect(account.apiKey)).status).toBe(200);
  expect((await organization.lastRun()).status).toBe("succeeded");
  const circuit = async () => {
    const { body } = await organization.call("GET", "circuit-breaker");
    return (body as { organizationStats: Record<string, unknown> }).organizationStats;
  };
  const history = async () =>
    (await organization.call("GET", "circuit-breaker/history")).body as { cause: string; reason?: string }[];
  return { ...organization, ...account, provider, circuit, history };
};

/** Opens another view of the open page, as a link within the console does. */
const follow = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Views" }).getByRole("link", { name }).click();

describe("the overview and the circuit breaker of the console", () => {
  deepIt("lead a new organization through its first steps, and take a mistyped key for no incident", async () => {
    const ours = organizationOf(service, "console-first-run");
    const { page, complaints } = await open(ours);
    await page.getByText("First steps: 0 of 5 done").waitFor();
    expect(await page.getByRole("main").getByRole("heading").allInnerTexts()).toEqual([
      "Overview",
      "Connect Stripe",
      "First steps: 0 of 5 done",
    ]);
    await page.getByRole("img", { name: /All is well/ }).waitFor();

    await page.getByRole("link", { name: "Connect the provider" }).click();
    await page.getByText("Not connected yet").waitFor();
    await page.getByLabel("API key", { exact: true }).last().fill("sk_test_mistyped");
    await page.getByRole("radio", { name: /Leave webhooks/ }).check();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("Check that the key is complete").waitFor();
    await follow(page, "Overview");
    await page.getByText("refused the last API key").waitFor();
    expect(await page.getByText("Act now").count()).toBe(0);
    expect(await violations(page)).toEqual([]);

    const { apiKey } = await simulatedProvider(service).account(1);
    expect((await ours.connect(apiKey)).status).toBe(200);
    await ours.call("GET", "records/customers", undefined, { userId: "bob" });
    await ours.call("PUT", "settings", { ipAllowlist: ["127.0.0.0/8", "::1/128"] });
    await page.reload();
    await page.getByText(/^First steps: [34] of 5 done$/).waitFor();
    expect(await page.getByRole("link", { name: "Add a destination" }).isVisible()).toBe(true);
    expect(await page.getByRole("link", { name: "Set the networks" }).count()).toBe(0);
    await page.getByRole("button", { name: "Hide the first steps" }).click();
    await page.reload();
    await page.getByRole("heading", { name: "Sync" }).waitFor();
    expect(await page.getByText("First steps").count()).toBe(0);
    expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
  });

  deepIt("say what happened, to whom and from where, and claim nothing that a role does not see", async () => {
    const ours = await connected("console-what-happened");
    for (let i = 0; i < 3; i++) await ours.call("GET", "settings", undefined, { role: "guest", userId: "mallory" });
    const { page } = await open(ours);
    const verdict = page.getByRole("status").filter({ hasText: "A call without the needed permission was refused ×3" });
    await verdict.waitFor();
    await page.getByText(/^User mallory, address [\d.:a-f]+, /).waitFor();
    await page.getByText("Patterns over an hour are judged next at").waitFor();
    await page.getByRole("link", { name: "Look at the alert" }).first().click();
    await page.getByRole("heading", { name: "A call without the needed permission was refused" }).waitFor();

    await showView(page, "/console/alerts?status=open&level=HIGH");
    await page.locator("summary", { hasText: "Save this view" }).click();
    await page.getByLabel("Name of this view").fill("High ones");
    await page.getByRole("button", { name: "Save this view" }).click();
    await follow(page, "Alerts");
    await page.getByText("Saved views (1)").waitFor();
    await page.getByRole("link", { name: "High ones" }).click();
    await page.waitForURL(/level=HIGH/);
    expect(await violations(page)).toEqual([]);

    // As if the page had been closed for two hours.
    await page.evaluate(`localStorage.setItem('console.kept.visit ["${ours.organizationId}","ada"]',
      JSON.stringify({ lastAt: Date.now() - 2 * 60 * 60_000 }))`);
    await page.goto("/console");
    const since = page.getByRole("region", { name: "Since you were last here" });
    await since.getByText("2 hours ago").waitFor();
    await since.getByText("1 open alert raised or repeated").waitFor();
    expect(await violations(page)).toEqual([]);

    const billing = await open({ ...ours, role: "billing" });
    await billing.page.getByText("The role billing may not see alerts and security events.").waitFor();
    expect(await billing.page.getByText("All is well").count()).toBe(0);
  });

  deepIt("show that the provider fails, count down to the next try, and see a reset at once", async () => {
    const { provider, accountId, sync, circuit, history } = await connected("console-failing-provider");
    const fault = await provider.fail(accountId, { kind: "error", status: 503 });
    expect((await sync({ mode: "full" })).status).toBe("failed");
    const { page, complaints } = await open({ organizationId: "console-failing-provider" });

    await page.getByText("The circuit breaker is open.", { exact: false }).waitFor();
    const breaker = page.getByRole("region", { name: "Circuit breaker" });
    await breaker.getByRole("timer").waitFor();
    await page.getByRole("list").getByText("The last sync failed", { exact: false }).waitFor();

    await page.getByRole("link", { name: "Open Circuit breaker" }).click();
    await page.getByText("The provider is tried again in").waitFor();
    expect(await page.getByRole("timer").innerText()).toMatch(/^(\d+ sec|a moment)$/);
    await page.getByText("It opened: five requests failed within a minute.").waitFor();
    await page.getByText("It refused 1 sync").click();
    await page.getByText("Full sync. A user started it.").waitFor();

    await provider.recover(fault);
    await page.getByRole("button", { name: "Reset …" }).click();
    await page.getByText("A hold ends at once").waitFor();
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await page.getByText("Requests reach the provider.", { exact: true }).waitFor();
    await page.getByText("You reset it: closed, and the counts began at zero.").waitFor();
    expect(await circuit()).toMatchObject({ state: "closed", forced: false, totalRequests: 0 });
    expect((await history()).map(({ cause }) => cause)).toEqual(["reset", "failures"]);
    expect(complaints).toEqual([]);
  });

  it("stop the integration for a time with a reason, and start it again", async () => {
    const { circuit, history, call } = await connected("console-stop");
    const { page, complaints } = await open({ organizationId: "console-stop" });
    await page.getByText("All is well").waitFor();

    await page.getByRole("link", { name: "Stop the integration" }).click();
    const dialog = page.getByRole("dialog", { name: "Stop the integration?" });
    await dialog.getByLabel("It ends").selectOption({ label: "In 15 minutes" });
    await dialog.getByLabel("Reason").fill("Suspicious calls this morning");
    const text = await dialog.getByRole("list", { name: "What will happen" }).innerText();
    // A time of another day has its date: the fifteen minutes can end after midnight.
    expect(text).toMatch(/No request will reach the provider until (\w+, \w+ \d+, )?\d+:\d\d/);
    expect(text).toContain("Syncs fail at once");
    await page.reload();
    expect(await dialog.getByLabel("Reason").inputValue()).toBe("Suspicious calls this morning");
    await dialog.getByRole("button", { name: "Stop the integration" }).click();
    await page.getByText("The hold ends in").waitFor();
    await page.getByText("You stopped the integration: held open.").waitFor();
    const stopped = await circuit();
    expect(stopped).toMatchObject({
      state: "open",
      forced: true,
      changedBy: "ada",
      reason: "Suspicious calls this morning",
      until: expect.any(Number),
    });
    expect((await call("POST", "sync")).status).toBe(503);

    await follow(page, "Overview");
    await page.getByText("An administrator has stopped the integration.").waitFor();
    await page.getByText("Suspicious calls this morning").waitFor();
    await page.getByRole("link", { name: "Start the integration again" }).click();
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await page.getByText("Requests reach the provider.", { exact: true }).waitFor();
    await follow(page, "Overview");
    await page.getByText("All is well").waitFor();
    expect(await circuit()).toMatchObject({ state: "closed", forced: false });
    expect((await history()).map(({ cause }) => cause)).toEqual(["reset", "force_open"]);
    expect(complaints).toEqual([]);
  });
});
