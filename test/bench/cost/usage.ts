/** What work uses, in the units that AWS bills. */
import * as z from "zod";

export const Usage = z.strictObject({
  /** DynamoDB request units. */
  reads: z.number(),
  writes: z.number(),
  /** What the work leaves in the tables, indexes included; in bytes. */
  storedBytes: z.number(),
  logBytes: z.number(),
  invocations: z.number(),
  /** The functions' time on the machine that measured, without initialisation; in ms. */
  functionMs: z.number(),
  /** Events published on the bus. */
  busEvents: z.number(),
  /** Deliveries of the bus to targets: an event with ten parts has ten. */
  busInvocations: z.number(),
  /** With symmetric keys. */
  kmsCalls: z.number(),
  /** Signatures, and reads of the public key. */
  signingCalls: z.number(),
});
export type Usage = z.infer<typeof Usage>;

const names = Object.keys(Usage.shape) as (keyof Usage)[];

const combine = (a: Usage, b: Usage, by: (a: number, b: number) => number): Usage => {
  const combined = { ...a };
  for (const name of names) combined[name] = by(a[name], b[name]);
  return combined;
};

export const minus = (a: Usage, b: Usage): Usage => combine(a, b, (x, y) => x - y);
export const plus = (a: Usage, b: Usage): Usage => combine(a, b, (x, y) => x + y);
export const notNegative = (a: Usage): Usage => combine(a, a, (x) => Math.max(0, x));
export const times = (a: Usage, factor: number): Usage => combine(a, a, (x) => x * factor);

/** Request units by table, as `securityEvents`, and by index, as `securityEvents/byUser`. */
export const PartUnits = z.record(z.string(), z.strictObject({ reads: z.number(), writes: z.number() }));
export type PartUnits = z.infer<typeof PartUnits>;

/** The sum of units, each multiplied by its factor. */
export const sumParts = (terms: readonly (readonly [PartUnits, number])[]): PartUnits => {
  const sum: PartUnits = {};
  for (const [parts, factor] of terms)
    for (const [name, { reads, writes }] of Object.entries(parts)) {
      const { reads: readBefore, writes: writtenBefore } = sum[name] ?? { reads: 0, writes: 0 };
      sum[name] = { reads: readBefore + reads * factor, writes: writtenBefore + writes * factor };
    }
  return sum;
};

/** What `npm run cost -- --measure` measures. */
export const Measured = z.strictObject({
  /** ISO date. */
  measuredOn: z.string(),
  /** ISO date of `functionMs` and `initMs`. */
  timesMeasuredOn: z.string(),
  node: z.string(),
  /** A day of the service without organizations. */
  idleDay: Usage,
  /** What one more connected organization, in which nothing happens, adds to a day. */
  organizationDay: Usage,
  /** One sync that finds no change, started by hand. */
  sync: Usage,
  /** One webhook event, applied to a record. */
  webhook: Usage,
  /** One plant created. */
  write: Usage,
  /** One page of 50 security events, with statistics. */
  read: Usage,
  /** The request units of the above by table and index. */
  parts: z.strictObject({ organizationDay: PartUnits, webhook: PartUnits, write: PartUnits, read: PartUnits }),
  /** The mean initialisation of an instance on the machine that measured; in ms. */
  initMs: z.number(),
  /** What the template bills while nothing happens. */
  resources: z.strictObject({
    /** Metrics that alarms watch. */
    alarmMetrics: z.number(),
    dashboards: z.number(),
    keys: z.number(),
    secrets: z.number(),
    pollers: z.number(),
  }),
});
export type Measured = z.infer<typeof Measured>;
