import { parseArgs } from "node:util";
import { InstantParameter } from "../../shared/json/instant.ts";
import { type FindingRule, findingRules } from "../../shared/security/alerts/finding.ts";
import { MINUTE } from "./events.ts";

const USAGE = `npm run backtest -- --rule <rule> --from <time> --to <time> [options]

Replays a rule of detection over recorded events, and prints what it would have raised, hour by hour.

  --rule <rule>           one of ${findingRules.join(", ")}
  --from <time>           from the hour of this time on: RFC 3339, or epoch milliseconds
  --to <time>             up to this time, or to now
  --organization <id>     whose events; everybody's without it
  --file <events.json>    reads events from a file: a list of them, or an answer of GET .../security;
                          without it, from the local cloud that runs (npm start)
  --cases                 replays the rule's labelled cases instead, and says which it fails
  --sync-interval <min>   how often syncs are scheduled, in minutes (240 by default, as deployed)
  --help                  this text

What the rule knows of the 28 days before is pieced together from the events of that time; runs, too, are known from
their events, so below SECURITY_LOG_LEVEL low there is nothing to know. What was judged when it happened is judged again.
`;

export type BacktestOptions = { rule: FindingRule; syncIntervalMs: number } & (
  | { cases: true }
  | { cases: false; from: number; to: number; organization: string | undefined; file: string | undefined }
);

const timeOf = (name: string, text: string | undefined): number => {
  if (text === undefined) throw new Error(`--${name} is missing: say from when to when (--help).`);
  const { data, error } = InstantParameter.safeParse(text);
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
 * @returns undefined where the usage was asked for and printed.
 * @throws Error with one clear line where the arguments make no sense.
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
