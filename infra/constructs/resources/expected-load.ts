/** What a deployment sets up for the load of the organizations that it expects. docs/cost.md says how the load is measured. */
import type { WarmThroughput } from "aws-cdk-lib/aws-dynamodb";

/** The busiest minute has ten times the mean of the day, as docs/cost.md assumes. */
const PEAK = 10;
const SECONDS_A_DAY = 86_400;

/** MaximumConcurrency of an event source mapping: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html */
export const MAX_WEBHOOK_CONCURRENCY = 1_000;

/** Without an expectation: new accounts have 10 concurrent executions in all. */
const LEAST_WEBHOOK_CONCURRENCY = 5;

/** If each batch has one event only, which takes 120 ms on Lambda with its share of cold starts. */
const EVENTS_A_SECOND = 8.4;
const EVENTS_A_DAY = 20;
const ORGANIZATIONS_PER_BATCH = Math.floor((EVENTS_A_SECOND * SECONDS_A_DAY) / (PEAK * EVENTS_A_DAY));

/** The batches of webhook events that are processed at once, unless the deployment says how many. */
export const webhookConcurrencyFor = (organizations = 0): number =>
  Math.min(
    MAX_WEBHOOK_CONCURRENCY,
    Math.max(LEAST_WEBHOOK_CONCURRENCY, Math.ceil(organizations / ORGANIZATIONS_PER_BATCH)),
  );

/**
 * Units of a new table or index on demand, which are available at once:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html
 */
export const INITIAL_UNITS = { reads: 12_000, writes: 4_000 } as const;

/** DynamoDB's default quota of a table: more cannot be warmed before it is raised. */
const MAX_UNITS = 40_000;

/**
 * Units that an organization uses in a day, by table and `table/index`. Others do not need more than their initial units
 * with a million organizations.
 */
const unitsADay: Readonly<Record<string, { reads?: number; writes?: number }>> = {
  securityEvents: { reads: 570, writes: 64 },
  securityRollups: { reads: 158, writes: 262 },
  "securityRollups/byOpenHour": { writes: 164 },
  evidence: { writes: 151 },
  syncRuns: { writes: 123 },
  settings: { reads: 116 },
  circuits: { writes: 62 },
  connections: { writes: 46 },
  webhookEvents: { writes: 62 },
  "webhookEvents/byPending": { writes: 42 },
  "webhookEvents/byReceipt": { writes: 42 },
};

/**
 * The units a second that a table or index must serve at once.
 * @param part `table`, or `table/index`.
 * @returns undefined if its initial units are enough.
 */
export const warmThroughputFor = (part: string, organizations: number): WarmThroughput | undefined => {
  const { reads = 0, writes = 0 } = unitsADay[part] ?? {};
  const peakOf = (perDay: number) => Math.min(MAX_UNITS, Math.ceil((perDay * organizations * PEAK) / SECONDS_A_DAY));
  const readUnitsPerSecond = Math.max(INITIAL_UNITS.reads, peakOf(reads));
  const writeUnitsPerSecond = Math.max(INITIAL_UNITS.writes, peakOf(writes));
  const isEnough = readUnitsPerSecond === INITIAL_UNITS.reads && writeUnitsPerSecond === INITIAL_UNITS.writes;
  return isEnough ? undefined : { readUnitsPerSecond, writeUnitsPerSecond };
};
