/** What the table of a million events is made of: one row per question. Add a question, and it is measured. */
import { countSelection } from "../../shared/security/count-selection.ts";
import { DAY_MS, HOUR_MS } from "../../shared/security/hours.ts";
import type { Selection } from "../../shared/security/selection.ts";
import { bruteForce } from "../support/security-rollups.ts";
import { NOW, type Stage, type storesOf } from "./stage.ts";

type Stores = ReturnType<typeof storesOf>;

export type MeasuredQuery = {
  title: string;
  ask: (stores: Stores, stage: Stage) => Promise<unknown>;
  /** What the answer must be, by brute force over the events in memory. */
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
    ask: ({ openHours, rollups, counts, selections }, stage) =>
      countSelection({ openHours, rollups, events: counts, selections }, selectionOf(stage), NOW),
    expect: (stage) => bruteForce(matches(stage, selectionOf(stage))),
  };
};

/** 17 minutes into an hour, so that `since` cuts it. */
const CUT = 17 * 60_000;

export const measuredQueries: readonly MeasuredQuery[] = [
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
