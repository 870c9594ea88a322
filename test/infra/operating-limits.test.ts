/**
 * The numbers that decide when somebody is called, and when work is given up: those of the template are those of
 * docs/operations.md and docs/architecture.md. A number that changes in the constructs alone is red here.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { readTemplates } from "../../infra/flat-template.ts";
import { allBackgroundFunctions } from "../../shared/api/background-functions.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { productionAssembly } from "../support/production-assembly.ts";

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
  SqsManagedSseEnabled?: boolean;
  VisibilityTimeout?: number;
  MessageRetentionPeriod: number;
  RedrivePolicy?: { maxReceiveCount: number };
};
type Mapping = {
  EventSourceArn: { "Fn::GetAtt": [string] };
  BatchSize: number;
  ScalingConfig: { MaximumConcurrency: number };
};
type Bucket = {
  BucketEncryption: { ServerSideEncryptionConfiguration: object[] };
  PublicAccessBlockConfiguration: Record<string, boolean>;
  LifecycleConfiguration?: { Rules: object[] };
};
type Policy = {
  PolicyDocument: { Statement: { Effect: string; Action: string; Condition: { Bool?: Record<string, string> } }[] };
  Bucket?: { Ref: string };
  Queues?: { Ref: string }[];
};
type Stage = { DefaultRouteSettings: Record<string, number> };
type LambdaFunction = { Description: string; Timeout: number; MemorySize: number };

const { flat: template } = readTemplates(assemblyDirectory);
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
  it("states the value, threshold and duration of each alarm", async () => {
    const alarmsOf = (resources: typeof template.Resources) =>
      Object.values(resources).flatMap(({ Type, Properties }) =>
        Type === "AWS::CloudWatch::Alarm" ? [Properties as Alarm] : [],
      );
    const production = alarmsOf(readTemplates(await productionAssembly()).flat.Resources);
    // The local cloud has no backups. A further part of an alarm, such as FunctionsThrottled2, has the row of the first.
    const alarms = [
      ...alarmsOf(template.Resources),
      ...production.filter(({ AlarmName }) => AlarmName.endsWith("-BackupsFailing")),
    ].filter(({ AlarmName }) => !/\d$/.test(AlarmName));
    const expected = alarms.map((alarm) => {
      const { AlarmName, Metrics = [], Threshold, ComparisonOperator, EvaluationPeriods } = alarm;
      const periods = new Set(Metrics.flatMap(({ MetricStat }) => MetricStat?.Period ?? []));
      const lasting = [...(periods.size > 0 ? periods : [alarm.Period])].map(period).join(" and ");
      const name = AlarmName.replace(/^plant-store-[a-z]+-/, "");
      const sign = ComparisonOperator === "LessThanThreshold" ? "<" : "≥";
      const link = `[${name}](#${name.toLowerCase()})`;
      return rowOf(link, measureOf(alarm), `${sign} ${Threshold}`, `${EvaluationPeriods} × ${lasting}`);
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

  it("states the time and the memory of functions", () => {
    const background: readonly string[] = allBackgroundFunctions.map(([, { description }]) => description);
    const endpoints = ofType<LambdaFunction>("AWS::Lambda::Function").map(([, one]) => one);
    const times = endpoints
      .filter(({ Description, Timeout }) => !background.includes(Description) && Timeout !== 10)
      .map(({ Description, Timeout }) => [Description, period(Timeout)]);
    const documented = allBackgroundFunctions.map(([, { description, timeoutSeconds }]) => [
      description,
      timeoutSeconds,
    ]);
    const worked = endpoints.filter(({ Description }) => background.includes(Description));
    expect(Object.fromEntries(worked.map(({ Description, Timeout }) => [Description, Timeout]))).toEqual(
      Object.fromEntries(documented),
    );
    expect(times.sort()).toEqual([
      ["DELETE /api/integrations/provider/connection", "29 s"],
      ["PUT /api/integrations/provider/connection", "29 s"],
      ["PUT /api/integrations/provider/connection/webhook-endpoint", "29 s"],
    ]);
    expect(new Set(endpoints.map(({ MemorySize }) => MemorySize))).toEqual(new Set([1_024]));
    expect(readFileSync(join(docs, "architecture.md"), "utf8")).toContain(
      "Endpoints have 10 s; connecting and disconnecting, which wait for the provider, 29 s. Every function has 1,024 MB.",
    );
  });

  it("states the requests a second, and how long files stay", () => {
    const [stages, buckets] = [ofType<Stage>("AWS::ApiGatewayV2::Stage"), ofType<Bucket>("AWS::S3::Bucket")];
    const limits = { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1_000 };
    expect(stages.map(([, { DefaultRouteSettings }]) => DefaultRouteSettings)).toEqual([limits]);
    expect(readFileSync(join(docs, "threat-model.md"), "utf8")).toContain(
      "the gateway's limit of 500 requests a second",
    );
    const lives = buckets.map(([id, { LifecycleConfiguration }]) => [id.slice(0, -8), LifecycleConfiguration?.Rules]);
    const parts = { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } };
    expect(Object.fromEntries(lives)).toEqual({
      // More than 13 months of 31 days.
      ArchiveBucket: [
        {
          Status: "Enabled",
          ExpirationInDays: 404,
          Transitions: [{ StorageClass: "STANDARD_IA", TransitionInDays: 90 }],
        },
      ],
      // For ever.
      CheckpointsBucket: undefined,
      ExportsBucket: [{ Status: "Enabled", ExpirationInDays: 8, ...parts }],
      // With the events: RETENTION_DAYS.
      FeedBucket: [{ Status: "Enabled", ExpirationInDays: 90 }],
    });
  });
});

describe("queues and buckets", () => {
  it("are encrypted, refuse plain HTTP, and no bucket can be opened to the public", () => {
    const [queues, buckets] = [ofType<Queue>("AWS::SQS::Queue"), ofType<Bucket>("AWS::S3::Bucket")];
    expect(queues.filter(([, { SqsManagedSseEnabled }]) => SqsManagedSseEnabled !== true)).toEqual([]);
    for (const [, { BucketEncryption, PublicAccessBlockConfiguration: blocked }] of buckets) {
      const [rule] = BucketEncryption.ServerSideEncryptionConfiguration;
      expect(rule).toEqual({ ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } });
      expect(Object.values(blocked)).toEqual([true, true, true, true]);
    }
    const policies = ["AWS::SQS::QueuePolicy", "AWS::S3::BucketPolicy"].flatMap((type) => ofType<Policy>(type));
    const guarded = policies.filter(([, { PolicyDocument }]) =>
      PolicyDocument.Statement.some(
        ({ Effect, Action, Condition }) =>
          Effect === "Deny" && Action.endsWith(":*") && Condition.Bool?.["aws:SecureTransport"] === "false",
      ),
    );
    expect(guarded.flatMap(([, { Bucket, Queues = [Bucket] }]) => Queues.map((one) => one?.Ref)).sort()).toEqual(
      [...queues, ...buckets].map(([id]) => id).sort(),
    );
  });
});
