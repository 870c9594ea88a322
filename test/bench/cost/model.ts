/** A month's cost and peak load of a deployment, from measured usage and public prices. */
import { prices, quotas } from "./prices.ts";
import { type Measured, minus, notNegative, type PartUnits, plus, sumParts, times, type Usage } from "./usage.ts";

export type Workload = {
  organizations: number;
  /** For each organization, each day. */
  webhooks: number;
  writes: number;
  reads: number;
  /** The share of invocations that start an instance. Hourly schedules always do. */
  coldShare: number;
  /** How many times longer a function takes on Lambda at 1,024 MB than where it was measured. */
  slower: number;
  retentionDays: number;
  syncsPerDay: number;
};

/** 1,024 MB have 0.58 of a processor, and the store is a network away: twice the time is a cautious guess. */
export const defaultWorkload: Omit<Workload, "organizations"> = {
  webhooks: 20,
  writes: 10,
  reads: 40,
  coldShare: 0.1,
  slower: 2,
  retentionDays: 90,
  syncsPerDay: 6,
};

const DAYS = 30;
const SECONDS_A_DAY = 86_400;
const MEMORY_GB = 1;
/** Lambda's five pollers of a queue with a maximum concurrency each ask for 20 seconds. */
const POLLS_A_MONTH = (5 * DAYS * SECONDS_A_DAY) / 20;
/** Sent, received and deleted. */
const REQUESTS_PER_MESSAGE = 3;

/** What causes cost, each with its usage in a day, and how many of its invocations start an instance. */
const causesOf = (measured: Measured, load: Workload) => {
  const { organizations, webhooks, writes, reads, syncsPerDay, coldShare } = load;
  const syncs = times(measured.sync, organizations * syncsPerDay);
  const requests = plus(times(measured.write, organizations * writes), times(measured.read, organizations * reads));
  // The measured sync includes the request that started it, so six may log more than a quiet day.
  const hours = notNegative(minus(times(measured.organizationDay, organizations), syncs));
  return {
    idle: { day: measured.idleDay, cold: 1 },
    syncs: { day: syncs, cold: coldShare },
    hours: { day: hours, cold: coldShare },
    webhooks: { day: times(measured.webhook, organizations * webhooks), cold: coldShare },
    requests: { day: requests, cold: coldShare },
  };
};
export type Cause = keyof ReturnType<typeof causesOf>;

export type Bill = {
  store: number;
  functions: number;
  /** Event bus and queues. */
  messages: number;
  api: number;
  keys: number;
  logsAndAlarms: number;
};

/** Seconds for which instances run, initialisation included: they are billed, and count as concurrent executions. */
const instanceSeconds = (usage: Usage, cold: number, { slower }: Workload, initMs: number): number =>
  ((usage.functionMs + usage.invocations * cold * initMs) * slower) / 1_000;

const billOf = (day: Usage, cold: number, load: Workload, initMs: number): Bill => {
  const seconds = instanceSeconds(day, cold, load, initMs);
  return {
    store:
      DAYS * (day.reads * prices.readUnit + day.writes * prices.writeUnit) +
      day.storedBytes * load.retentionDays * prices.storedByte,
    functions: DAYS * (day.invocations * prices.invocation + seconds * MEMORY_GB * prices.gigabyteSecond),
    messages: DAYS * day.busEvents * prices.busEvent,
    api: 0,
    keys: DAYS * (day.kmsCalls * prices.kmsCall + day.signingCalls * prices.signingCall),
    logsAndAlarms: DAYS * day.logBytes * prices.logByte,
  };
};

/** USD a month, by cause. */
export const monthlyBills = (measured: Measured, load: Workload): Record<Cause, Bill> => {
  const { idle, ...others } = causesOf(measured, load);
  const bill = ({ day, cold }: { day: Usage; cold: number }) => billOf(day, cold, load, measured.initMs);
  const { alarmMetrics, dashboards, keys, secrets, pollers } = measured.resources;
  const { organizations, webhooks, writes, reads } = load;
  const base = bill(idle);
  const bills = {
    idle: {
      ...base,
      messages: base.messages + pollers * POLLS_A_MONTH * prices.queueRequest,
      keys: base.keys + keys * prices.keyMonth + secrets * prices.secretMonth,
      logsAndAlarms: base.logsAndAlarms + alarmMetrics * prices.alarmMetricMonth + dashboards * prices.dashboardMonth,
    },
    syncs: bill(others.syncs),
    hours: bill(others.hours),
    webhooks: bill(others.webhooks),
    requests: bill(others.requests),
  };
  bills.webhooks.messages += DAYS * organizations * webhooks * REQUESTS_PER_MESSAGE * prices.queueRequest;
  bills.requests.api += DAYS * organizations * (writes + reads) * prices.apiRequest;
  return bills;
};

export const totalOf = (bill: Bill): number => Object.values(bill).reduce((sum, usd) => sum + usd, 0);

/** Traffic is uneven: the busiest minute has this multiple of the day's mean. */
export const PEAK = 10;

const PER_MILLION = 1_000_000;

export type Need = { quota: keyof typeof quotas; peak: number };

const peak = (perDay: number): number => (PEAK * perDay) / SECONDS_A_DAY;

/** Request units a second of each table and index in the busiest minute, as `securityEvents` and `securityEvents/byUser`. */
export const peakUnits = ({ parts }: Measured, { organizations, webhooks, writes, reads }: Workload): PartUnits =>
  sumParts([
    [parts.organizationDay, peak(organizations)],
    [parts.webhook, peak(organizations * webhooks)],
    [parts.write, peak(organizations * writes)],
    [parts.read, peak(organizations * reads)],
  ]);

/** Of the busiest table, with its indexes. */
const mostOf = (parts: PartUnits, kind: "reads" | "writes"): number => {
  const byTable = new Map<string, number>();
  for (const [name, units] of Object.entries(parts)) {
    const [table = ""] = name.split("/");
    byTable.set(table, (byTable.get(table) ?? 0) + units[kind]);
  }
  return Math.max(...byTable.values());
};

/** What the busiest minute needs of each quota, in the quota's unit; the scarcest in a large region first. */
export const peakNeeds = (measured: Measured, load: Workload): Need[] => {
  const { organizations, writes, reads } = load;
  const causes = Object.values(causesOf(measured, load));
  const day = causes.map((cause) => cause.day).reduce(plus);
  const seconds = causes.reduce((sum, cause) => sum + instanceSeconds(cause.day, cause.cold, load, measured.initMs), 0);
  const parts = peakUnits(measured, load);
  const needs: Need[] = [
    { quota: "concurrency", peak: peak(seconds) },
    { quota: "apiRequests", peak: peak(organizations * (writes + reads)) },
    { quota: "busEvents", peak: peak(day.busEvents) },
    { quota: "busInvocations", peak: peak(day.busInvocations) },
    { quota: "tableWrites", peak: mostOf(parts, "writes") },
    { quota: "tableReads", peak: mostOf(parts, "reads") },
    { quota: "kmsCalls", peak: peak(day.kmsCalls) },
  ];
  return needs.sort((a, b) => b.peak / quotas[b.quota].highest - a.peak / quotas[a.quota].highest);
};

/** The organizations whose busiest minute needs all of a quota, in whole thousands: needs grow in proportion to them. */
export const organizationsAt = (
  measured: Measured,
  load: Workload,
  { quota }: Pick<Need, "quota">,
  available: number,
) => {
  const peakOf = (organizations: number) =>
    peakNeeds(measured, { ...load, organizations }).find((need) => need.quota === quota)?.peak ?? 0;
  const base = peakOf(0);
  const each = (peakOf(PER_MILLION) - base) / PER_MILLION;
  return Math.floor((available - base) / each / 1_000) * 1_000;
};

/** How shared/work/dispatch.ts spreads syncs, within half of their interval. */
const DISPATCHED_AT_ONCE = 50;
const DISPATCHED_A_MINUTE = 20 * 60;

/**
 * Minutes until the syncs of one interval have ended, if they use the whole concurrency of an account: until all are
 * dispatched, or until the work is done if that takes longer.
 */
export const syncMinutes = (measured: Measured, load: Workload, concurrency: number): number => {
  const { organizations, coldShare, syncsPerDay } = load;
  const seconds = organizations * instanceSeconds(measured.sync, coldShare, load, measured.initMs);
  const workMinutes = seconds / concurrency / 60;
  const dispatchMinutes = Math.max(0, organizations - DISPATCHED_AT_ONCE) / DISPATCHED_A_MINUTE;
  const halfInterval = (24 * 60) / syncsPerDay / 2;
  return Math.max(workMinutes, Math.min(dispatchMinutes, halfInterval));
};
