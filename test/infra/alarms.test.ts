import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { readTemplates } from "../../infra/flat-template.ts";
import { metricUnits } from "../../shared/terms/metrics.ts";
import { assemblyDirectory } from "../support/assembly.ts";

type Metric = { MetricName: string; Namespace: string; Dimensions?: { Name: string; Value: unknown }[] };
type Query = { Id: string; Expression?: string; MetricStat?: { Metric: Metric; Period: number; Stat: string } };
type Alarm = Partial<Metric> & {
  AlarmName: string;
  AlarmDescription: string;
  Metrics?: Query[];
  Period?: number;
  Threshold: number;
  EvaluationPeriods: number;
  ComparisonOperator: string;
  TreatMissingData: string;
};
type Resources = Record<string, { Type: string; Properties: Record<string, unknown> & Alarm }>;

const root = join(import.meta.dirname, "..", "..");
const STACK = "plant-store-dev";
const { Resources: resources } = readTemplates(assemblyDirectory).flat as { Resources: Resources };
const ofType = (type: string) => Object.entries(resources).filter(([, { Type }]) => Type === type);
const alarms = ofType("AWS::CloudWatch::Alarm").map(([, { Properties }]) => Properties);
const page = readFileSync(join(root, "docs", "operations.md"), "utf8");

/** Alarms that the local cloud's assembly does not have (backups.test.ts). */
const ELSEWHERE = ["BackupsFailing"];

/** The name without the number of a further part, as in `FunctionsThrottled2`: a part has at most ten metrics. */
const nameOf = ({ AlarmName }: Alarm) => AlarmName.replace(`${STACK}-`, "").replace(/\d+$/, "");
const names = [...new Set(alarms.map(nameOf))];
const alarmOf = (name: string): Alarm => {
  const found = alarms.find((alarm) => nameOf(alarm) === name);
  if (found === undefined) throw new Error(`There is no alarm ${name}.`);
  return found;
};
const metricsOf = ({ Metrics, ...alarm }: Alarm): (Partial<Metric> & { Period?: number | undefined })[] =>
  Metrics?.flatMap(({ MetricStat: found }) => (found ? [{ ...found.Metric, Period: found.Period }] : [])) ?? [alarm];
const expressionOf = ({ Metrics = [] }: Alarm) =>
  Metrics.find(({ Expression }) => Expression !== undefined)?.Expression;

/** The logical ids of what an alarm watches a metric of, in all its parts. */
const watchedBy = (name: string, metricName: string): string[] =>
  alarms
    .filter((alarm) => nameOf(alarm) === name)
    .flatMap(metricsOf)
    .filter(({ MetricName }) => MetricName === metricName)
    .map(({ Dimensions }) => JSON.stringify(Dimensions?.[0]?.Value))
    .map((value) => /"(?:Ref|Fn::GetAtt)":\[?"([^"]+?)(?:Function)?[0-9A-F]{8}"/.exec(value)?.[1] ?? value)
    .sort();

describe("the runbook", () => {
  const sections = [...page.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);

  it("has a section for each alarm, and no section without an alarm", () => {
    expect(sections).toEqual([...names, ...ELSEWHERE]);
  });

  it("says in each section what the alarm means, what to look at and what to do", () => {
    const [, ...texts] = page.split(/^### /m);
    expect(texts).toHaveLength(names.length + ELSEWHERE.length);
    for (const text of texts) {
      expect(text).toMatch(/\*\*Means\*\*:/);
      expect(text).toMatch(/\*\*Look at\*\*( and \*\*do\*\*)?:/);
      expect(text).toMatch(/\*\*[Dd]o\*\*:/);
    }
  });

  it("is linked from each alarm's description", () => {
    for (const alarm of alarms)
      expect(alarm.AlarmDescription).toMatch(
        new RegExp(`\\. Runbook: docs/operations\\.md#${nameOf(alarm).toLowerCase()}$`),
      );
  });

  it("links only to its own sections", () => {
    const anchors = [...page.matchAll(/^##+ (.+)$/gm)].map(([, heading = ""]) =>
      heading.toLowerCase().replaceAll(" ", "-").replace("?", ""),
    );
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.filter((anchor) => !anchors.includes(anchor ?? ""))).toEqual([]);
  });

  it("states the alarms' metrics, for which CloudWatch charges", () => {
    const metrics = alarms.flatMap(metricsOf).length;
    expect(page).toContain(`${alarms.length} alarms with ${metrics} metrics`);
    expect(page).toContain(`$${(0.1 * metrics).toFixed(2)}`);
    const logged = Object.keys(metricUnits).length;
    expect(page).toContain(`| ${logged} metrics that functions log | `);
    expect(page).toContain(`up to $${(0.3 * logged).toFixed(2)}`);
  });

  it("explains each value of the field alarm", () => {
    const files = globSync("shared/**/*.ts", { cwd: root }).map((file) => readFileSync(join(root, file), "utf8"));
    const values = files.flatMap((text) => [...text.matchAll(/\balarm: "(\w+)"/g)].map(([, value]) => value));
    expect(values.length).toBeGreaterThan(5);
    for (const value of values) expect(page).toContain(`| \`${value}\` |`);
  });
});

type Widget = {
  type: string;
  x: number;
  y: number;
  properties: { title?: string; markdown?: string; alarms?: unknown[] };
};

describe("the dashboard", () => {
  const [, dashboard] = ofType("AWS::CloudWatch::Dashboard")[0] ?? [];
  const body = dashboard?.Properties.DashboardBody as { "Fn::Join": [string, unknown[]] };
  const { widgets }: { widgets: Widget[] } = JSON.parse(
    body["Fn::Join"][1].map((part) => (typeof part === "string" ? part : "reference")).join(""),
  );

  it("has another name in each region, because the names of dashboards are global in an account", () => {
    expect(dashboard?.Properties.DashboardName).toEqual({ "Fn::Join": ["", [`${STACK}-`, { Ref: "AWS::Region" }]] });
  });

  it("answers in its first row whether the service is well", () => {
    const first = widgets.filter(({ y }) => y === 0).sort((a, b) => a.x - b.x);
    expect(first.map(({ properties }) => properties.title)).toEqual([
      "Is it well?",
      "Requests, and failures (5xx)",
      "Provider: failures, and open circuits",
      "Oldest work: queues (seconds), events (milliseconds)",
    ]);
    expect(first[0]).toMatchObject({ type: "alarm" });
    expect(first[0]?.properties.alarms).toHaveLength(alarms.length);
  });

  it("shows each alarm in a row of its subject", () => {
    const titles = widgets.map(({ properties }) => properties.title);
    expect(titles).toEqual(expect.arrayContaining(alarms.map(nameOf)));
    const rows = widgets.flatMap(({ properties }) => properties.markdown ?? []);
    expect(rows).toHaveLength(8);
    for (const [, row = ""] of page.matchAll(/[Rr]ow "([^"]+)"/g)) expect(rows).toContain(`## ${row}`);
  });
});

describe("the alarms", () => {
  it("watch the metrics of this stage's functions only", () => {
    const own = alarms.flatMap(metricsOf).filter(({ Namespace }) => Namespace?.startsWith("AWS/") === false);
    expect(own.length).toBeGreaterThan(0);
    for (const metric of own) expect(metric).toMatchObject({ Namespace: "PlantStore/dev" });
    for (const [, { Properties }] of ofType("AWS::Lambda::Function"))
      expect(Properties).toMatchObject({ Environment: { Variables: { METRICS_NAMESPACE: "PlantStore/dev" } } });
    for (const metric of alarms.flatMap(metricsOf)) {
      // The stages of an account share the sender's reputation in a region.
      if (metric.Namespace === "AWS/SES") continue;
      // A metric without dimensions, or with a name typed in, could be another stage's.
      if (metric.Namespace?.startsWith("AWS/")) expect(JSON.stringify(metric.Dimensions)).toMatch(/Ref|Fn::GetAtt/);
    }
  });

  it("watch at most ten metrics each, of one period", () => {
    for (const alarm of alarms) {
      expect({ name: nameOf(alarm), metrics: metricsOf(alarm).length <= 10 }).toMatchObject({ metrics: true });
      expect(new Set(metricsOf(alarm).map(({ Period }) => Period)).size).toBe(1);
    }
  });

  it("look back a day at most, or seven days by the hour", () => {
    for (const alarm of alarms) {
      const period = metricsOf(alarm)[0]?.Period ?? 0;
      expect(period * alarm.EvaluationPeriods).toBeLessThanOrEqual(period < 3_600 ? 86_400 : 604_800);
    }
  });

  it("treat missing values as no problem, so that a new stack is quiet", () => {
    for (const { TreatMissingData } of alarms) expect(TreatMissingData).toBe("notBreaching");
  });

  it("notice failures of every background function, and events that Lambda drops or delays", () => {
    const failing = alarms.filter((alarm) => nameOf(alarm).endsWith("FunctionsFailing"));
    const watched = failing.flatMap((alarm) => watchedBy(nameOf(alarm), "Errors"));
    const background = ofType("AWS::Lambda::Function").flatMap(([id]) => {
      const [, name] =
        /^((?:Background|Completeness|Sync|Webhooks|Judging|Exporting|Notifications)(?!ReceiveWebhook).+)Function[0-9A-F]{8}$/.exec(
          id,
        ) ?? [];
      return name === undefined ? [] : [name];
    });
    expect(watched.sort()).toEqual(background.sort());
    const workers = [
      "ExportingRunExport",
      "JudgingDetectOrganization",
      "JudgingMakeReports",
      "JudgingRunErasure",
      "JudgingRunPreview",
      "SyncRunSync",
    ];
    const dispatchers = [
      "BackgroundCloseSecurityHours",
      "BackgroundRunDrills",
      "BackgroundSealSecurityHours",
      "BackgroundWriteSiemFeed",
      "JudgingDispatchDetection",
      "SyncDispatchSyncs",
    ];
    const startedByEvents = [...workers, ...dispatchers].sort();
    expect(watchedBy("EventsDropped", "AsyncEventsDropped")).toEqual(startedByEvents);
    expect(watchedBy("EventsDelayed", "AsyncEventAge")).toEqual(startedByEvents);
    expect(watchedBy("FunctionsThrottled", "Throttles")).toEqual(
      [
        ...workers,
        "BackgroundRestoreSecurityEvents",
        "NotificationsDispatchNotifications",
        "NotificationsSendNotifications",
        "WebhooksProcessWebhook",
        "WebhooksReceiveWebhook",
      ].sort(),
    );
  });

  it("notice events that EventBridge could not give to a function, by the name of their rule on the service's bus", () => {
    const bus = { "Fn::Select": [1, { "Fn::Split": ["/", expect.anything()] }] };
    const failed = alarms.flatMap(metricsOf).filter(({ MetricName }) => MetricName === "FailedInvocations");
    const watched = failed.map(({ Namespace, Dimensions = [] }) => {
      expect({ Namespace, Dimensions }).toMatchObject({
        Namespace: "AWS/Events",
        Dimensions: [{ Name: "EventBusName", Value: bus }, { Name: "RuleName" }],
      });
      const name = Dimensions[1]?.Value as {
        "Fn::Select": [number, { "Fn::Split": [string, { "Fn::GetAtt": [string] }] }];
      };
      const [index, { "Fn::Split": split }] = name["Fn::Select"];
      expect(index).toBe(2);
      return split[1]["Fn::GetAtt"][0];
    });
    const rules = ofType("AWS::Events::Rule").filter(
      ([, { Properties }]) =>
        Properties.ScheduleExpression === undefined && !JSON.stringify(Properties).includes("DeadLetterConfig"),
    );
    const [, ...others] = rules.filter(([id]) => id.includes("OnDetectionDue"));
    // One part's rule stands for all: they share the function and its permission.
    expect(watched.sort()).toEqual(
      rules
        .filter((rule) => !others.includes(rule))
        .map(([id]) => id)
        .sort(),
    );
    expect(expressionOf(alarmOf("ErasureFunctionsFailing"))).toBe("m0 + m1 + 3 * m2");
  });

  it("end when tables are no longer throttled, although DynamoDB then has no metrics", () => {
    const throttled = alarmOf("TablesThrottled");
    expect(expressionOf(throttled)).toMatch(/^0 \* polls \+ m0 \+ m1/);
    expect(watchedBy("TablesThrottled", "ApproximateNumberOfMessagesVisible")).toEqual(["WebhooksReceived"]);
    const tables = ["TablesPlants", "TablesRecords", "TablesSecurityEvents", "TablesSecurityRollups"];
    expect(watchedBy("TablesThrottled", "WriteThrottleEvents")).toEqual(tables);
    expect(watchedBy("TablesThrottled", "ReadThrottleEvents")).toEqual(tables);
  });

  it("notice messages that wait and dead letters of every queue", () => {
    const queues = ofType("AWS::SQS::Queue");
    const watching = (name: string) => alarms.filter((alarm) => nameOf(alarm).endsWith(name)).length;
    // Deliveries wait in their queue for the next try or the time of a summary.
    const waitOnPurpose = 1;
    expect(watching("Waiting") + watching("DeadLettered")).toBe(queues.length - waitOnPurpose);
    expect(watching("DeadLettered")).toBe(queues.length / 2);
    // SQS leaves messages that were received three times out of the age of the oldest one.
    expect(watchedBy("SecurityEventsWaiting", "ApproximateNumberOfMessagesVisible")).toHaveLength(1);
    expect(watchedBy("SecurityEventsWaiting", "ApproximateNumberOfMessagesNotVisible")).toHaveLength(1);
    expect(watchedBy("WebhooksWaiting", "ApproximateAgeOfOldestMessage")).toHaveLength(1);
  });

  it("notice schedules that do not run, but only when there was something to compare with", () => {
    const detection = alarmOf("DetectionStopped");
    expect(expressionOf(detection)).toBe("0 * polls + invocations - errors");
    expect(watchedBy("DetectionStopped", "Invocations")).toEqual(["JudgingDispatchDetection"]);
    expect(watchedBy("DetectionStopped", "ApproximateNumberOfMessagesVisible")).toEqual(["WebhooksReceived"]);
    expect(detection).toMatchObject({ Threshold: 1, ComparisonOperator: "LessThanThreshold", EvaluationPeriods: 9 });
    const hourly = ofType("AWS::Events::Rule").filter(([, { Properties }]) =>
      String(Properties.ScheduleExpression).startsWith("cron("),
    );
    expect(watchedBy("SchedulesStopped", "Invocations")).toHaveLength(hourly.length);
    const parts = alarms.filter((alarm) => nameOf(alarm) === "SchedulesStopped");
    expect(parts.map(({ EvaluationPeriods }) => EvaluationPeriods)).toEqual([3, 3]);
    expect(parts.reduce((sum, { Threshold }) => sum + Number(Threshold), 0)).toBe(hourly.length);
    expect(alarmOf("SyncsStopped")).toMatchObject({ EvaluationPeriods: 9 });
  });
});
