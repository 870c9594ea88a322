/** The lists at the widths of screens: no word is broken, and no row is wider than the page. */
import { expect, it } from "@jest/globals";
import { brokenWords } from "../support/broken-words.ts";
import { goTo, viewAddresses } from "../support/console-views.ts";
import { answerByExamples, exampleAnswer } from "../support/example-answers.ts";
import { shareConsole } from "../support/share-console.ts";

const { open } = await shareConsole();

/** The provider's longest words, and ids and names as long as they come. */
const STATUSES = ["open", "draft", "requires_payment_method", "incomplete_expired", "uncollectible", "paid"];
const NAMES = ["Wilhelmina Papadopoulos-Vandenberghe", "Ng", "The Nordlicht Photovoltaics Cooperative Society"];
const RECORDS = /\/records\/(\w+)$/;

const longRecords = (type: string) => {
  const [record] = exampleAnswer("GET", `/api/integrations/provider/records/${type}`) as Record<string, unknown>[];
  return STATUSES.map((status, i) => {
    const name = NAMES[i % NAMES.length] ?? "";
    const longer = {
      id: `${record?.id}${"qX7"[i % 3]}${i}`,
      status,
      name,
      email: `${name.replaceAll(" ", ".")}@example.com`,
    };
    return {
      ...record,
      ...longer,
      currency: "eur",
      dueAt: 1_795_326_166_000,
      delinquent: i === 0,
      amountDue: 123_456_789,
    };
  });
};

const lists = [
  "/console/alerts",
  "/console/events",
  "/console/syncs",
  "/console/webhooks",
  "/console/webhooks?status=forged",
  ...(viewAddresses["/console/records/:type?"] ?? []),
  ...(viewAddresses["/console/customers/:id"] ?? []),
  ...(viewAddresses["/console/notifications/:id"] ?? []),
  "/console/notifications",
  "/console/reports",
  "/console/exports",
  "/console/erasure",
  "/console/circuit-breaker",
];

/** In CSS pixels: a wide and a small computer, a screen of 1,440 pixels at 200 %, and a phone. */
const WIDTHS = [1_440, 1_024, 720, 390];

it("every list fits into each screen, with each word, badge and head in one line", async () => {
  const { page } = await open({ organizationId: "console-lists" });
  await answerByExamples(page, (body, path) => {
    const [, type] = RECORDS.exec(path) ?? [];
    return type === undefined ? body : longRecords(type);
  });
  const found: [string, string[]][] = [];
  for (const address of lists) {
    await goTo(page, address);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      found.push([`${address} at ${width} px`, await brokenWords(page)]);
    }
  }
  expect(found.filter(([, complaints]) => complaints.length > 0)).toEqual([]);
});
