import { parseArgs } from "node:util";
import { instantParameter } from "../../shared/json/instant.ts";
import { type FindingRule, findingRules } from "../../shared/security/alerts/finding.ts";
import { MINUTE } from "./events.ts";

const USAGE = `npm run backtest -- --rule <rule> --from <time> --to <time> [options]

Replays a rule of detection over recorded events, and prints the findings that it would have raised, hour by hour.

  --rule <rule>           one of ${findingRules.join(", ")}
  --from <time>           from the hour of this time on: RFC 3339, or epoch milliseconds
  --to <time>             up to this time, or to now
  --organization <id>     events of this organization only; without it, of all
  --file <events.json>    reads events from a file: a list of them, or an answer of GET .../security;
                          without it, from the running local cloud (npm start)
  --cases                 replays the rule's test cases instead, and shows which fail
  --sync-interval <min>   how often syncs are scheduled, in minutes (240 by default, as deployed)
  --help                  this text

Baselines are derived from the events of the 28 days before, and runs from their events, which SECURITY_LOG_LEVEL may
exclude. Events that were judged at once are judged again.
`;

export type BacktestOptions = { rule: FindingRule; syncIntervalMs: number } & (
  | { cases: true }
  | { cases: false; from: number; to: number; organization: string | undefined; file: string | undefined }
);

const timeOf = (name: string, text: string | undefined): number => {
  if (text === undefined) throw new Error(`--${name} is missing: say from when to when (--help).`);
  const { data, error } = instantParameter("A time.").safeParse(text);
  if (data === undefined)
    throw new Error(`--${name} ${text}: ${error?.issues.map(({ message }) => message).join("; ")}`);
  return data;
};

const ruleOf = (text: string | undefined): FindingRule => {
  const rule = findingRules.find((one) => one === text);
  if (rule !== undefined) return rule;
  throw new Error(`--rule ${text ?? "is missing"}: expected one of ${findingRules.join(", ")}`);
};

/**
 * @returns undefined after printing the usage, if it was requested.
 * @throws Error with a one-line message if the arguments are invalid.
 */
export const readBacktestOptions = (args: readonly string[]): BacktestOptions | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rule: { type: "string" },
      from: { type: "string" },
      to: { type: "string" },
      organization: { type: "string" },
      file: { type: "string" },
      cases: { type: "boolean", default: false },
      "sync-interval": { type: "string", default: "240" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return undefined;
  }
  const { organization, file } = values;
  const rule = ruleOf(values.rule);
  if (!/^[1-9]\d{0,5}$/.test(values["sync-interval"])) throw new Error("--sync-interval: expected whole minutes");
  const syncIntervalMs = Number(values["sync-interval"]) * MINUTE;
  if (values.cases) return { rule, syncIntervalMs, cases: true };
  const [from, to] = [timeOf("from", values.from), timeOf("to", values.to)];
  if (from >= to) throw new Error("--from must be before --to.");
  return { rule, syncIntervalMs, cases: false, from, to, organization, file };
};
