/** What an administrator does with destinations in the console. */
import { afterAll, expect, it } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { organizationOf } from "../support/integration.ts";
import { startListener } from "../support/notification-listener.ts";
import { shareConsole } from "../support/share-console.ts";

const { service, open } = await shareConsole();
const listener = await startListener();
afterAll(() => listener.stop());

it("a destination is rolled, changed, paused, resumed, retried and deleted", async () => {
  const ours = organizationOf(service, "console-destination-life");
  const created = await ours.call("POST", "notifications", { type: "webhook", name: "Receiver", url: listener.url });
  const { id, secret: first } = created.body as { id: string; secret: string };
  const { page, complaints } = await open(ours, { path: `/console/notifications/${id}` });
  const confirm = (name: string) => page.getByRole("dialog").getByRole("button", { name }).click();

  await page.getByRole("button", { name: "Roll the secret" }).click();
  await confirm("Roll the secret");
  const second = await page.getByText(/^whsec_/).innerText();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("The test message has arrived.").waitFor();
  const [{ body, headers } = { body: "", headers: {} }] = listener.received;
  for (const secret of [first, second]) new Webhook(secret).verify(body, headers);

  listener.answer(503);
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText(/The test message has not arrived yet\. Answer 503 .* The next try is/).waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await confirm("Pause");
  await page.getByText("A user paused it.").waitFor();
  expect(await page.getByRole("button", { name: "Send a test" }).count()).toBe(0);
  await page.getByText("The destination was paused.", { exact: false }).first().waitFor();

  listener.answer(200);
  await page.getByRole("button", { name: "Resume" }).click();
  await confirm("Resume");
  await page.getByRole("button", { name: "Send again: Test" }).click();
  await page.getByText("The test message has arrived.").waitFor();

  await page.getByRole("button", { name: "Change" }).click();
  await page.getByLabel("Name").fill("Renamed");
  await page.getByRole("radio", { name: /^Hourly summary/ }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Renamed" }).waitFor();
  expect((await ours.call("GET", "notifications")).body).toMatchObject([
    { id, name: "Renamed", status: "active", target: listener.url, digest: { every: "hour" } },
  ]);

  await page.getByRole("button", { name: "Delete" }).click();
  await confirm("Delete");
  await page.getByText("Nothing is sent yet").waitFor();
  expect((await ours.call("GET", "notifications")).body).toEqual([]);
  expect(complaints).toEqual([]);
});

it("an e-mail address waits to be confirmed, and the link can be sent again", async () => {
  const ours = organizationOf(service, "console-email-destination");
  const { page } = await open(ours, { path: "/console/notifications/new?type=email" });
  await page.getByLabel("Name").fill("Security team");
  await page.getByLabel("E-mail address").fill("security@example.com");
  await page.getByLabel("Weekly security review").check();
  await page.getByRole("button", { name: "Add the destination" }).click();
  await page.getByText("Open the link in the message that was sent to security@example.com.").waitFor();
  expect(await page.getByRole("button", { name: "Send a test" }).count()).toBe(0);
  await page.getByRole("cell", { name: "Delivered" }).waitFor();
  await page.getByRole("button", { name: "Send the link again" }).click();
  await page.getByText("A message with a link was sent to security@example.com. Another").waitFor();
});
