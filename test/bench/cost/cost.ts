/** `npm run cost`: what a deployment costs a month, and which quota it reaches first. docs/cost.md has the result. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readTemplates } from "../../../infra/flat-template.ts";
import { prepareAssembly } from "../../../infra/prepare-assembly.ts";
import { measureUsage } from "./measure.ts";
import { defaultWorkload, type Workload } from "./model.ts";
import { renderCost } from "./render.ts";
import { Measured } from "./usage.ts";

const USAGE = `npm run cost -- [options]

Prints what a deployment costs a month, and which quota of AWS it reaches first. Without options it prints the tables of
docs/cost.md.

  --organizations <n>  one size in place of 100, 10,000 and 1,000,000 organizations
  --webhooks <n>       webhooks of an organization each day (${defaultWorkload.webhooks})
  --writes <n>         changes through the API, of an organization each day (${defaultWorkload.writes})
  --reads <n>          reads through the API, of an organization each day (${defaultWorkload.reads})
  --cold-share <s>     share of invocations that start an instance, 0 to 1 (${defaultWorkload.coldShare})
  --slower <x>         a function's time on Lambda, in multiples of the measured one (${defaultWorkload.slower})
  --retention <days>   the context key RETENTION_DAYS (${defaultWorkload.retentionDays})
  --sync-hours <h>     the context key SYNC_INTERVAL_HOURS (${24 / defaultWorkload.syncsPerDay})
  --measure            measures first what a day of the service uses, about two minutes, and keeps the result
  --keep-times         keeps the functions' times: on a busy machine they are too long
  --write              writes the tables into docs/cost.md
  --help               this text
`;

const measuredPath = join(import.meta.dirname, "measured.json");
const pagePath = join(import.meta.dirname, "..", "..", "..", "docs", "cost.md");
const SIZES = [100, 10_000, 1_000_000];
const BLOCK = /(<!-- npm run cost -- --write -->\n)[\s\S]*(<!-- end -->)/;

export const readMeasured = (): Measured => Measured.parse(JSON.parse(readFileSync(measuredPath, "utf8")));

/** The page with the tables of the measured usage. */
export const renderPage = (page: string, measured: Measured): string => {
  const loads = SIZES.map((organizations) => ({ ...defaultWorkload, organizations }));
  return page.replace(BLOCK, (_, start, end) => `${start}\n${renderCost(measured, loads)}\n\n${end}`);
};

type Template = { Resources: Record<string, { Type: string; Properties?: { Metrics?: { MetricStat?: unknown }[] } }> };

/** What a template bills while nothing happens. The local cloud's has every option that adds to it. */
export const countResources = (assemblyDirectory: string): Measured["resources"] => {
  const { Resources } = readTemplates(assemblyDirectory).flat as Template;
  const count = (type: string) => Object.values(Resources).filter(({ Type }) => Type === type).length;
  /** An alarm has one metric, or a list of metrics and of expressions, which are free. */
  const metricsOf = ({ Metrics }: NonNullable<Template["Resources"][string]["Properties"]> = {}): number =>
    Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1;
  const alarms = Object.values(Resources).filter(({ Type }) => Type === "AWS::CloudWatch::Alarm");
  return {
    alarmMetrics: alarms.reduce((sum, { Properties }) => sum + metricsOf(Properties), 0),
    dashboards: count("AWS::CloudWatch::Dashboard"),
    keys: count("AWS::KMS::Key"),
    secrets: count("AWS::SecretsManager::Secret"),
    pollers: count("AWS::Lambda::EventSourceMapping"),
  };
};

/** Measured usage with the functions' times of an earlier measurement. Further invocations take as long as those of its sync. */
const withTimesOf = (earlier: Measured, measured: Measured): Measured => {
  const { initMs, timesMeasuredOn } = earlier;
  const kept = { ...measured, initMs, timesMeasuredOn };
  const invocationMs = earlier.sync.functionMs / earlier.sync.invocations;
  for (const work of ["idleDay", "organizationDay", "sync", "webhook", "write", "read"] as const)
    kept[work] = {
      ...measured[work],
      functionMs: earlier[work].functionMs + (measured[work].invocations - earlier[work].invocations) * invocationMs,
    };
  return kept;
};

const measure = async ({ keepTimes }: { keepTimes: boolean }): Promise<void> => {
  const progress = (text: string) => void process.stderr.write(`${text}\n`);
  const workDirectory = mkdtempSync(join(tmpdir(), "cost-"));
  try {
    progress("Building and synthesising …");
    const assemblyDirectory = await prepareAssembly(join(workDirectory, "assembly"));
    const options = { quick: false, only: [], seed: 1 };
    const measured = await measureUsage(
      { options, assemblyDirectory, workDirectory, progress },
      countResources(assemblyDirectory),
    );
    const kept = keepTimes ? withTimesOf(readMeasured(), measured) : measured;
    writeFileSync(measuredPath, `${JSON.stringify(kept, undefined, 2)}\n`);
  } finally {
    rmSync(workDirectory, { recursive: true });
  }
};

const readNumber = (name: string, text: string, [least, most]: readonly [number, number]): number => {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Error(`--${name}: expected a number from ${least} to ${most}, got ${text}`);
};

const run = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      organizations: { type: "string" },
      webhooks: { type: "string" },
      writes: { type: "string" },
      reads: { type: "string" },
      "cold-share": { type: "string" },
      slower: { type: "string" },
      retention: { type: "string" },
      "sync-hours": { type: "string" },
      measure: { type: "boolean", default: false },
      "keep-times": { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const ANY = [0, 1e12] as const;
  const read = (name: keyof typeof values, fallback: number, range: readonly [number, number]): number => {
    const text = values[name];
    return typeof text === "string" ? readNumber(name, text, range) : fallback;
  };
  const load: Omit<Workload, "organizations"> = {
    webhooks: read("webhooks", defaultWorkload.webhooks, ANY),
    writes: read("writes", defaultWorkload.writes, ANY),
    reads: read("reads", defaultWorkload.reads, ANY),
    coldShare: read("cold-share", defaultWorkload.coldShare, [0, 1]),
    slower: read("slower", defaultWorkload.slower, [0.1, 100]),
    retentionDays: read("retention", defaultWorkload.retentionDays, [1, 3650]),
    syncsPerDay: 24 / read("sync-hours", 24 / defaultWorkload.syncsPerDay, [1, 168]),
  };
  const sizes = values.organizations === undefined ? SIZES : [read("organizations", 0, [1, 1e9])];
  if (values.measure) await measure({ keepTimes: values["keep-times"] });
  const measured = readMeasured();
  console.log(
    renderCost(
      measured,
      sizes.map((organizations) => ({ ...load, organizations })),
    ),
  );
  if (values.write) writeFileSync(pagePath, renderPage(readFileSync(pagePath, "utf8"), measured));
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await run();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
