/** The tables of docs/cost.md. */
import {
  type Bill,
  type Cause,
  defaultWorkload,
  monthlyBills,
  organizationsAt,
  PEAK,
  peakNeeds,
  syncMinutes,
  totalOf,
  type Workload,
} from "./model.ts";
import { prices, quotas } from "./prices.ts";
import type { Measured } from "./usage.ts";

const causes: Record<Cause, string> = {
  idle: "nothing happens",
  syncs: "quiet syncs",
  hours: "closing hours, detection, reports",
  webhooks: "webhooks",
  requests: "API requests",
};
const parts: Record<keyof Bill, string> = {
  store: "DynamoDB",
  functions: "Lambda",
  messages: "EventBridge and SQS",
  api: "API Gateway",
  keys: "KMS and Secrets Manager",
  logsAndAlarms: "CloudWatch",
};
const quotaNames: Record<keyof typeof quotas, string> = {
  concurrency: "Lambda: concurrent executions",
  apiRequests: "API Gateway: requests a second",
  busEvents: "EventBridge: PutEvents a second",
  busInvocations: "EventBridge: invocations a second",
  tableWrites: "DynamoDB: write units a second, of the busiest table",
  tableReads: "DynamoDB: read units a second, of the busiest table",
  kmsCalls: "KMS: symmetric operations a second",
};

const number = (value: number): string =>
  value.toLocaleString("en", value < 100 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 });

const usd = (value: number): string => value.toFixed(2);

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map((_, column) => (column === 0 ? "---" : "---:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");

const usageTable = (measured: Measured): string => {
  const columns = [
    ["a day of the service without organizations", measured.idleDay],
    ["a day of a quiet organization", measured.organizationDay],
    ["… of it, each of its six syncs", measured.sync],
    ["a webhook, applied", measured.webhook],
    ["a plant created", measured.write],
    ["a page of 50 security events", measured.read],
  ] as const;
  return table(
    [
      "",
      "read units",
      "write units",
      "bytes kept",
      "bytes logged",
      "invocations",
      "ms",
      "bus events",
      "deliveries of them",
      "KMS calls",
      "calls of the signing key",
    ],
    columns.map(([name, usage]) => [name, ...Object.values(usage).map((value) => number(Math.max(0, value)))]),
  );
};

const idleSentence = ({ resources }: Measured, idle: Bill): string => {
  const { alarmMetrics, dashboards } = resources;
  const watching = alarmMetrics * prices.alarmMetricMonth + dashboards * prices.dashboardMonth;
  const total = `An idle deployment costs ${usd(totalOf(idle))} USD`;
  return `${total}, of which ${usd(watching)} are the ${alarmMetrics} metrics of the alarms and the dashboard.`;
};

/** @param loads by size. */
export const renderCost = (measured: Measured, loads: readonly Workload[]): string => {
  const sizes = loads.map(({ organizations }) => `${number(organizations)} organizations`);
  const bills = loads.map((load) => monthlyBills(measured, load));
  const totals = bills.map((bill) => Object.values(bill).reduce((sum, one) => sum + totalOf(one), 0));
  const row = (name: string, usd: (bill: Record<Cause, Bill>) => number) => [
    name,
    ...bills.map((bill) => number(usd(bill))),
  ];
  const total = ["**total**", ...totals.map((usd) => `**${number(usd)}**`)];
  const each = ["for each organization", ...totals.map((usd, i) => number(usd / (loads[i]?.organizations ?? 1)))];
  const needs = loads.map((load) => peakNeeds(measured, load));
  const [largest = { ...defaultWorkload, organizations: 1 }] = loads.slice(-1);
  const quotaRows = (needs.at(-1) ?? []).map(({ quota }) => {
    const { highest, lowest } = quotas[quota];
    const cells = needs.map((sized) => {
      const peak = sized.find((need) => need.quota === quota)?.peak ?? 0;
      return peak > highest
        ? `**${number(peak)}**: raise`
        : peak > lowest
          ? `${number(peak)}: raise where lower`
          : number(peak);
    });
    const fullAt = number(organizationsAt(measured, largest, { quota }, highest));
    return [quotaNames[quota], number(highest), number(lowest), ...cells, fullAt];
  });
  const drain = (concurrency: number) => loads.map((load) => `${number(syncMinutes(measured, load, concurrency))} min`);

  return [
    "### What the work uses",
    usageTable(measured),
    `Units of ${measured.measuredOn}, times of ${measured.timesMeasuredOn}. An instance takes ${number(measured.initMs)} ms to start on that machine.`,
    "### USD a month, by cause",
    table(
      ["", ...sizes],
      [
        ...Object.entries(causes).map(([cause, name]) => row(name, (bill) => totalOf(bill[cause as Cause]))),
        total,
        each,
      ],
    ),
    idleSentence(measured, monthlyBills(measured, largest).idle),
    "### USD a month, by service",
    table(
      ["", ...sizes],
      [
        ...Object.entries(parts).map(([part, name]) =>
          row(name, (bill) => Object.values(bill).reduce((sum, one) => sum + one[part as keyof Bill], 0)),
        ),
        total,
      ],
    ),
    "### What saturates first",
    `Needs of the busiest minute, taken as ${PEAK} times the mean of the day; the scarcest first.`,
    table(["default quota", "in us-east-1", "lowest", ...sizes, "that of us-east-1 is used up at"], quotaRows),
    "Minutes until all syncs of one interval have ended:",
    table(
      ["concurrent executions", ...sizes],
      [quotas.concurrency.lowest, quotas.concurrency.highest, 10_000].map((concurrency) => [
        number(concurrency),
        ...drain(concurrency),
      ]),
    ),
  ].join("\n\n");
};
