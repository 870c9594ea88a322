/**
 * `npm run scale`: runs the real dispatchers with 100,000 and 1,000,000 organizations, over stores in memory and a simulated
 * clock, and prints time, memory and units beside their limits.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import * as z from "zod";
import { renderTable } from "../detection/table.ts";
import { type ScaleCaseName, scaleCases } from "./cases.ts";

const names = Object.keys(scaleCases) as ScaleCaseName[];

const HELP = `Usage: npm run scale -- [--only <case>] [--organizations <number>]

Runs the dispatchers that reach every organization, as they deploy, over stores in memory. A call of a store takes
5 ms of a simulated clock; the processor's time is measured here and not added. Each case has a process with the heap
of a function of 1,024 MB.

  --only <case>              ${names.join(", ")}; may be given more than once
  --organizations <number>   100000 and 1000000 by default; may be given more than once
  --help                     this text

Exit code: 0 all limits hold, 1 one does not, 2 the command is wrong.
`;

/** V8's heap in a function of 1,024 MB. */
const HEAP_MB = 921;

const Ran = z.object({
  outcome: z.union([
    z.string(),
    z.object({ ms: z.number(), invocations: z.number(), read: z.number(), write: z.number(), events: z.number() }),
  ]),
  peakBytes: z.number(),
  cpuMs: z.number(),
});

const runCase = async (name: ScaleCaseName, count: number): Promise<{ cells: string[]; holds: boolean }> => {
  const { title, limitMs, limit } = scaleCases[name];
  const program = [`--max-old-space-size=${HEAP_MB}`, join(import.meta.dirname, "run-case.ts"), name, String(count)];
  const ran = await promisify(execFile)(process.execPath, program).then(
    ({ stdout }) => Ran.parse(JSON.parse(stdout)),
    (error: Error) => ({
      outcome: error.message.includes("heap") ? "out of memory" : error.message,
      peakBytes: 0,
      cpuMs: 0,
    }),
  );
  const counted = count.toLocaleString("en");
  if (typeof ran.outcome === "string")
    return { cells: [title, counted, ran.outcome, "", "", "", "", limit, "missed"], holds: false };
  const { ms, invocations, read, write } = ran.outcome;
  const holds = ms <= limitMs;
  const whole = (units: number) => Math.round(units).toLocaleString("en");
  const memory = `${Math.round(ran.peakBytes / 1_048_576)} MB`;
  const processor = `${(ran.cpuMs / 1_000).toFixed(1)} s`;
  const time = ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`;
  const cells = [
    title,
    counted,
    `${time} in ${invocations}`,
    memory,
    processor,
    whole(read),
    whole(write),
    limit,
    holds ? "met" : "missed",
  ];
  return { cells, holds };
};

const options = {
  only: { type: "string", multiple: true },
  organizations: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

/** @throws Error with one sentence for a wrong command */
const readCommand = () => {
  const { values } = parseArgs({ options });
  const only = values.only ?? names;
  const unknown = only.find((name) => !names.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--only: there is no case ${unknown}, see --help`);
  const counts = (values.organizations ?? ["100000", "1000000"]).map(Number);
  if (counts.some((count) => !Number.isSafeInteger(count) || count < 10 || count % 10 !== 0))
    throw new Error("--organizations: expected a multiple of 10");
  return { help: values.help === true, only: only as ScaleCaseName[], counts };
};

const main = async (): Promise<number> => {
  const { help, only, counts } = readCommand();
  if (help) {
    console.log(HELP);
    return 0;
  }
  const rows: Awaited<ReturnType<typeof runCase>>[] = [];
  for (const name of only) {
    for (const count of counts) {
      console.error(`${name}, ${count.toLocaleString("en")} organizations …`);
      rows.push(await runCase(name, count));
    }
  }
  const header = ["Work", "organizations", "time in invocations", "heap", "processor", "read units", "write units"];
  console.log(
    renderTable(
      [...header, "limit", "verdict"],
      rows.map(({ cells }) => cells),
    ),
  );
  return rows.every(({ holds }) => holds) ? 0 : 1;
};

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
