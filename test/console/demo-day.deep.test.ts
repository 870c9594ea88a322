/** The first five minutes of a new user after `npm start`: what happened to the demo organization, and how to stop it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { LocalCloud } from "../../infra/local/cloud/local-cloud.ts";
import { mintToken } from "../../infra/local/commands/mint-token.ts";
import { connectDemo } from "../../infra/local/start/connect-demo.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { type PageBrowser, shareBrowser } from "../support/browser.ts";
import { consoleOrigins } from "../support/console.ts";
import { startTestedCloud } from "../support/tested-cloud.ts";

const dataDirectory = mkdtempSync(join(tmpdir(), "demo-data-"));
let cloud: LocalCloud;
let browser: PageBrowser;
beforeAll(async () => {
  cloud = await startTestedCloud({ assemblyDirectory, dataDirectory, port: 0, log: () => undefined });
  await connectDemo(cloud);
  browser = await shareBrowser(consoleOrigins(cloud));
});
afterAll(async () => {
  await browser.stop();
  await cloud.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
});

it("a new user finds out what happened, and stops the integration, by clicks alone", async () => {
  const { page, complaints } = await browser.open({ path: "/console" });
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign in as ada" }).click();
  const main = page.getByRole("main");

  // The overview says that something is wrong, and where.
  await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
  await main.getByRole("link", { name: "Look at the alerts" }).first().click();
  await main.getByRole("link", { name: /^A call with an invalid or expired token was refused/ }).click();

  // The alert says who, from where, and shows the events.
  await main.getByText("127.0.0.66").first().waitFor();
  await main.getByText("user bob").first().waitFor();
  await main
    .getByRole("link", { name: /^Authentication failure/ })
    .first()
    .click();

  // The event leads to everything else that this user did: the intruder read the records from another address.
  await main.getByRole("heading", { name: "Authentication failure", exact: true }).waitFor();
  await main.getByRole("link", { name: "More of this user" }).click();
  await main.getByText("127.0.0.99").first().waitFor();

  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Overview" }).click();
  await main.getByRole("link", { name: "Stop the integration" }).click();
  const dialog = page.getByRole("dialog", { name: "Stop the integration?" });
  await dialog.getByRole("button", { name: "Stop the integration" }).click();
  await main.getByText("Held open").first().waitFor();

  const claims = { organizationId: "demo", role: "admin", userId: "ada" };
  const { apiUrl = "", issuerUrl } = cloud.stack;
  const answer = await fetch(`${apiUrl}/api/integrations/provider/circuit-breaker`, {
    headers: { authorization: `Bearer ${await mintToken(issuerUrl, claims)}` },
  });
  expect(await answer.json()).toMatchObject({ organizationStats: { state: "open", forced: true, changedBy: "ada" } });
  expect(complaints).toEqual([]);
});
