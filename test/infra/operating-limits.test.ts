/**
 * The numbers that decide when somebody is called, and when work is given up: those of the template are those of
 * docs/operations.md and docs/architecture.md. A number that changes in the constructs alone is red here.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { allBackgroundFunctions } from "../../shared/api/background-functions.ts";
import { assemblyDirectory } from "../support/assembly.ts";

type Metric = { MetricName: string };
type Query = { Expression?: string; MetricStat?: { Metric: Metric; Period: number; Stat: string } };
type Alarm = Partial<Metric> & {
  AlarmName: string;
  Metrics?: Query[];
  Period: number;
  Statistic?: string;
  ExtendedStatistic?: string;
  Threshold: number;
  EvaluationPeriods: number;
  ComparisonOperator: string;
};
type Queue = {
  VisibilityTimeout?: number;
  MessageRetentionPeriod: number;
  RedrivePolicy?: { maxReceiveCount: number };
};
type Mapping = {
  EventSourceArn: { "Fn::GetAtt": [string] };
  BatchSize: number;
  ScalingConfig: { MaximumConcurrency: number };
};
type LambdaFunction = { Description: string; Timeout: number; MemorySize: number };

const template: { Resources: Record<string, { Type: string; Properties: unknown }> } = JSON.parse(
  readFileSync(join(assemblyDirectory, "plant-store-dev.template.json"), "utf8"),
);
const ofType = <Properties>(type: string): [string, Properties][] =>
  Object.entries(template.Resources)
    .filter(([, resource]) => resource.Type === type)
    .map(([id, { Properties }]) => [id, Properties as Properties]);

const docs = join(import.meta.dirname, "..", "..", "docs");
const page = readFileSync(join(docs, "operations.md"), "utf8");

/** The rows of the table that begins with these columns, without the head. */
const rowsOf = (...columns: string[]): string[] => {
  const [, text = ""] = page.split(`| ${columns.join(" | ")} |\n|${"---|".repeat(columns.length)}\n`);
  return (text.split("\n\n")[0] ?? "").trimEnd().split("\n");
};

const rowOf = (...cells: (string | number)[]): string => `| ${cells.join(" | ")} |`;

const UNITS = [
  ["days", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;
const period = (seconds: number): string => {
  const [unit, length] = UNITS.find(([, one]) => seconds >= one && seconds % one === 0) ?? ["s", 1];
  return `${seconds / length} ${unit}`;
};

/** What an alarm's value is made of: its expression, if it is not a plain sum, and its metrics. */
const measureOf = ({ Metrics, MetricName = "", Statistic, ExtendedStatistic }: Alarm): string => {
  if (Metrics === undefined) return `${Statistic ?? ExtendedStatistic} of \`${MetricName}\``;
  const metrics = Metrics.flatMap(({ MetricStat }) =>
    MetricStat ? [`${MetricStat.Stat} of \`${MetricStat.Metric.MetricName}\``] : [],
  );
  const expression = Metrics.map(({ Expression = "" }) => Expression).join("");
  const terms = new Set(expression.replace(/\bm\d+/g, "m").split(" + "));
  const isSum = terms.size === 1 && terms.has("m");
  return `${isSum ? "" : `\`${[...terms].join(" + ")}\`, `}${[...new Set(metrics)].join(", ")}`;
};

describe("the documents", () => {
  it("states the value, threshold and duration of each alarm", () => {
    const expected = ofType<Alarm>("AWS::CloudWatch::Alarm").map(([, alarm]) => {
      const { AlarmName, Metrics = [], Threshold, ComparisonOperator, EvaluationPeriods } = alarm;
      const seconds = Metrics.find(({ MetricStat }) => MetricStat)?.MetricStat?.Period ?? alarm.Period;
      const name = AlarmName.replace("plant-store-dev-", "");
      const sign = ComparisonOperator === "LessThanThreshold" ? "<" : "≥";
      const link = `[${name}](#${name.toLowerCase()})`;
      return rowOf(link, measureOf(alarm), `${sign} ${Threshold}`, `${EvaluationPeriods} × ${period(seconds)}`);
    });
    expect(rowsOf("Alarm", "Value", "Raised at", "For")).toEqual(expected);
  });

  it("states how long and how often each queue hands out a message, and to how many functions", () => {
    const mappings = ofType<Mapping>("AWS::Lambda::EventSourceMapping");
    const expected = ofType<Queue>("AWS::SQS::Queue").flatMap(([id, queue]) => {
      const { VisibilityTimeout, MessageRetentionPeriod, RedrivePolicy } = queue;
      if (VisibilityTimeout === undefined || RedrivePolicy === undefined) return [];
      const [, mapping] = mappings.find(([, { EventSourceArn }]) => EventSourceArn["Fn::GetAtt"][0] === id) ?? [];
      return rowOf(
        `\`${id.slice(0, -8)}\``,
        period(VisibilityTimeout),
        RedrivePolicy.maxReceiveCount,
        period(MessageRetentionPeriod),
        mapping?.BatchSize ?? "none",
        mapping?.ScalingConfig.MaximumConcurrency ?? "none",
      );
    });
    expect(rowsOf("Queue", "Hidden for", "Receives", "Kept for", "Batch", "Batches at once")).toEqual(expected);
    for (const [, queue] of ofType<Queue>("AWS::SQS::Queue")) expect(queue.MessageRetentionPeriod).toBe(1_209_600);
  });

  it("states the time and the memory of endpoints", () => {
    const background: readonly string[] = allBackgroundFunctions.map(([, { description }]) => description);
    const endpoints = ofType<LambdaFunction>("AWS::Lambda::Function").map(([, one]) => one);
    const times = endpoints
      .filter(({ Description, Timeout }) => !background.includes(Description) && Timeout !== 10)
      .map(({ Description, Timeout }) => [Description, period(Timeout)]);
    expect(times.sort()).toEqual([
      ["DELETE /api/integrations/provider/connection", "29 s"],
      ["PUT /api/integrations/provider/connection", "29 s"],
    ]);
    expect(new Set(endpoints.map(({ MemorySize }) => MemorySize))).toEqual(new Set([1_024]));
    expect(readFileSync(join(docs, "architecture.md"), "utf8")).toContain(
      "Endpoints have 10 s; connecting and disconnecting, which wait for the provider, 29 s. Every function has 1,024 MB.",
    );
  });
});
