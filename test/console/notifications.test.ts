import { afterAll, expect, it } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { organizationOf } from "../support/integration.ts";
import { startListener } from "../support/notification-listener.ts";
import { shareConsole } from "../support/share-console.ts";

const { service, open } = await shareConsole();
const listener = await startListener();
afterAll(() => listener.stop());

it("the view Notifications adds a webhook, shows its secret once, and shows how a test arrives", async () => {
  const ours = organizationOf(service, "console-notifications");
  const { page, complaints } = await open(ours, { path: "/console/notifications" });
  await page.getByRole("link", { name: "Webhook", exact: true }).click();
  await page.getByLabel("Name").fill("My listener");
  await page.getByLabel("URL", { exact: true }).fill(`${listener.url}?token=very-secret`);
  await page.getByLabel("Low", { exact: true }).uncheck();
  await page.getByRole("button", { name: "Add the destination" }).click();

  await page.getByRole("heading", { name: "My listener" }).waitFor();
  const secret = await page.getByText(/^whsec_/).innerText();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText(/^Delivered The test message has arrived\. Answer 200 after/).waitFor();
  const [{ body, headers } = { body: "", headers: {} }] = listener.received;
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: "notification.test" });

  const row = page.getByRole("table", { name: "Deliveries" }).getByRole("row", { name: /Test requested by/ });
  expect(await row.innerText()).toMatch(/Delivered[\s\S]*Answer 200[\s\S]*thank you/);
  const { body: destinations } = await ours.call("GET", "notifications");
  expect(destinations).toMatchObject([
    {
      name: "My listener",
      type: "webhook",
      target: listener.url,
      filter: { levels: expect.not.arrayContaining(["LOW"]) },
    },
  ]);

  await page.getByRole("link", { name: "All destinations" }).click();
  await page
    .getByRole("row", { name: /My listener/ })
    .getByText("Active")
    .waitFor();
  await page.getByRole("link", { name: "My listener" }).click();
  await page.getByRole("table", { name: "Deliveries" }).waitFor();
  expect(await page.getByText("whsec_").count()).toBe(0);
  expect(await page.content()).not.toContain("very-secret");

  const second = await ours.call("POST", "notifications", { type: "webhook", name: "Pager", url: listener.url });
  await page.getByRole("button", { name: "Change" }).click();
  await page.getByLabel(/^Escalate:/).check();
  await page.getByLabel("After, in minutes").fill("3");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Type a whole number from 5 to 1440.").waitFor();
  await page.getByLabel("After, in minutes").fill("20");
  await page.getByRole("combobox", { name: "To", exact: true }).selectOption("Pager");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The changes are saved.").waitFor();
  const [changed] = ((await ours.call("GET", "notifications")).body as { name: string }[]).filter(
    ({ name }) => name === "My listener",
  );
  const { id } = second.body as { id: string };
  expect(changed).toMatchObject({ escalate: { levels: ["CRITICAL", "HIGH"], afterMinutes: 20, to: id } });
  await page.getByText("Critical or high, after 20 minutes: to Pager").waitFor();
  expect(complaints).toEqual([]);
});
