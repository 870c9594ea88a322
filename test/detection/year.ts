/**
 * `npm run detection:year`: simulates a year of organizations with attacks and look-alikes, judges it hour by hour, and
 * prints precision and recall per rule. `--help` has the options.
 */
import { parseArgs } from "node:util";
import { failWith } from "../../infra/local/commands/fail-with.ts";
import { renderTable } from "./table.ts";
import { runPeacefulYear, runYear } from "./year/run-year.ts";
import { precisionOf, recallOf } from "./year/score.ts";

const USAGE = `npm run detection:year -- [--seed <number>] [--days <number>] [--organizations <number>] [--peaceful <number>]
    [--examples]

  --seed            1 by default; the same seed gives the same year
  --days            364 by default
  --organizations   18 by default, three of each kind
  --peaceful        organizations whose payments nobody attacks; 28 by default
  --examples        names the missed attacks, and the false findings
`;

const print = (text: string) => process.stdout.write(`${text}\n`);

const numberOf = (name: string, text: string): number => {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new Error(`--${name} ${text}: expected a whole number from 1 on`);
};

try {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: "1" },
      days: { type: "string", default: "364" },
      organizations: { type: "string", default: "18" },
      peaceful: { type: "string", default: "28" },
      examples: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) print(USAGE);
  else {
    const options = {
      seed: numberOf("seed", values.seed),
      days: numberOf("days", values.days),
      organizations: numberOf("organizations", values.organizations),
    };
    const startedAt = performance.now();
    const { scores, hours, events, episodes } = runYear(options, ({ id, profile }) =>
      process.stderr.write(`${id} (${profile.name}) …\n`),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    const rows = scores.map((score) => [
      score.rule,
      String(score.planted),
      String(score.detected),
      recallOf(score).toFixed(3),
      String(score.findings),
      String(score.false),
      precisionOf(score).toFixed(3),
    ]);
    print(renderTable(["rule", "planted", "detected", "recall", "findings", "false", "precision"], rows));
    const { seed, days, organizations } = options;
    print(
      `\n${organizations} organizations, ${days} days, seed ${seed}: ${events} events in ${hours} hours, ${episodes} episodes; ` +
        `${seconds.toFixed(0)} s, ${((1_000_000 * seconds) / hours).toFixed(0)} µs an hour, making the events included.`,
    );
    const peaceful = runPeacefulYear({ ...options, organizations: numberOf("peaceful", values.peaceful) });
    const moneyNames = ["card_testing", "refund_burst", "dispute_rise", "early_fraud_warning"] as const;
    const most = moneyNames.map((rule) => [
      rule,
      String(peaceful.reduce((sum, { findings }) => sum + (findings[rule] ?? 0), 0)),
      String(Math.max(...peaceful.map(({ findings }) => findings[rule] ?? 0))),
    ]);
    print(`\n${peaceful.length} organizations that nobody attacks, their money in the same days:\n`);
    print(renderTable(["rule", "false", "most of an organization"], most));
    if (values.examples) {
      for (const { organization, examples } of peaceful)
        for (const one of examples) print(`peaceful: ${organization} ${one}`);
      for (const { rule, missed } of scores) for (const one of missed) print(`missed: ${rule} ${one}`);
      for (const { rule, mistaken } of scores) for (const one of mistaken) print(`mistaken: ${rule} ${one}`);
    }
  }
} catch (error) {
  failWith(error);
}
