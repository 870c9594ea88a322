/** Plays thousands of webhook histories in memory, or one by its seed. Fails if a history does. */
import { parseArgs } from "node:util";
import { runHistory } from "./history.ts";

const help = `npm run histories -- [options]

Plays histories of webhooks: shuffled, repeated, late and lost deliveries beside sync runs, with crashes.

  --histories N  so many, 10,000 unless said
  --seed N       only the one of this seed
  --first N      the first seed, 1 unless said
  --changes N    so much happens at the provider in each, 18 unless said
  --help         this
`;

const { values } = parseArgs({
  options: {
    histories: { type: "string", default: "10000" },
    seed: { type: "string" },
    changes: { type: "string", default: "18" },
    first: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});

// The histories write log lines to the same stream.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
const print = (line: string): void => void write(`${line}\n`);

const play = async (seed: number) => {
  try {
    return await runHistory(seed, { changes: Number(values.changes) });
  } catch (error) {
    return { problem: error instanceof Error ? error.stack : String(error), events: 0, dropped: 0, healed: 0 };
  }
};

const explore = async (): Promise<number> => {
  const first = Number(values.seed ?? values.first);
  const count = values.seed === undefined ? Number(values.histories) : 1;
  const startedAt = Date.now();
  const total = { events: 0, dropped: 0, failures: 0 };
  for (let seed = first; seed < first + count; seed++) {
    const { problem, events, dropped } = await play(seed);
    total.events += events;
    total.dropped += dropped;
    if (problem === undefined) continue;
    total.failures++;
    print(`--seed ${seed}: ${problem}`);
  }
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  print(`${count} histories of ${total.events} events, ${total.dropped} never delivered, in ${seconds} s`);
  print(total.failures === 0 ? "All records end as the provider has them." : `${total.failures} of them failed.`);
  return total.failures;
};

if (values.help) print(help);
else process.exitCode = (await explore()) === 0 ? 0 : 1;
