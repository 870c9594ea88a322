/** Lists are narrowed by their filters, and keep named views of them. */
import { expect, it } from "@jest/globals";
import { showView } from "../support/console.ts";
import { viewAddresses } from "../support/console-views.ts";
import { answerByExamples } from "../support/example-answers.ts";
import { shareConsole } from "../support/share-console.ts";

const { service, open } = await shareConsole();

const destination = viewAddresses["/console/notifications/:id"]?.[0];

/** Fields of items that pass none of the filters which the console applies itself. */
const others: Readonly<Record<string, object>> = {
  sync: { status: "succeeded" },
  reports: { kind: "compliance" },
  deliveries: { status: "delivered" },
};

const withoutFound = (answer: unknown, path: string): unknown => {
  const fields = others[path.split("/").at(-1) ?? ""];
  return fields !== undefined && Array.isArray(answer) ? answer.map((one) => ({ ...one, ...fields })) : answer;
};

it.each([
  ["/console/syncs", "run=unknown&status=failed", "No run is “failed”"],
  ["/console/webhooks", "setup=open&status=waiting", "Kept in this browser."],
  ["/console/records/invoices", "status=open", "Kept in this browser."],
  ["/console/reports", "kind=review", "There is no weekly security review yet"],
  [`${destination}`, "status=pending", "No delivery of the last 30 days has this status"],
])("%s?%s", async (path, query, text) => {
  const { page, complaints } = await open({ organizationId: "console-saved-views" });
  await answerByExamples(page, withoutFound);
  await showView(page, `${path}?${query}`);
  await page.locator("summary", { hasText: "Save this view" }).click();
  await page.getByText(text).first().waitFor();
  await page.getByLabel("Name of this view").fill("Mine");
  await page.getByRole("button", { name: "Save this view" }).click();
  await showView(page, path);
  await page.getByText("Choose filters to save another view.").waitFor();
  await page.getByRole("link", { name: "Mine" }).click();
  await page.getByLabel("Name of this view").waitFor();
  expect(page.url()).toBe(`${service.stack.apiUrl}${path}?${query.split("&").at(-1)}`);
  expect(complaints).toEqual([]);
});
