import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { type PageBrowser, shareBrowser } from "../support/browser.ts";
import { consoleOrigins, openConsole } from "../support/console.ts";
import { organizationOf } from "../support/integration.ts";
import { type Service, shareService } from "../support/service.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";

const organizationId = "console-syncs";

let service: Service;
let browser: PageBrowser;
let ours: ReturnType<typeof organizationOf>;
let provider: ReturnType<typeof simulatedProvider>;
let account: { accountId: string; apiKey: string };
beforeAll(async () => {
  service = await shareService();
  browser = await shareBrowser(consoleOrigins(service));
  ours = organizationOf(service, organizationId);
  provider = simulatedProvider(service);
  account = await provider.account(40, { seed: organizationId });
  await ours.connect(account.apiKey);
  await ours.lastRun();
});
afterEach(() => browser.closePages());
afterAll(() => browser.stop());

describe("syncs in the console", () => {
  it("are started, show their progress and what changed, and can be linked to", async () => {
    await provider.change(account.accountId, { action: "create_customer", fields: { name: "Noa" } });
    const { page, complaints } = await openConsole(browser, { organizationId }, { path: "/console/syncs" });
    const runs = page.getByRole("list", { name: "Runs" }).getByRole("listitem");
    await runs.filter({ hasText: "New connection" }).getByText("Complete", { exact: true }).waitFor();

    await page.getByRole("button", { name: "Start a sync" }).click();
    await page.getByRole("radio", { name: /^Full/ }).check();
    await page.getByRole("button", { name: "Start", exact: true }).click();
    const started = runs.first();
    await started.getByText("Succeeded").waitFor();
    await started.getByText("1 record changed").waitFor();
    const customers = started.getByRole("row", { name: /^Customers/ });
    expect(await customers.getByText("Complete").count()).toBe(1);

    const [run] = await ours.runs();
    expect(run).toMatchObject({ mode: "full", trigger: "manual", status: "succeeded" });
    expect(run?.progress.customers).toMatchObject({ written: 1 });
    expect(new URL(page.url()).searchParams.get("run")).toBe(run?.id);

    await page.reload();
    await page.getByRole("button", { expanded: true }).getByText("1 record changed").waitFor();
    expect(complaints).toEqual([]);
  });
});
