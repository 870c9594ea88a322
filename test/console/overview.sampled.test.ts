import { describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
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
  it("show an organization without a connection only how to connect", async () => {
    const { page } = await open({ organizationId: "console-first-run" });
    await page.getByRole("link", { name: "Connect the provider" }).waitFor();
    expect(await page.getByRole("main").getByRole("heading").allInnerTexts()).toEqual([
      "Overview",
      expect.stringMatching(/^Connect /),
    ]);
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
