/** The measured queries, one row each. To measure another query, add it here. */

import type { Selection } from "../../shared/security/event-item.ts";
import { statisticsOf } from "../../shared/security/monitoring/statistics.ts";
import { countSelection } from "../../shared/security/statistics/count-selection.ts";
import { DAY_MS, HOUR_MS } from "../../shared/terms/hours.ts";
import { bruteForce } from "../support/security-rollups.ts";
import { NOW, type Stage, type storesOf } from "./stage.ts";

type Stores = ReturnType<typeof storesOf>;

export type MeasuredQuery = {
  title: string;
  ask: (stores: Stores, stage: Stage) => Promise<unknown>;
  /** The expected answer, by brute force over the events in memory. */
  expect: (stage: Stage) => unknown;
};

const matches = ({ known }: Stage, { since, organizationId: _, ...filters }: Selection) =>
  known.filter(
    (event) =>
      event.timestamp >= since &&
      Object.entries(filters).every(([name, value]) => value === undefined || Reflect.get(event, name) === value),
  );

/** Statistics of a selection; `since` is the age of the oldest event in ms. */
const statistics = (title: string, age: number, filters: Partial<Selection> = {}): MeasuredQuery => {
  const selectionOf = ({ organizationId }: Stage) => ({ organizationId, since: NOW - age, ...filters });
  return {
    title: `stats, ${title}`,
    ask: async ({ openHours, rollups, counts, selections }, stage) =>
      statisticsOf(await countSelection({ openHours, rollups, events: counts, selections }, selectionOf(stage), NOW)),
    expect: (stage) => bruteForce(matches(stage, selectionOf(stage))),
  };
};

const PAGE = 50;

/** The newest events of a selection over all 90 days, by their ids. */
const page = (title: string, filters: Partial<Selection> = {}): MeasuredQuery => {
  const selectionOf = ({ organizationId }: Stage) => ({ organizationId, since: NOW - 90 * DAY_MS, ...filters });
  // No event of these histories is marked, so all events are open.
  const { processed: _, ...known } = filters;
  return {
    title: `page of ${PAGE}, ${title}`,
    ask: async ({ events }, stage) => {
      const shown = await events.list(selectionOf(stage), { limit: PAGE, after: undefined, now: NOW });
      return shown.events.map(({ id }) => id);
    },
    expect: (stage) =>
      matches(stage, { ...selectionOf(stage), ...known, processed: undefined })
        .map(({ id }) => id)
        .sort()
        .reverse()
        .slice(0, PAGE),
  };
};

/** 17 minutes into an hour, so that `since` cuts it. */
const CUT = 17 * 60_000;

export const measuredQueries: readonly MeasuredQuery[] = [
  page("organization and time"),
  page("user and time", { userId: "user-000007" }),
  page("HIGH and time", { riskLevel: "HIGH" }),
  page("event type", { eventType: "AUTHENTICATION_FAILURE" }),
  page("category", { category: "authentication" }),
  page("type, category and level", {
    eventType: "AUTHENTICATION_FAILURE",
    category: "authentication",
    riskLevel: "HIGH",
  }),
  page("not processed", { processed: false }),
  page("not processed and HIGH", { processed: false, riskLevel: "HIGH" }),
  statistics("90 days", 90 * DAY_MS),
  statistics("89 days and a cut hour", 89 * DAY_MS + CUT),
  statistics("89 days, one level", 89 * DAY_MS + CUT, { riskLevel: "HIGH" }),
  statistics("89 days, type, category and level", 89 * DAY_MS + CUT, {
    eventType: "AUTHENTICATION_FAILURE",
    category: "authentication",
    riskLevel: "HIGH",
  }),
  statistics("30 days", 30 * DAY_MS + CUT),
  statistics("24 hours", DAY_MS),
  statistics("1 hour", HOUR_MS),
  statistics("24 hours of a user", DAY_MS, { userId: "user-000007" }),
];
