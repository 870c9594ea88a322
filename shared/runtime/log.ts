/**
 * One JSON object a line on standard output, which CloudWatch Logs indexes as it is. Written to the stream rather
 * than with console.log, which Lambda would prefix.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type MetricName, metricUnits } from "../terms/metrics.ts";
import { systemClock } from "./clock.ts";

export type LogLevel = "info" | "warn" | "error";

type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** The ids by which a request or a background job is followed. docs/operations.md, "Follow a request". */
export type LogIds = {
  /** The API's or the webhook URL's request; Lambda's own id where there is none. */
  requestId?: string | undefined;
  /** Lambda's id of the invocation, which Lambda's own lines contain. */
  invocationId?: string | undefined;
  organizationId?: string | undefined;
  runId?: string | undefined;
  erasureId?: string | undefined;
  exportId?: string | undefined;
  previewId?: string | undefined;
  drillId?: string | undefined;
  eventId?: string | undefined;
  /** A queue's message. */
  messageId?: string | undefined;
};

type Metrics = Partial<Record<MetricName, number>>;

/** Of a piece of work: the ids of its lines, and the metrics that its next line writes. */
type Work = { ids: LogIds; counted: Metrics };

// Node creates the stream at its first use: at initialisation instead of the first request.
const { stdout } = process;

// Each line takes the ids of its own work, even if work of an earlier request continues after its answer.
const works = new AsyncLocalStorage<Work>();

/** Runs work whose log lines all carry these ids, in addition to those of the work around it. */
export const withLogIds = <Result>(own: LogIds, work: () => Result): Result => {
  const { ids = {}, counted = {} } = works.getStore() ?? {};
  return works.run({ ids: { ...ids, ...own }, counted }, work);
};

/** Adds ids to the later lines of the work under way, as soon as they are known. */
export const addLogIds = (own: LogIds): void => {
  const current = works.getStore();
  if (current !== undefined) Object.assign(current.ids, own);
};

/** Counts something, such as a failure, which the next line of the work under way writes as a metric. */
export const countMetric = (name: MetricName): void => {
  const counted = works.getStore()?.counted;
  if (counted !== undefined) counted[name] = (counted[name] ?? 0) + 1;
};

/** The metrics counted since the last line of the work. */
const takeCounted = (work: Work | undefined): Metrics => {
  if (work === undefined) return {};
  const taken = { ...work.counted };
  for (const name of Object.keys(taken) as MetricName[]) delete work.counted[name];
  return taken;
};

/**
 * Lets CloudWatch make metrics of a line, without dimensions. Empty without a namespace: outside a deployment.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
const embed = (metrics: Metrics): Record<string, unknown> => {
  const { METRICS_NAMESPACE: namespace } = process.env;
  const names = Object.keys(metrics) as MetricName[];
  if (names.length === 0 || namespace === undefined) return {};
  const definitions = names.map((name) => ({ Name: name, Unit: metricUnits[name] }));
  const directive = { Namespace: namespace, Dimensions: [[]], Metrics: definitions };
  return { ...metrics, _aws: { Timestamp: systemClock(), CloudWatchMetrics: [directive] } };
};

/** Lambda's trace of the invocation, if X-Ray records it: `Root=1-…;Parent=…;Sampled=1`. */
const traceOf = ({ _X_AMZN_TRACE_ID: header }: NodeJS.ProcessEnv): { traceId?: string | undefined } =>
  header?.includes("Sampled=1") ? { traceId: /Root=([^;]+)/.exec(header)?.[1] } : {};

/**
 * Writes one line with the ids of the work under way, without undefined fields. Callers must not pass tokens, bodies or
 * personal data. A field `alarm` alarms the operators; its value names the problem.
 */
export const writeLog = (level: LogLevel, message: string, fields: LogFields, metrics: Metrics = {}): void => {
  const work = works.getStore();
  const written = { ...takeCounted(work), ...metrics, ...(fields.alarm !== undefined && { OperatorAlarms: 1 }) };
  const line = { level, message, ...work?.ids, ...traceOf(process.env), ...fields, ...embed(written) };
  stdout.write(`${JSON.stringify(line)}\n`);
};
