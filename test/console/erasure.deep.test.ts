import { expect, it } from "@jest/globals";
import { organizationOf } from "../support/integration.ts";
import { shareConsole } from "../support/share-console.ts";

const { service, open } = await shareConsole();

it("the view Erasure erases a user whose id is typed, follows the progress, and shows the proof", async () => {
  const ours = organizationOf(service, "console-erasure");
  await ours.call("GET", "security", undefined, { userId: "leaver-77", role: "guest" });
  const { page } = await open(ours, { path: "/console/erasure" });
  await page.getByText("Nothing has been erased").waitFor();
  const request = page.getByRole("button", { name: "Request erasure …" });
  await request.click();
  await page.getByText("Enter the id of the user whose data is to be erased.").waitFor();
  await page.getByLabel("User id").fill("leaver-77");
  await request.click();

  const dialog = page.getByRole("dialog", { name: "Erase this user’s data?" });
  expect(await dialog.innerText()).toMatch(/cannot be undone[\s\S]*What is removed[\s\S]*What stays/);
  const typed = dialog.getByLabel("Type the user’s id, leaver-77, to confirm");
  const confirm = dialog.getByRole("button", { name: "Erase the user’s data" });
  await typed.fill("leaver-7");
  await confirm.click();
  await dialog.getByText("This is not leaver-77.").waitFor();
  expect((await ours.call("GET", "erasure")).body).toEqual([]);
  await typed.fill("leaver-77");
  await confirm.click();

  await page.getByRole("link", { name: "One user’s data" }).click();
  await page.getByRole("heading", { name: "Proof of erasure" }).waitFor();
  const [erasure] = (await ours.call("GET", "erasure")).body as { id: string; removed: { events: number } }[];
  expect(page.url()).toBe(`${service.stack.apiUrl}/console/erasure/${erasure?.id}`);
  expect(erasure?.removed.events).toBeGreaterThan(0);
  const events = page.getByRole("row", { name: /^Security events emptied/ });
  expect(await events.getByRole("cell").innerText()).toBe(String(erasure?.removed.events));
  expect(await page.getByRole("main").innerText()).not.toContain("leaver-77");

  await page.locator('a[href^="/console/events/"]').click();
  await page.getByText("complete_erasure").first().waitFor();
});
