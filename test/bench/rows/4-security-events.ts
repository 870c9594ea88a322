/** The cost of recording, marking, listing and counting security events, and of closing their hours. */

import { closeHours } from "../../../shared/security/statistics/close-hours.ts";
import { expiryOf, HOUR_MS, hourName } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { isAtLeast } from "../../../shared/terms/risk-levels.ts";
import { measureCall } from "../../security/measure-call.ts";
import { measuredQueries } from "../../security/measured-queries.ts";
import { randomEvents } from "../../security/random-events.ts";
import { EVENTS, makeStage, NOW, RETENTION_DAYS, ROLLUPS, storesOf } from "../../security/stage.ts";
import { countUnits } from "../../support/consumed-units.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { startTables } from "../../support/service-tables.ts";
import { type Bench, type Budget, budgetText, judge, judgedRow, type Measurement, type Row } from "../row.ts";
import { median } from "../statistics.ts";

const MEDIAN: Budget = { limit: 2 };
const MEAN: Budget = { limit: 2.5 };
const MARK_LOW: Budget = { limit: 1 };
const MARK_ABOVE: Budget = { limit: 3 };
const STATISTICS: Budget = { limit: 12 };

const HOURS = 20;
const EVENTS_PER_HOUR = 100;

const meanOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
const unitsRow = (metric: string, budget: Budget, units: number): Row =>
  judgedRow(metric, units, budget, { unit: "units" });

/** A day of an organization: each event recorded, those above LOW marked, each hour opened and closed. */
const writeRows = async (database: EmbeddedDynamoDb): Promise<Row[]> => {
  const organizationId = "measured";
  const client = database.documentClient();
  const measure = countUnits(client);
  const { events, openHours, rollups, counts } = storesOf(client);
  const from = NOW - HOURS * HOUR_MS;
  const history = [...randomEvents(organizationId, { total: HOURS * EVENTS_PER_HOUR, from, to: NOW, seed: 1 })];

  const perEvent: number[] = [];
  const marks = { low: [] as number[], above: [] as number[] };
  for (const event of history) {
    const isAboveLow = isAtLeast(event.riskLevel, "MEDIUM");
    const put = await measure(() => events.put({ event, ttl: expiryOf(event.timestamp, RETENTION_DAYS) }));
    // Operators mark events above LOW. A few LOW events are marked too, to measure their cost.
    const isMarked = isAboveLow || marks.low.length < 20;
    const mark = isMarked ? await measure(() => events.markProcessed(organizationId, [event.id], NOW)) : undefined;
    if (mark !== undefined) marks[isAboveLow ? "above" : "low"].push(mark.write);
    perEvent.push(put.write + (isAboveLow ? (mark?.write ?? 0) : 0));
  }
  const hours = await measure(async () => {
    for (let hour = from; hour <= NOW; hour += HOUR_MS) {
      await openHours.markHourOpen(organizationKey(organizationId), hourName(hour));
    }
    const detection = { markUnjudged: async () => undefined };
    await closeHours(
      { openHours, rollups, events: counts, detection, now: () => NOW + HOUR_MS, settleMs: 0 },
      () => 600_000,
    );
  });
  return [
    unitsRow("record an event and mark it, median", MEDIAN, median(perEvent)),
    unitsRow(
      `record an event and mark it, with its share of the rollups at ${EVENTS_PER_HOUR} an hour, mean`,
      MEAN,
      meanOf(perEvent) + hours.write / history.length,
    ),
    unitsRow("mark a LOW event", MARK_LOW, Math.max(...marks.low)),
    unitsRow("mark an event above LOW", MARK_ABOVE, Math.max(...marks.above)),
  ];
};

/** The queries of `npm run test:million`, with a number of events that takes seconds to create. */
const readRows = async (database: EmbeddedDynamoDb, total: number): Promise<Row[]> => {
  const stage = await makeStage(database.documentClient(), total);
  const rows: Row[] = [];
  for (const { title, ask } of measuredQueries) {
    const client = database.documentClient();
    const { units, eventUnits } = await measureCall(client, () => ask(storesOf(client), stage));
    const isStatistics = title.startsWith("stats, ") && !title.includes("user");
    rows.push({
      metric: `${title}, ${total} events`,
      budget: isStatistics ? `${budgetText(STATISTICS, "units")} plus events` : "",
      measured: `${units} units, ${eventUnits} of them events`,
      verdict: isStatistics ? judge(units - eventUnits, STATISTICS) : "",
    });
  }
  return rows;
};

export const measurement: Measurement = {
  title: "Security events: DynamoDB request units",
  measure: async ({ options, progress }: Bench) => {
    const database = await startTables(EVENTS, ROLLUPS);
    try {
      const written = await writeRows(database);
      progress("… and found again among many (a million: npm run test:million)");
      return [...written, ...(await readRows(database, options.quick ? 1_000 : 10_000))];
    } finally {
      await database.stop();
    }
  },
};
