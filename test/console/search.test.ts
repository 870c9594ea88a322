import { expect, it } from "@jest/globals";
import { organizationOf } from "../support/integration.ts";
import { expectAccessible, shareConsole } from "../support/share-console.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";

const { service, open } = await shareConsole();

it("the search leads from every view to a user, an address and a customer, by keys alone", async () => {
  const ours = organizationOf(service, "console-search");
  const { apiKey } = await simulatedProvider(service).account(5);
  await ours.connect(apiKey);
  await ours.lastRun();
  const customers = (await ours.records("customers")) as { id: string; deleted: boolean; name?: string }[];
  const customer = customers.find(({ name }) => (name?.length ?? 0) > 4);
  const mallory = { userId: "mallory", role: "guest" };
  for (let i = 0; i < 3; i++) await ours.call("PUT", "settings", {}, mallory);

  const { page, complaints } = await open(ours, { path: "/console/connection" });
  const main = page.getByRole("main");
  const search = page.getByRole("dialog", { name: "Search" });
  /** What is typed before the field has the focus is lost. */
  const openBy = async (key: string) => {
    await page.keyboard.press(key);
    await search.locator("input:focus").waitFor();
  };
  await openBy("Control+k");
  await page.keyboard.type("m");
  expect(await search.getByRole("link").count()).toBe(0);
  await page.keyboard.type("allory");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "mallory", level: 1 }).waitFor();
  await main.getByRole("link", { name: /tried to change the circuit breaker or the settings/ }).waitFor();
  await main.getByRole("table", { name: "Refused or failed" }).getByRole("link").nth(2).waitFor();
  await main.getByText("First seen").first().waitFor();
  expect(await main.innerText()).toMatch(/First seen[\s\S]*Last seen[\s\S]*Events\s+3[\s\S]*Failed\s+100/);
  await main.getByRole("link", { name: "127.0.0.1", exact: true }).click();
  await page.getByRole("heading", { name: "127.0.0.1", level: 1 }).waitFor();
  await main.getByRole("link", { name: "mallory", exact: true }).waitFor();

  await openBy("/");
  await page.keyboard.type(customer?.name?.slice(0, -1).toUpperCase() ?? "");
  await search
    .getByRole("link", { name: customer?.name ?? "" })
    .first()
    .waitFor();
  await expectAccessible(page, "results");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: customer?.name ?? "", level: 1 }).waitFor();

  await openBy("/");
  await page.keyboard.type("nobody-has-this-id");
  await search.getByText("Nothing is found.").waitFor();
  await page.keyboard.press("Escape");
  await search.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});
