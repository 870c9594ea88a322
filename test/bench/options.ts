import { parseArgs } from "node:util";

export type Options = {
  /** Runs fewer rounds: a rough result in less than one minute. */
  quick: boolean;
  /** Parts of the names of the files under rows/ to run; empty for all files. */
  only: readonly string[];
  /** The seed for the order of the rounds. */
  seed: number;
  /** How many events are exported; by default the number of the row "exports". */
  events?: number;
};

const USAGE = `npm run bench -- [--quick] [--only <rows>] [--seed <number>] [--events <number>]

Measures the bundles that a deployment would upload and prints each metric beside its budget.

  --quick            few rounds: a first impression, most ratios stay undecided
  --only <rows>      only the rows of test/bench/rows/*<rows>*.ts; may be given more than once
  --seed <number>    the order of the rounds (1 by default)
  --events <number>  how many events the row "exports" exports (100,000 by default; a million take half an hour)
  --help             this text

It takes CPU time, not wall time, but a busy machine still blurs it. docs/performance.md has the method.
`;

/**
 * @returns undefined after printing the usage, if it was requested.
 * @throws Error in one line if an option does not exist or has no number.
 */
export const readOptions = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      seed: { type: "string", default: "1" },
      events: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return undefined;
  }
  const { quick, only, seed, events } = values;
  for (const [name, text = "0"] of Object.entries({ seed, events }))
    if (!/^\d{1,15}$/.test(text)) throw new Error(`--${name} ${text}: expected a whole number`);
  return { quick, only, seed: Number(seed), ...(events !== undefined && { events: Number(events) }) };
};
