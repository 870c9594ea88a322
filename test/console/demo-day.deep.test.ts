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

const read = async (path: string): Promise<unknown> => {
  const { apiUrl = "", issuerUrl } = cloud.stack;
  const token = await mintToken(issuerUrl, { organizationId: "demo", role: "admin", userId: "ada" });
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${apiUrl}/api/integrations/provider/${path}`, { headers })).json();
};

it("the demo's key was viewed and a call refused: one alert with evidence from both sides, in order of time", async () => {
  type Found = { rule: string; eventIds: string[]; evidence: { story: { at: number; what: string }[] } };
  const alerts = (await read("security/alert")) as Found[];
  // Single events at or above the threshold have alerts of their own: bob's tokens, the webhook, the refused call and its run.
  const [alert, ...others] = alerts.filter(({ rule }) => rule !== "event_threshold");
  expect([alert?.rule, others]).toEqual(["key_seen_then_refused", []]);
  expect(alert).toMatchObject({ level: "CRITICAL", status: "open", subject: "account", count: 1 });
  const story = alert?.evidence.story ?? [];
  expect(story.map(({ what }) => what)).toEqual(["api_key_viewed", "api_key_updated", "our call was refused"]);
  expect(story.map(({ at }) => at)).toEqual(story.map(({ at }) => at).sort());
  const events = await Promise.all((alert?.eventIds ?? []).map((id) => read(`security/events/${id}`)));
  const entry = { eventType: "PROVIDER_ACCOUNT_ACTIVITY", source: "provider" };
  const actor = expect.objectContaining({ email: "mallory@example.com" });
  expect(events).toHaveLength(3);
  for (const one of [
    { ...entry, action: "api_key_viewed", metadata: expect.objectContaining({ actor }) },
    { ...entry, action: "api_key_updated" },
    { eventType: "AUTHENTICATION_FAILURE", resourceType: "provider_account" },
  ])
    expect(events).toContainEqual(expect.objectContaining(one));
  // The connection stays, and the newest run succeeds.
  expect(await read("connection")).toMatchObject({ status: "connected" });
  const runs = (await read("sync")) as { status: string }[];
  expect(runs.map(({ status }) => status)).toEqual(["succeeded", "failed", "succeeded"]);
});

it("a new user finds out what happened, and stops the integration, by clicks alone", async () => {
  const { page, complaints } = await browser.open({ path: "/console" });
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign in as ada" }).click();
  const main = page.getByRole("main");

  // The overview says that something is wrong, and where.
  await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
  // The overview quotes the gravest alert, which tells what happened at the provider and here.
  await main
    .getByText(/^A key of the account was seen or changed/)
    .first()
    .waitFor();
  await main.getByRole("link", { name: "Look at the alert", exact: true }).first().click();
  await page.getByRole("heading", { name: /^A key of the account was seen or changed/ }).waitFor();
  for (const what of ["API key viewed", "API key updated", "Our call was refused"])
    await main.getByText(what, { exact: true }).first().waitFor();
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Overview" }).click();

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

  expect(await read("circuit-breaker")).toMatchObject({
    organizationStats: { state: "open", forced: true, changedBy: "ada" },
  });
  expect(complaints).toEqual([]);
});
