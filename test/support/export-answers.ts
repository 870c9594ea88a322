/** Answers of the endpoints of exports in every state that the console shows, for tests of its views. */
import type { Page } from "playwright-core";
import type { Export } from "../../functions/console/app/api/types.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const file = (name: string, count: number) => ({
  name,
  count,
  bytes: count * 412,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
});

/** Exports in each state, newest first. */
export const exportsInAllStates = (now: number): Export[] => {
  const common = { requestedBy: "ada", files: [], progress: { items: 0, bytes: 0 } };
  const filter = { since: now - 7 * DAY, until: now };
  return [
    { ...common, id: "requested", kind: "events", format: "ocsf", filter, status: "requested", requestedAt: now },
    {
      ...common,
      id: "running",
      kind: "events",
      format: "csv",
      status: "running",
      requestedAt: now - 60 * SECOND,
      filter: { ...filter, riskLevel: "HIGH", success: false },
      progress: { items: 341_000, bytes: 140_800_000 },
    },
    {
      ...common,
      id: "completed",
      kind: "organization",
      status: "completed",
      requestedAt: now - HOUR,
      completedAt: now - HOUR + 90 * SECOND,
      expiresAt: now + 6 * DAY,
      progress: { items: 12_407, bytes: 5_111_684 },
      files: [file("events.ndjson", 9_000), file("records-invoices.ndjson", 3_400), file("manifest.json", 7)],
    },
    {
      ...common,
      id: "failed",
      kind: "events",
      format: "ndjson",
      filter,
      status: "failed",
      requestedAt: now - 2 * DAY,
      error: { code: "too_slow", message: "The export took longer than 20 hours. Export a shorter period." },
    },
    {
      ...common,
      id: "deleted",
      kind: "events",
      format: "ndjson",
      filter,
      status: "deleted",
      requestedAt: now - 10 * DAY,
      completedAt: now - 10 * DAY,
      expiresAt: now - 3 * DAY,
      progress: { items: 120, bytes: 49_440 },
    },
  ];
};

/** Answers the page's requests to these endpoints. @param change makes other answers of them */
export const answerExportsInAllStates = async (page: Page, change: (body: unknown) => unknown = (body) => body) => {
  const now = Date.now();
  const withLinks = (one: Export): Export => ({
    ...one,
    files: one.files.map((each) => ({
      ...each,
      url: `https://bucket.example.com/${each.name}`,
      urlExpiresAt: now + 900 * SECOND,
    })),
  });
  await page.route(/\/security\/exports(\?|$)/, (route) => route.fulfill({ json: change(exportsInAllStates(now)) }));
  await page.route(/\/security\/exports\/[^?]+$/, (route) => {
    const found = exportsInAllStates(now).find(({ id }) => route.request().url().endsWith(`/${id}`));
    return found === undefined
      ? route.fulfill({ status: 404, json: { error: 40400, message: "There is no such export." } })
      : route.fulfill({ json: change(withLinks(found)) });
  });
};
