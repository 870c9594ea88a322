import { expect, it } from "@jest/globals";
import type { SecurityEvent } from "../../shared/security/security-event.ts";
import { shareConsole } from "../support/share-console.ts";

const organizationId = "console-events";
const SECURITY = "/api/integrations/provider/security";
const HEADING = { level: 1 } as const;

const { service, open } = await shareConsole();
const admin = await service.mint({ organizationId, userId: "ada", role: "admin" });
const guest = await service.mint({ organizationId, userId: "eve", role: "guest" });

/** A refusal, which leaves an event of the user eve. */
const refuse = async () => {
  const { status } = await service.request("GET", "/api/integrations/provider/settings", { token: guest });
  expect(status).toBe(403);
};

const eventsOf = async (query: string): Promise<SecurityEvent[]> => {
  const { body } = await service.request("GET", `${SECURITY}?${query}`, { token: admin });
  return (body as { events: SecurityEvent[] }).events;
};

it("lets an administrator find a refusal by filters, open it, mark it as processed and go back", async () => {
  await refuse();
  await refuse();
  const body = JSON.stringify({ recordAccess: { member: ["invoices"], guest: [] } });
  await service.request("PUT", "/api/integrations/provider/settings", { token: admin, body });
  const { page, complaints, foreignRequests } = await open(
    { organizationId },
    { path: "/console/events", width: 1_280 },
  );
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("link", { name: "Settings changed" }).waitFor();

  // The rows before stay until those of another period are there.
  const { promise: held, resolve: answerNow } = Promise.withResolvers<void>();
  await page.route(/\/provider\/security\?/, (route) => held.then(() => route.continue()), { times: 1 });
  await page.getByRole("button", { name: "7 days" }).click();
  const before = page.locator("table[aria-busy=true]");
  await before.getByRole("link", { name: "Settings changed" }).waitFor();
  answerNow();
  await before.waitFor({ state: "detached" });
  await page.keyboard.press("f");
  await page.getByLabel("Type", { exact: true }).selectOption("Permission denied");
  await page.getByLabel("User", { exact: true }).fill("eve");
  await page.keyboard.press("Enter");
  await page.waitForURL(/userId=eve/);
  expect(new URL(page.url()).search).toBe("?period=7d&eventType=PERMISSION_DENIED&userId=eve");
  const refusals = page.getByRole("row").getByRole("link", { name: "Permission denied" });
  await page.getByRole("link", { name: "Settings changed" }).waitFor({ state: "detached" });
  await refusals.nth(1).waitFor();
  expect(await refusals.count()).toBe(2);
  expect(await page.locator(".events-numbers").innerText()).toMatch(/^Events\s+2\s+High risk\s+2\s+Failed\s+100/);

  const chart = page.getByRole("figure", { name: "Events by day (UTC)" });
  await chart.getByText("Numbers").click();
  expect(await chart.getByRole("row").last().innerText()).toMatch(/in part\s+2\s+2$/);
  await chart.getByText("Numbers").click();

  const [newest, other] = await eventsOf("eventType=PERMISSION_DENIED");
  await refusals.first().click();
  await page.getByRole("heading", { ...HEADING, name: "Permission denied" }).waitFor();
  await page.getByText("A caller was refused because of a missing permission").waitFor();
  const facts = await page.getByRole("main").innerText();
  expect(facts).toContain(newest?.resource);
  expect(facts).toContain("127.0.0.1");
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("is in the clipboard").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
    `curl --header "Authorization: Bearer $TOKEN" '${service.stack.apiUrl}${SECURITY}/events/${newest?.id}'`,
  );
  await page.getByRole("button", { name: "Mark as processed" }).click();
  await page.getByText("The event is marked as processed.").waitFor();
  expect((await eventsOf("processed=true")).map(({ id }) => id)).toEqual([newest?.id]);

  await page.getByRole("button", { name: "Back to the events" }).click();
  await page.waitForURL(/\?period=7d&eventType=PERMISSION_DENIED&userId=eve$/);
  await page.getByRole("heading", { ...HEADING, name: "Events" }).waitFor();
  expect(await page.evaluate(`document.activeElement.closest("tr").dataset.event`)).toBe(newest?.id);
  expect(await page.getByRole("row").nth(1).innerText()).toContain("Processed");
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Mark as processed" }).click();
  await page.getByRole("checkbox").waitFor({ state: "detached" });
  await page.getByText("The event is marked as processed.").nth(1).waitFor();
  expect((await eventsOf("processed=true")).map(({ id }) => id)).toEqual([newest?.id, other?.id]);

  await page.getByRole("button", { name: "Remove the filter User: eve" }).click();
  await page.waitForURL((url) => !url.searchParams.has("userId"));
  await page.goBack();
  await page.waitForURL(/userId=eve/);

  await page.getByRole("switch", { name: "Live tail" }).click();
  await refuse();
  await refusals.nth(2).waitFor();
  expect(complaints).toEqual([]);
  expect(foreignRequests()).toEqual([]);
});
