/** What an administrator sees of a mute from the click on an alert to its end, with the service's clock moved on. */
import { expect, it } from "@jest/globals";
import type { Alert, Mute } from "../../.build/console/openapi.d.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { useOwnConsole } from "../support/share-console.ts";
import { useReceivers } from "../support/use-service.ts";

/** The ends of mutes are looked for every few minutes. */
const SOON = 5 * 60_000;

const { service, open } = await useOwnConsole();
const startReceiver = useReceivers();

type Sent = { type: string; data: { reason?: string; total?: number; alert?: { rule: string } } };

it("an alert is muted until tomorrow by clicks, tomorrow comes, and one summary arrives", async () => {
  const ours = organizationOf(service, "console-muted");
  const receiver = await startReceiver();
  await ours.call("POST", "notifications", { type: "webhook", name: "SOC", url: receiver.url });
  const sent = () => receiver.received.map(({ body }) => JSON.parse(body) as Sent);
  const raise = (title: string) =>
    ours.call("POST", "security/alert", { action: "generate_alert", title, riskLevel: "MEDIUM" });
  const { id } = ((await raise("The first alert")).body as { alert: Alert }).alert;
  await eventually("the first alert is sent", async () => sent().length === 1);

  const { page, complaints } = await open(ours, { path: `/console/alerts/${id}` });
  await page.getByRole("button", { name: "Mute …" }).click();
  await page.getByRole("button", { name: "Show what this would have done" }).click();
  await page.getByText("It would have changed nothing.").waitFor();
  await page.getByLabel("Reason").fill("Until the morning shift");
  await page.getByRole("button", { name: "Mute", exact: true }).click();
  await page.getByText("No alert so far.").waitFor();
  for (let i = 0; i < 7; i++) await raise(`Alert ${i}`);
  const [mute] = (await ours.call("GET", "mutes")).body as Mute[];
  await eventually("seven notifications are withheld", async () => {
    const { hidden } = (await ours.call("GET", `mutes/${mute?.id}`)).body as Mute;
    return hidden.notifications === 7;
  });
  expect(sent()).toHaveLength(1);

  // An open page would ask with a token that has expired meanwhile.
  const address = page.url();
  await page.goto("about:blank");
  await service.advance((mute?.until ?? 0) - Date.now() + SOON);
  const summary = await eventually("the summary arrives", async () =>
    sent().find(({ data }) => data.reason === "mute_ended"),
  );
  expect(summary).toMatchObject({ type: "security.alerts.summary", data: { total: 7 } });
  expect(sent()).toHaveLength(2);
  await page.goto(address);
  await page.getByText("Ended", { exact: true }).first().waitFor();
  await page.getByRole("link", { name: "Alert 6" }).waitFor();
  expect(await page.getByRole("main").innerText()).toMatch(/Medium alerts\s+7\s+Notifications not sent\s+7/);
  expect(complaints).toEqual([]);
}, 240_000);
