/** What the console asks of an account that may run ten functions at once, and of a slow network. */
import { expect, it } from "@jest/globals";
import { slowDown, watchLoading } from "../support/console-loading.ts";
import { organizationOf } from "../support/integration.ts";
import { useOwnConsole } from "../support/share-console.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { webhookSender } from "../support/webhook-sender.ts";

const { service, open } = await useOwnConsole({ accountConcurrency: 10 });

const SECRET = "whsec_loading";
const organizationId = "console-loading";

/** Sends webhooks, four at once, until `stop`, which returns the statuses of the answers. */
const startWebhooks = async () => {
  const organization = organizationOf(service, organizationId);
  const account = await simulatedProvider(service).account(2, { seed: organizationId });
  const connection = { method: "api_key", apiKey: account.apiKey, webhookSecret: SECRET };
  expect((await organization.call("PUT", "connection", connection)).status).toBe(200);
  const sender = webhookSender(service, organizationId, SECRET);
  const statuses: number[] = [];
  let isStopped = false;
  const send = async (name: string) => {
    for (let i = 0; !isStopped; i++)
      statuses.push((await sender.send(await sender.customerEvent("created", `cus_${name}_${i}`))).status);
  };
  const senders = Promise.all(["a", "b", "c", "d"].map(send));
  return async () => {
    isStopped = true;
    await senders;
    return statuses;
  };
};

it("loads with at most three requests at once while webhooks and queues run, and without a failure", async () => {
  const stop = await startWebhooks();
  const { page, complaints } = await open({ organizationId });
  await slowDown(page, { isSlow: false });
  const loading = watchLoading(page, service.stack.apiUrl ?? "");
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.getByRole("img", { name: "Events by hour" }).waitFor();
  for (const name of ["Alerts", "Webhooks", "Records", "Events"]) {
    await page.getByRole("link", { name, exact: true }).first().click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  }
  const webhooks = await stop();
  expect(loading.mostAtOnce).toEqual({ files: 3, calls: 3 });
  expect(loading.statuses.filter((status) => status >= 400)).toEqual([]);
  expect(new Set(webhooks)).toEqual(new Set([200]));
  expect(complaints).toEqual([]);
});

it("shows its first words before its styles and scripts, and events after six files and two calls of the API", async () => {
  const { page } = await open({ organizationId }, { path: "/console/events" });
  await page.getByRole("row").nth(1).waitFor();
  await slowDown(page, { isSlow: true });
  // The browser is signed in: the page goes to the issuer, comes back, and loads all of it again.
  await page.goto("about:blank");
  const loading = watchLoading(page, service.stack.apiUrl ?? "");
  await page.goto("/console/events");
  await page.getByRole("row").nth(1).waitFor();
  const paths = loading.paths.slice(loading.paths.lastIndexOf("/console"));
  expect(paths.map((path) => path.replace(/\.\w+(?=\.)/, "")).sort()).toEqual([
    "/api/integrations/provider/me",
    "/api/integrations/provider/security",
    "/console",
    "/console/assets/events-events.js",
    "/console/assets/first.js",
    "/console/assets/main.css",
    "/console/assets/main.js",
    "/console/assets/shared.js",
  ]);
  const [firstPaint = 0, ...files] = await page.evaluate<number[]>(`[
    performance.getEntriesByName("first-contentful-paint")[0].startTime,
    ...performance.getEntriesByType("resource").filter(({ name }) => /main/.test(name)).map((file) => file.responseEnd),
  ]`);
  expect(files.filter((loadedAt) => loadedAt < firstPaint)).toEqual([]);
});

it("starts also if its styles come after its scripts", async () => {
  const { page } = await open({ organizationId });
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await slowDown(page, { isSlow: false });
  await page.route("**/*.css", async (route) => {
    // Time for all scripts that do not wait for the styles.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await route.continue();
  });
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
});

it("asks for what a view shows beside who the user is, if this browser knows the user, and forgets it at the sign-out", async () => {
  const { page } = await open({ organizationId }, { path: "/console/events" });
  const row = page.getByRole("row").nth(1);
  await row.waitFor();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  page.on("request", (request) => request.url().includes("/provider/security?") && ask());
  await page.route("**/provider/me", async (route) => {
    await asked;
    await route.continue();
  });
  await page.reload();
  await row.waitFor();
  // The answer replaces what the browser knew.
  await page.unroute("**/provider/me");
  await page.route("**/provider/me", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), role: "guest", permissions: [] } });
  });
  await page.reload();
  await page.getByText("Your role does not allow this").waitFor();
  const known = () => page.evaluate<string | null>('localStorage.getItem("console.kept.caller")');
  expect(await known()).toContain(organizationId);
  const isBack = page.waitForEvent("load");
  await page.getByRole("button", { name: "Sign out" }).click();
  await isBack;
  expect(await known()).toBeNull();
});
