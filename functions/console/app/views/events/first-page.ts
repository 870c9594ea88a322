/**
 * The first page of a selection of events. The start of the console may ask for it while the view's files are still on their
 * way: on a slow network they take longer than the answer.
 */
import { api, page } from "../../api/client.ts";
import { forgetWithAnswers } from "../../api/resource.ts";
import { serviceNow } from "../../words/clock.ts";
import { type Chosen, type EventQuery, intervalOf, keyOf, LIST_PATH, queryOf } from "./query.ts";

/** Small, so that it comes soon. */
const LIMIT = 50;

/** The query of a selection, with the counts of its chart. @param now epoch milliseconds */
const chartedQuery = (chosen: Chosen, now: number): EventQuery => {
  const query = queryOf(chosen, now);
  const interval = intervalOf(query, now);
  return interval === undefined ? query : { ...query, interval };
};

const load = async (chosen: Chosen, signal?: AbortSignal) => {
  const query = chartedQuery(chosen, serviceNow());
  const params = { query: { ...query, limit: LIMIT } };
  const { items: report, next } = await page(api.GET(LIST_PATH, { params, ...(signal && { signal }) }));
  return { query, report, next };
};

let ahead: { key: string; answer: ReturnType<typeof load> } | undefined;

forgetWithAnswers(() => {
  ahead = undefined;
});

/** Asks for the page now. */
export const readAhead = (chosen: Chosen): void => {
  ahead = { key: keyOf(chosen), answer: load(chosen) };
  // The list says why it failed.
  ahead.answer.catch(() => undefined);
};

/** The page, the query that it answers, and the cursor of the next one. What was asked for ahead is used once. @throws Problem */
export const readFirstPage = (chosen: Chosen, signal: AbortSignal): ReturnType<typeof load> => {
  const taken = ahead?.key === keyOf(chosen) ? ahead.answer : undefined;
  ahead = undefined;
  return taken ?? load(chosen, signal);
};
