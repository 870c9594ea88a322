/**
 * `npm run backtest -- --rule … --from … --to …`: the findings that a rule of detection would have raised from recorded events, hour
 * by hour. `--help` has the options. Exits with 1 if the arguments are invalid, the events cannot be read, or a case fails.
 */
import { isDeepStrictEqual } from "node:util";
import { failWith } from "../../infra/local/commands/fail-with.ts";
import { type RunningStack, readStackFile } from "../../infra/local/commands/stack-file.ts";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import type { SecurityEvent } from "../../shared/security/security-event.ts";
import { hourName, startOfHour } from "../../shared/terms/hours.ts";
import { allCases } from "../shared/detection/rules/all-cases.ts";
import { type BacktestOptions, readBacktestOptions } from "./backtest-options.ts";
import { DAY } from "./events.ts";
import { byOrganization } from "./organizations.ts";
import { readRecordedEvents, readRecordedFile } from "./recorded-events.ts";
import { recordedOrganizations } from "./recorded-organizations.ts";
import { replay } from "./replay.ts";
import { replayCase } from "./replay-case.ts";
import { renderTable } from "./table.ts";

/** How far baselines reach back. */
const BEFORE_MS = 28 * DAY;

type Period = Extract<BacktestOptions, { cases: false }>;

const print = (text: string) => process.stdout.write(`${text}\n`);

const organizationsOf = async ({ dynamodbUrl, tables }: RunningStack): Promise<string[]> => {
  const table = tables.find((name) => name.includes("TablesSecurityEvents"));
  if (table === undefined) throw new Error("The local cloud has no table of security events.");
  const client = engineClient(dynamodbUrl);
  return recordedOrganizations(client, table).finally(() => client.destroy());
};

const readEvents = async ({ from, organization, file }: Period): Promise<SecurityEvent[]> => {
  if (file !== undefined) return readRecordedFile(file);
  const stack = readStackFile();
  const { apiUrl, issuerUrl } = stack ?? {};
  if (stack === undefined || apiUrl === undefined || issuerUrl === undefined)
    throw new Error("The local cloud does not run: start it with npm start.");
  const all: SecurityEvent[] = [];
  try {
    for (const one of organization === undefined ? await organizationsOf(stack) : [organization]) {
      const showProgress = (events: number) => process.stderr.write(`\r${all.length + events} events read`);
      all.push(...(await readRecordedEvents({ apiUrl, issuerUrl }, one, from - BEFORE_MS, showProgress)));
    }
  } finally {
    process.stderr.write("\n");
  }
  return all;
};

const backtest = async (options: Period): Promise<void> => {
  const { rule, from, to, organization, syncIntervalMs } = options;
  const events = (await readEvents(options)).filter(({ timestamp }) => timestamp >= from - BEFORE_MS && timestamp < to);
  // Future hours are no silence. The local cloud's clock may be ahead of this one.
  const newest = events.reduce((latest, { timestamp }) => Math.max(latest, timestamp + 1), 0);
  const end = Math.min(to, Math.max(Date.now(), newest));
  const organizations = [...byOrganization(events)].filter(
    ([name]) => organization === undefined || name === organization,
  );
  const replayed = organizations.flatMap(([name, own]) =>
    replay(own, { rule, syncIntervalMs, end, ignoreMarks: true })
      .filter(({ hour }) => hour >= startOfHour(from))
      .map((hour) => ({ name, ...hour })),
  );
  const rows = replayed.flatMap(({ name, hour, events: judged, findings }) =>
    findings.map(({ subject, level, evidence: { count, ...details } }) => [
      hourName(hour),
      name === "" ? "(none)" : name,
      String(judged),
      subject,
      level,
      String(count),
      JSON.stringify(details),
    ]),
  );
  if (rows.length > 0)
    print(renderTable(["hour", "organization", "events", "subject", "level", "count", "evidence"], rows));
  const judged = replayed.reduce((sum, one) => sum + one.events, 0);
  print(
    `\n${rule}: ${rows.length} findings in ${replayed.length} hours with ${judged} events of ${organizations.length} organizations.`,
  );
};

const testCases = ({ rule }: BacktestOptions): void => {
  const cases = allCases.find((one) => one.rule === rule)?.cases ?? [];
  const judged = cases.map((one) => ({ ...one, raised: replayCase(one, rule).raised }));
  const describe = (found: unknown[]) => found.map((one) => JSON.stringify(one)).join(" ");
  const failed = judged.filter(({ finds, raised }) => !isDeepStrictEqual(raised, finds));
  print(
    renderTable(
      ["case", "events", "raised", ""],
      judged.map((one) => [
        one.title,
        String(one.events.length),
        describe(one.raised),
        failed.includes(one) ? "WRONG" : "ok",
      ]),
    ),
  );
  print(`\n${rule}: ${cases.length - failed.length} of ${cases.length} cases as labelled.`);
  if (failed.length > 0) process.exitCode = 1;
};

try {
  const options = readBacktestOptions(process.argv.slice(2));
  if (options?.cases === true) testCases(options);
  else if (options !== undefined) await backtest(options);
} catch (error) {
  failWith(error);
}
