import { beforeAll, describe, expect, it } from "@jest/globals";
import { organizationOf } from "../support/integration.ts";
import { shareConsole } from "../support/share-console.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";

const organizationId = "console-syncs";

const { service, open } = await shareConsole();
const ours = organizationOf(service, organizationId);
const provider = simulatedProvider(service);
const account = await provider.account(40, { seed: organizationId });
beforeAll(async () => {
  await ours.connect(account.apiKey);
  await ours.lastRun();
});

describe("syncs in the console", () => {
  it("are started, show their progress and what changed, and their records are there", async () => {
    await provider.change(account.accountId, { action: "create_customer", fields: { name: "Noa" } });
    const { page, complaints } = await open({ organizationId }, { path: "/console/syncs" });
    const runs = page.getByRole("list", { name: "Runs" }).getByRole("listitem");
    await runs.filter({ hasText: "New connection" }).getByText("Complete", { exact: true }).waitFor();

    await page.getByRole("button", { name: "Start a sync" }).click();
    await page.getByRole("radio", { name: /^Full/ }).check();
    await page.getByRole("button", { name: "Start", exact: true }).click();
    const started = page.getByRole("button", { expanded: true });
    await started.getByText("1 record changed").waitFor();
    await page.getByRole("row", { name: /^Customers .* Complete$/ }).waitFor();
    const [run] = await ours.runs();
    expect(run).toMatchObject({ mode: "full", trigger: "manual", status: "succeeded" });
    expect(new URL(page.url()).searchParams.get("run")).toBe(run?.id);

    await page.getByRole("link", { name: "Records" }).click();
    await page.getByRole("row", { name: /Noa/ }).getByRole("link").click();
    await page.getByRole("heading", { name: "Customer Noa" }).waitFor();
    await page.getByText("No invoices.").waitFor();
    expect(await ours.records("customers", `id=${new URL(page.url()).pathname.split("/").at(-1)}`)).toMatchObject([
      { name: "Noa" },
    ]);
    expect(complaints).toEqual([]);
  });
});

describe("webhooks in the console", () => {
  it("are set up, and a delivery leads to its record within seconds", async () => {
    const { page, complaints } = await open(
      { organizationId, role: "billing" },
      { path: "/console/webhooks?setup=open" },
    );
    await page.getByText("No webhook has arrived yet").waitFor();
    await page.getByLabel("New signing secret").fill("whsec_console");
    await page.getByRole("button", { name: "Replace the secrets" }).click();
    await page.getByText("The new secrets verify deliveries from now on.").waitFor();
    expect(await page.getByLabel("New signing secret").inputValue()).toBe("");

    const { webhookUrl } = (await ours.call("GET", "connection")).body as { webhookUrl: string };
    await page.getByText(webhookUrl).waitFor();
    await provider.webhooks(account.accountId, { url: webhookUrl, secret: "whsec_console" });
    const { objects } = await provider.change(account.accountId, {
      action: "create_customer",
      fields: { name: "Mia" },
    });
    const delivery = page.getByRole("row", { name: /Customer created/ });
    await delivery.getByText("Applied", { exact: true }).waitFor();
    // The name of the link has the id shortened in the middle.
    await delivery.getByRole("link").click();
    expect(page.url()).toContain(String(objects[0]?.id));
    await page.getByRole("heading", { name: "Customer Mia" }).waitFor();
    const { body } = await ours.call("GET", "webhooks");
    expect(body).toMatchObject([{ status: "applied", changes: [{ id: objects[0]?.id, written: true }] }]);
    expect(complaints).toEqual([]);
  });
});
