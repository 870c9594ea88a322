/** Plays simulations of the whole service, or one by its seed. Fails if a simulation does. */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { serialize } from "node:v8";
import "./process.ts";
import { installClients } from "./edges.ts";
import { loadFunctions } from "./functions.ts";
import { mutations } from "./mutations.ts";

const help = `npm run simulate -- [options]

Plays the whole service in one process: the real functions, a simulated clock, faults on every request.

  --seeds N   number of simulations, 100 by default
  --from N    the first seed, 1 by default
  --seed N    only the simulation of this seed
  --minutes N the longest simulated time with faults, 16 by default
  --verbose   prints every step
  --mutation  plants a fault by its name (mutations.ts), and stops at the first seed that finds it
  --calls F   writes every call of the store with its answer to a file, in the format of node:v8
  --help      this
`;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    minutes: { type: "string", default: "16" },
    mutation: { type: "string" },
    calls: { type: "string" },
    verbose: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

// The functions write log lines to the same stream.
const write = process.stdout.write.bind(process.stdout);
const print = (line: string): void => void write(`${line}\n`);

/** The last error lines of the functions' log that a failed simulation shows. */
const SHOWN_ERRORS = 3;

const run = async (): Promise<number> => {
  const mutation = values.mutation === undefined ? undefined : mutations[values.mutation];
  if (values.mutation !== undefined && mutation === undefined)
    throw new Error(`There is no mutation ${values.mutation}.`);
  const factories = await loadFunctions(mutation);
  await installClients();
  const { simulate } = await import("./history.ts");
  const trace = values.verbose ? print : undefined;
  let errors: string[] = [];
  process.stdout.write = (chunk) => {
    if (String(chunk).startsWith('{"level":"error"')) errors.push(String(chunk));
    return values.verbose ? write(`  ${chunk}`) : true;
  };
  const calls: Buffer[] = [];
  const watch = values.calls === undefined ? {} : { onCall: (call: object) => void calls.push(serialize(call)) };
  const minutes = Number(values.minutes);
  const first = Number(values.seed ?? values.from);
  const count = values.seed === undefined ? Number(values.seeds) : 1;
  const startedAt = process.hrtime.bigint();
  const total = { failures: 0, steps: 0, store: 0, provider: 0, published: 0, delivered: 0, sent: 0 };
  for (let seed = first; seed < first + count; seed++) {
    errors = [];
    const { problem, steps, counts, digest } = await simulate(seed, factories, { minutes, trace, ...watch });
    total.steps += steps;
    for (const name of ["store", "provider", "published", "delivered", "sent"] as const) total[name] += counts[name];
    if (values.verbose) print(`seed ${seed}: ${steps} steps, digest ${digest}`);
    if (problem === undefined) continue;
    total.failures++;
    for (const error of errors.slice(-SHOWN_ERRORS)) write(`  ${error}`);
    print(
      `seed ${seed} failed: ${problem}\n  replay: npm run simulate -- --seed ${seed} --minutes ${minutes} --verbose`,
    );
    if (mutation !== undefined) break;
  }
  const seconds = (Number(process.hrtime.bigint() - startedAt) / 1e9).toFixed(1);
  print(
    `${count} simulations of ${total.steps} steps in ${seconds} s: ${total.store} calls of the store, ${total.provider} of the provider, ${total.published} events published, ${total.delivered} webhooks delivered, ${total.sent} notifications received, ${total.failures} failed`,
  );
  if (values.calls !== undefined) writeFileSync(values.calls, serialize(calls));
  return total.failures;
};

if (values.help) print(help);
else process.exitCode = (await run()) === 0 ? 0 : 1;
