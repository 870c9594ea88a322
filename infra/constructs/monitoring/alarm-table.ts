/**
 * Every alarm of the service, by subject. Each has a section of the same name in docs/operations.md: what it means, what to
 * look at, what to do. An alarm costs per metric, so metrics of the same meaning share an alarm.
 */
import { Duration } from "aws-cdk-lib";
import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { requestAlarms } from "./request-alarms.ts";
import { scheduleAlarms } from "./schedule-alarms.ts";
import { type AlarmDefinition, FIVE_MINUTES, loggedMetric, pollsOf, sumOf, type Watched } from "./watched.ts";
import { queueAlarms, workAlarms } from "./work-alarms.ts";

/**
 * The tables with the most requests, but webhookEvents, whose throttling raises WebhooksFailing. An alarm has room for four
 * and `polls`. An alarm on metrics of
 * DynamoDB alone would never end: it keeps its state while they are missing, which they are without throttling.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
const storeAlarms = (watched: Watched): AlarmDefinition[] => {
  const { tables, config } = watched;
  const busiest = [tables.plants, tables.securityEvents, tables.securityRollups, tables.records];
  return [
    {
      name: "TablesThrottled",
      description: "For 15 minutes, DynamoDB throttled requests to the busiest tables",
      metric: sumOf({
        metrics: busiest.flatMap((table) =>
          ["ReadThrottleEvents", "WriteThrottleEvents"].map((name) =>
            table.metric(name, { statistic: "Sum", period: FIVE_MINUTES }),
          ),
        ),
        label: "Throttled requests",
        polls: pollsOf(watched, FIVE_MINUTES),
      }),
      atLeast: 1,
      periods: 3,
    },
    {
      name: "StoreFailing",
      description: "Within five minutes, five calls of DynamoDB, KMS or Secrets Manager failed after all retries",
      metric: loggedMetric(config, "StoreFailures", "Sum"),
      atLeast: 5,
      periods: 1,
    },
  ];
};

/**
 * Four fifths of the reads that each account has in a month: https://docs.stripe.com/rate-limits
 */
const READS_WARNING = 8_000;

const providerAlarms = ({ config }: Watched): AlarmDefinition[] => [
  {
    name: "ProviderReadsHigh",
    description: `An organization has used ${READS_WARNING} of the reads that the provider grants in a month`,
    metric: loggedMetric(config, "ProviderReads", "Maximum"),
    atLeast: READS_WARNING,
    periods: 1,
  },
];

/** SES reviews an account from 5 % on, and may pause it at 10 %: https://docs.aws.amazon.com/ses/latest/dg/reputationdashboardmessages.html */
const BOUNCE_RATE_WARNING = 0.04;

/** The sender's reputation, which all mails of the account and region share. */
const mailAlarms = ({ config }: Watched): AlarmDefinition[] =>
  config.emailSender === undefined
    ? []
    : [
        {
          name: "MailsBouncing",
          description: "Of the account's mails in this region, at least 4 % bounced for good",
          // SES writes it without dimensions: https://docs.aws.amazon.com/ses/latest/dg/reputationdashboard-cloudwatch-alarm.html
          metric: new Metric({
            namespace: "AWS/SES",
            metricName: "Reputation.BounceRate",
            statistic: "Maximum",
            period: Duration.hours(1),
          }),
          atLeast: BOUNCE_RATE_WARNING,
          periods: 1,
        },
      ];

/**
 * Jobs of AWS Backup that did not make a backup or a copy: they failed, were ended, or did not begin in their time.
 * https://docs.aws.amazon.com/aws-backup/latest/devguide/cloudwatch.html
 */
const LOST_BACKUPS = ["BackupJobsFailed", "BackupJobsAborted", "BackupJobsExpired", "CopyJobsFailed"];

const backupAlarms = (BackupVaultName: string): AlarmDefinition[] => [
  {
    name: "BackupsFailing",
    description: "Within an hour, AWS Backup did not make a backup of a table, or a copy of one",
    metric: sumOf({
      metrics: LOST_BACKUPS.map(
        (jobs) =>
          new Metric({
            namespace: "AWS/Backup",
            metricName: `NumberOf${jobs}`,
            dimensionsMap: { BackupVaultName },
            statistic: "Sum",
            period: Duration.hours(1),
          }),
      ),
      label: "Backups and copies that were not made",
      period: Duration.hours(1),
    }),
    atLeast: 1,
    periods: 1,
  },
];

/** Lost work and outages that functions name themselves. */
const operatorAlarms = ({ config }: Watched): AlarmDefinition[] => [
  {
    name: "OperatorsNeeded",
    description: "A function logged a line with the field alarm, which names the problem",
    metric: loggedMetric(config, "OperatorAlarms", "Sum"),
    atLeast: 1,
    periods: 1,
  },
];

/** The alarms by subject, in the order of their sections. Subjects are rows of the dashboard. */
export const alarmGroups = (watched: Watched): { title: string; alarms: AlarmDefinition[] }[] => [
  { title: "API and webhook URL", alarms: requestAlarms(watched) },
  { title: "Background work", alarms: workAlarms(watched) },
  { title: "Queues", alarms: queueAlarms(watched) },
  { title: "Schedules", alarms: scheduleAlarms(watched) },
  { title: "Store", alarms: storeAlarms(watched) },
  { title: "Provider", alarms: providerAlarms(watched) },
  { title: "E-mail", alarms: mailAlarms(watched) },
  { title: "Operators", alarms: operatorAlarms(watched) },
  ...(watched.backupVaultName === undefined
    ? []
    : [{ title: "Backups", alarms: backupAlarms(watched.backupVaultName) }]),
];
