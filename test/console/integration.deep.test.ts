/** The states of the views Syncs, Webhooks and Records, and what attackers may write into their fields. */
import { describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { recordTypes } from "../../shared/records/record.ts";
import { ATTACKS } from "../shared/reports/hostile.ts";
import { violations } from "../support/accessibility.ts";
import { failRequests, failure, REQUEST_ID, screens, showView } from "../support/console.ts";
import { expectAccessible, shareConsole } from "../support/share-console.ts";

const user = { organizationId: "console-integration-deep" };
const at = Date.UTC(2026, 10, 16);

const { service, browser, open } = await shareConsole();

const SYNC = /\/provider\/sync(\?|$)/;
const WEBHOOKS = /\/provider\/webhooks(\?|$)/;
const RECORDS = /\/provider\/records\//;

const answer = (page: Page, path: RegExp, json: unknown) => page.route(path, (route) => route.fulfill({ json }));

const nothing = { read: 0, written: 0 };
const both = { listed: 3, stored: 3, onlyListed: [], onlyStored: [] };
const run = (id: string, more: object) => ({
  id,
  trigger: "manual",
  mode: "full",
  status: "succeeded",
  startedAt: at,
  finishedAt: at + 4_000,
  progress: { ...Object.fromEntries(recordTypes.map((type) => [type, nothing])), customers: { read: 3, written: 2 } },
  ...more,
});
const runs = (text: string) => [
  run("running", { status: "running", finishedAt: undefined }),
  run("failed", { status: "failed", error: { category: "authorization", message: text } }),
  run("differs", {
    healed: 2,
    setAside: 1,
    completeness: {
      customers: { ...both, listed: 4, setAside: 1, onlyListed: [text], onlyStored: [`${text} `] },
      subscriptions: both,
      invoices: both,
      payments: both,
    },
  }),
];

const delivery = (id: string, status: string, text: string, more: object = {}) => ({
  id: `${status} ${id}`,
  type: text,
  status,
  receivedAt: at + 3_600_000,
  createdAt: at,
  attempts: 10,
  error: text,
  changes: [{ type: "customers", id: text, written: status === "applied" }],
  ...more,
});
const deliveries = (text: string) =>
  ["applied", "waiting", "failed", "set_aside", "ignored"].map((status) => delivery("1", status, text));

const record = (type: string, text: string) => ({
  id: text,
  type,
  createdAt: at,
  updatedAt: at,
  deleted: false,
  currency: text,
  status: text,
  customerId: text,
  name: text,
  email: text,
  delinquent: true,
  number: text,
  subscriptionId: text,
  invoiceId: text,
  amountDue: 1_250,
  amountPaid: 0,
  amount: 1_250,
  amountReceived: 0,
  failureCode: text,
  reason: text,
  failureReason: text,
  paymentId: text,
  evidenceDueAt: at,
  dueAt: at,
  paidAt: null,
  items: [{ priceId: text, quantity: 2, unitAmount: 1_000, interval: text }],
  canceledAt: null,
  currentPeriodStart: at,
  currentPeriodEnd: at,
  cancelAtPeriodEnd: true,
});
const deleted = (type: string) => ({ id: "gone", type, createdAt: 0, updatedAt: at, deleted: true });

describe.each(screens)("on a screen of $width pixels, $scheme", (view) => {
  it("the states without content are accessible and fit", async () => {
    const { page } = await open(user, { path: "/console/syncs", ...view });
    await page.getByText("Nothing has been synced yet").waitFor();
    await page.route(/\/circuit-breaker$/, (route) =>
      route.fulfill({ json: { organizationStats: { state: "open", forced: true, until: null } } }),
    );
    await page.getByRole("button", { name: "Start a sync" }).click();
    // Who starts a run knows first that it will fail.
    await page.getByRole("dialog").getByText("A run that starts now fails.").waitFor();
    await expectAccessible(page, "start");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("link", { name: "Open Connection" }).last().waitFor();
    await expectAccessible(page, "start without a connection");
    await page.getByRole("button", { name: "Cancel" }).click();
    await showView(page, "/console/webhooks?setup=open");
    await page.getByText("No webhook has arrived yet").waitFor();
    await expectAccessible(page, "no deliveries");
    await showView(page, "/console/webhooks?status=forged");
    await page.getByText("No forged delivery").waitFor();
    await expectAccessible(page, "no forged deliveries");
    await showView(page, "/console/records/invoices?status=paid");
    await page.getByText("No invoices match the filters").waitFor();
    await expectAccessible(page, "no records");
    await showView(page, "/console/records/invoices/in_unknown");
    await page.getByText("There is no such invoice here").waitFor();
    await expectAccessible(page, "no record");

    for (const path of [SYNC, WEBHOOKS, RECORDS]) await failRequests(page, path, { headers: { "retry-after": "30" } });
    for (const path of ["/console/syncs", "/console/webhooks?status=failed", "/console/records/payments"]) {
      await showView(page, path);
      await page.getByText(REQUEST_ID).waitFor();
      await page.getByRole("button", { name: "Try again" }).waitFor();
      await expectAccessible(page, `${path} fails`);
    }
  });

  it("hostile texts are texts in each view", async () => {
    for (const [index, text] of ATTACKS.entries()) {
      // One screen for all texts and four screens for one: a full product would take minutes.
      if (index > 0 && view !== screens[3]) break;
      const { page, complaints } = await open(user, { path: "/console/nowhere", ...view });
      await answer(page, SYNC, runs(text));
      await answer(page, WEBHOOKS, deliveries(text));
      await page.route(RECORDS, (route) => {
        const type = new URL(route.request().url()).pathname.split("/").at(-1) ?? "";
        return route.fulfill({ json: [record(type, text), deleted(type)] });
      });
      for (const [path, shown] of [
        ["/console/syncs?run=failed", "Give the key the permissions"],
        ["/console/syncs?run=differs", "at the provider only"],
        ["/console/webhooks", "10 tries"],
        ["/console/records/customers", "Delinquent"],
        ["/console/records/subscriptions", "then it is cancelled"],
        ["/console/records/invoices", "Deleted"],
        ["/console/records/payments", "Deleted"],
        ["/console/records/payments/pi_1", "Received"],
        ["/console/customers/cus_1", "Due by"],
      ] as const) {
        await showView(page, path);
        await page.getByRole("main").getByText(shown).first().waitFor();
        await expectAccessible(page, `${path} ${text}`);
        expect(await page.locator("main :is(img, svg, script)").count()).toBe(0);
      }
      expect(await page.title()).not.toBe("owned");
      expect(complaints).toEqual([]);
      await browser.closePages();
    }
  });
});

it("a replay that the service refuses is taken back", async () => {
  const { page } = await open(user, { path: "/console/nowhere" });
  await answer(page, WEBHOOKS, [delivery("1", "failed", "customer.updated")]);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/replay$/, async (route) => {
    await released;
    await route.fulfill(failure({ error: 40908, message: "No." }));
  });
  await showView(page, "/console/webhooks?status=failed");
  const row = page.getByRole("row", { name: /Customer updated/ });
  await row.getByRole("button", { name: "Replay" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Replay" }).click();
  await row.getByText("Waiting").waitFor();
  const readAgain = page.waitForResponse(WEBHOOKS);
  await page.getByRole("button", { name: "Refresh" }).click();
  await readAgain;
  // What was read before the service has decided does not undo what the page expects.
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
  expect(await row.getByText("Waiting").count()).toBe(1);
  release();
  await page.getByText("was not replayed. No.").waitFor();
  await page.getByText(REQUEST_ID).waitFor();
  await row.getByText("Failed", { exact: true }).waitFor();
});

it("a member sees which records the role may not read, and no button that the role may not use", async () => {
  const { page } = await open({ ...user, role: "member" }, { path: "/console/syncs" });
  await page.getByText("Nothing has been synced yet").waitFor();
  expect(await page.getByRole("button", { name: "Start a sync" }).count()).toBe(0);
  await page.getByText("The role member may not start a sync or replay a delivery.").waitFor();
  await showView(page, "/console/webhooks?status=forged");
  await page.getByText("Your role does not allow this").waitFor();
  await answer(page, WEBHOOKS, [delivery("evt_1", "failed", "customer.updated")]);
  await showView(page, "/console/webhooks");
  await page.getByText("The role member may not start a sync or replay a delivery.").waitFor();
  expect(await page.getByRole("button", { name: /Replay/ }).count()).toBe(0);
  await showView(page, "/console/records");
  await page.getByText("Your role does not allow this").waitFor();

  const token = await service.mint({ ...user, role: "admin", userId: "ada" });
  const body = JSON.stringify({ recordAccess: { member: ["invoices"] } });
  await service.request("PUT", "/api/integrations/provider/settings", { token, body });
  await page.reload();
  await page.getByText("No invoices are stored").waitFor();
  await showView(page, "/console/customers/cus_1");
  await page.getByText("may not read subscriptions").waitFor();
  await page.getByText("No invoices.").waitFor();
  expect(await violations(page)).toEqual([]);
});
