/** A fire drill in the console: from the button to the acknowledgement, and where its alert and events are listed. */
import { afterAll, expect, it } from "@jest/globals";
import { failRequests, failure } from "../support/console.ts";
import { organizationOf } from "../support/integration.ts";
import { startListener } from "../support/notification-listener.ts";
import { shareConsole } from "../support/share-console.ts";

const { service, open } = await shareConsole();
const listener = await startListener();
afterAll(() => listener.stop());

it("a drill shows each stage, survives a reload, and is called a drill wherever it is listed", async () => {
  const ours = organizationOf(service, "console-drill");
  await ours.call("POST", "notifications", { type: "webhook", name: "Pager", url: listener.url });
  const { page } = await open(ours, { path: "/console/notifications" });
  await page.getByRole("button", { name: "Hold a drill …" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Hold the drill" }).press("Enter");
  await page.getByText("The drill has succeeded: the alert reached every active destination.").waitFor();
  await page.reload();
  const card = page.getByRole("region", { name: "Fire drill" });
  await card.getByText("Accepted by Pager").waitFor();
  await card.getByText("Not yet").waitFor();

  await card.getByRole("link", { name: "Open its alert" }).click();
  await page.getByText("Drill: nothing has happened", { exact: true }).waitFor();
  await page.getByRole("listitem").getByText("Drill", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Acknowledge" }).click();
  await page.goBack();
  await card.getByText(/^After .* by ada$/).waitFor();

  await page.goto("/console/alerts?status=acknowledged");
  const row = page.getByRole("row", { name: /Drill: / });
  await row.getByText("· drill").waitFor();
  await page.goto("/console/addresses/192.0.2.1");
  const refused = page.getByRole("table", { name: "Refused or failed" });
  await refused.getByText("Drill", { exact: true }).first().waitFor();
});

it("a drill that cannot start says why, and when one can", async () => {
  const { page } = await open({ organizationId: "console-no-drill" }, { path: "/console/notifications" });
  const address = /\/security\/drill$/;
  await failRequests(page, address, { error: 40925, message: "A drill has not ended yet." });
  await page.getByRole("button", { name: "Hold a drill …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Hold the drill" }).click();
  await dialog.getByText("A drill is under way, perhaps one that a colleague").waitFor();

  await page.unroute(address);
  const tooMany = { error: 42902, message: "Ten drills.", headers: { "retry-after": "7260" } };
  await page.route(address, (route) => route.fulfill(failure(tooMany)));
  await dialog.getByRole("button", { name: "Hold the drill" }).click();
  await dialog.getByText(/There were ten drills today.* in 2 hr 1 min\./).waitFor();
  expect(await dialog.getByText("7260").count()).toBe(0);

  await page.goto("/console/notifications?drill=01M8NTYHW9YH18R5PPHT25GJFK");
  await page.getByText("There is no such drill, or it has expired").waitFor();
});
