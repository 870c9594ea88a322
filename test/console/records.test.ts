/** Who looks for the unpaid invoices of a customer, and what a German browser and a failing refresh show. */
import { beforeAll, expect, it } from "@jest/globals";
import { failRequests } from "../support/console.ts";
import { answerByExamples } from "../support/example-answers.ts";
import { organizationOf } from "../support/integration.ts";
import { shareConsole } from "../support/share-console.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";

const organizationId = "console-records";
const { service, open } = await shareConsole();
const ours = organizationOf(service, organizationId);
beforeAll(async () => {
  const account = await simulatedProvider(service).account(200, { seed: organizationId });
  await ours.connect(account.apiKey);
  await ours.lastRun();
});

const INVOICES = /\/records\/invoices\?/;

it("the unpaid invoices of a customer are found by the customer's name, also when a refresh fails", async () => {
  const unpaid = new Set((await ours.records("invoices", "status=open&limit=1000")).map((one) => one.customerId));
  const customer = (await ours.records("customers", "limit=1000")).find(
    ({ id, name }) => name !== null && unpaid.has(id),
  );
  const [customerId, name] = [String(customer?.id), String(customer?.name)];
  const { page, complaints } = await open({ organizationId }, { path: "/console/records/invoices" });

  await page.getByLabel("Status").selectOption({ label: "Unpaid (open)" });
  await page.waitForURL(/status=open/);
  const field = page.getByLabel("Customer");
  await field.pressSequentially(name.slice(0, -1));

  await page.locator(`datalist option[value="${name} · ${customerId}"]`).waitFor({ state: "attached" });

  await field.fill(`${name} · ${customerId}`);
  await page.waitForURL(new RegExp(`customerId=${customerId}`));
  const mine = await ours.records("invoices", `customerId=${customerId}&limit=1000`);
  const unpaidOnes = mine.filter(({ status }) => status === "open");
  const rows = page.getByRole("table", { name: "Invoices" }).getByRole("row");
  await rows.nth(unpaidOnes.length + 1).waitFor({ state: "detached" });
  expect(await rows.count()).toBe(unpaidOnes.length + 1);

  // The error of a refresh is above the rows, wherever the user has scrolled to.
  await failRequests(page, INVOICES);
  await page.setViewportSize({ width: 1_100, height: 300 });
  await page.getByRole("button", { name: "Refresh" }).click();
  const problem = page.getByText("The store does not answer.");
  await problem.waitFor();
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  const { y = -1 } = (await problem.boundingBox()) ?? {};
  expect(y).toBeGreaterThanOrEqual(0);
  expect(y).toBeLessThan(300);
  await page.unroute(INVOICES);
  await page.getByRole("button", { name: "Try again" }).click();
  await problem.waitFor({ state: "detached" });
  complaints.length = 0;

  // A row has the customer's name, which leads to all that is known of the customer.
  await page.setViewportSize({ width: 1_100, height: 900 });
  await rows.getByRole("link", { name, exact: true }).first().click();
  await page.getByRole("heading", { name: `Customer ${name}` }).waitFor();
  await page.getByText(new RegExp(`in ${unpaidOnes.length} open invoice`)).waitFor();
  const all = page.getByRole("table", { name: "Invoices" }).getByRole("row");
  await all.nth(mine.length).waitFor();
  await page.getByRole("button", { name: "Open only" }).click();
  await page.waitForURL(/invoices=open/);
  await all.nth(unpaidOnes.length + 1).waitFor({ state: "detached" });
  await all.nth(unpaidOnes.length).waitFor();
  expect(await all.count()).toBe(unpaidOnes.length + 1);
  expect(complaints).toEqual([]);
});

it("a German browser has German dates and numbers, and English words", async () => {
  const { page } = await open({ organizationId: "console-german" }, { locale: "de-DE" });
  const hourAgo = Date.now() - 3_600_000;
  await answerByExamples(page, (body, path) =>
    path.endsWith("/sync") && Array.isArray(body)
      ? body.map((run) => Object.assign({}, run, { startedAt: hourAgo, finishedAt: hourAgo }))
      : body,
  );
  await page.getByRole("link", { name: "Syncs", exact: true }).click();
  const runs = page.getByRole("list", { name: "Runs" });
  await runs.getByText(/ ago$/).first().waitFor();
  expect(await runs.innerText()).not.toMatch(/vor|Sek|Std/);
  await page.getByRole("link", { name: "Records", exact: true }).click();
  await page
    .getByRole("cell", { name: "16.11.2026" })
    .or(page.getByText(/^\d\d\.\d\d\.20\d\d$/))
    .first()
    .waitFor();
});
