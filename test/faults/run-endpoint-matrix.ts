/** Runs cells of the matrix of endpoints in several lanes at once, and renders the results. */
import { renderTable } from "../detection/table.ts";
import type { Trials } from "../support/trials.ts";
import { type EndpointCase, endpointCases } from "./endpoint-cases.ts";
import { type Cell, cellsOf, commandOf, makeReady, type Ready, type Result, runCell } from "./endpoint-matrix.ts";
import type { FaultName } from "./fault.ts";
import { drawOf } from "./fault-plan.ts";
import { type FaultBench, type Lane, startFaultBench } from "./lanes.ts";
import { patiently } from "./patiently.ts";
import type { World } from "./setting.ts";
import { makeWorld } from "./world.ts";

/** `share`: of all cells, from 0 to 1, chosen by the seed; `once` and `more` (twice, always) apart. */
export type MatrixOptions = {
  seed: number;
  share: { once: number; more: number };
  /** Only these cells; default: all. */
  only?: (cell: Cell) => boolean;
  /** Only these endpoints; default: all. */
  onlyEndpoint?: (name: string) => boolean;
  onResult?: (result: Result) => void;
};

/** Most cells with a hanging service only wait; more lanes would starve the functions beside other tests on two cores. */
const LANES = 5;
const WAITING: readonly FaultName[] = ["hang", "lost_hang"];

type Job = { ready: Ready; cell: Cell };

const jobsOf = (ready: readonly Ready[], { seed, share, only }: MatrixOptions): Job[] => {
  const isChosen = (cell: Cell) => drawOf(seed, commandOf(cell)) < (cell.times === "once" ? share.once : share.more);
  const jobs = ready.flatMap((one) => cellsOf(one).map((cell) => ({ ready: one, cell })));
  const isWaiting = ({ cell }: Job) => Number(WAITING.includes(cell.fault)) + Number(cell.times === "always");
  return jobs
    .filter(({ cell }) => only?.(cell) ?? true)
    .filter(({ cell }) => isChosen(cell))
    .sort((a, b) => isWaiting(b) - isWaiting(a));
};

const inLanes = async <Item>(
  lanes: readonly Lane[],
  items: readonly Item[],
  work: (lane: Lane, item: Item) => unknown,
) => {
  const left = [...items];
  await Promise.all(
    lanes.map(async (lane) => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(lane, item);
    }),
  );
};

const runWith = async (bench: FaultBench, options: MatrixOptions): Promise<Result[]> => {
  const lanes = await Promise.all(Array.from({ length: LANES }, () => bench.lane()));
  const [first] = lanes;
  if (first === undefined) throw new Error("there is no lane");
  const world: World = await makeWorld(bench, first);
  const start = await first.snapshot();
  const wanted = Object.entries<EndpointCase>(endpointCases).filter(([name]) => options.onlyEndpoint?.(name) ?? true);
  const ready: Ready[] = [];
  await inLanes(lanes.slice(0, 3), wanted, async (lane, [name, endpoint]) => {
    ready.push(await patiently(() => makeReady({ bench, lane, world }, start, name, endpoint)));
  });
  const results: Result[] = [];
  await inLanes(lanes, jobsOf(ready, options), async (lane, job) => {
    const result = await runCell({ bench, lane, world }, job.ready, job.cell);
    options.onResult?.(result);
    results.push(result);
  });
  return results;
};

/** @throws Error if a good request fails. */
export const runMatrix = async (options: MatrixOptions): Promise<Result[]> => {
  const bench = await startFaultBench();
  try {
    return await runWith(bench, options);
  } finally {
    await bench.stop();
  }
};

/** The columns of the table. */
const KINDS: Record<string, readonly FaultName[]> = {
  "errors, HTML": ["500", "503", "html_200", "html_502"],
  throttled: ["throttled", "throughput_exceeded", "request_limit", "rate_limited"],
  "single items": [
    "unprocessed",
    "unprocessed_all",
    "failed_entries",
    "failed_entries_all",
    "conflict",
    "cancelled_conflict",
    "cancelled_throttling",
    "cancelled_throughput",
    "cancelled_collection_size",
    "cancelled_validation",
  ],
  "reset, hang, slow": ["reset_before", "hang", "slow"],
  "answer lost": ["lost_reset", "lost_500", "lost_hang", "half_answer", "cut_json"],
};

const isWrong = ({ wrongs }: Result): boolean => wrongs.length > 0;

const countsOf = (results: readonly Result[]): string => {
  const tried = results.filter(({ verdict }) => verdict !== "not reached");
  if (tried.length === 0) return "–";
  const number = (verdict: Result["verdict"]) =>
    tried.filter((result) => !isWrong(result) && result.verdict === verdict).length;
  return `${tried.length} / ${number("masked")} / ${number("refused")} / ${tried.filter(isWrong).length}`;
};

/** The cells whose call was made, and how many of them were wrong in which way. */
export const countTrials = (results: readonly Result[]): Omit<Trials, "name"> => {
  const total = (kind: Result["wrongs"][number]) => results.filter(({ wrongs }) => wrongs.includes(kind)).length;
  const tried = results.filter(({ verdict }) => verdict !== "not reached").length;
  return { tried, lost: total("lost"), doubled: total("doubled"), leaked: total("leaked"), failed: total("5xx") };
};

/** A row per endpoint: cells tried / good answer / 503, then right when repeated / wrong; and the slowest answer. */
export const renderResults = (results: readonly Result[]): string => {
  const names = [...new Set(results.map(({ cell }) => cell.endpoint))].sort();
  const rows = names.map((name) => {
    const own = results.filter(({ cell }) => cell.endpoint === name);
    const slowest = Math.max(...own.map(({ ms }) => ms)) / 1_000;
    const cells = Object.values(KINDS).map((faults) => countsOf(own.filter(({ cell }) => faults.includes(cell.fault))));
    return [name, ...cells, `${slowest.toFixed(1)} s`];
  });
  const total = (kind: Result["wrongs"][number]) => results.filter(({ wrongs }) => wrongs.includes(kind)).length;
  const { tried, lost, doubled, leaked, failed } = countTrials(results);
  const unreached = results.length - tried;
  return [
    "Each cell: tried / normal answer / 503, then right when repeated / wrong",
    renderTable(["endpoint", ...Object.keys(KINDS), "slowest"], rows),
    `tried ${tried}, lost ${lost}, doubled ${doubled}, leaked ${leaked}, ` +
      `5xx of our own ${failed}, too late ${total("late")}, other wrong answers ${total("answer")}` +
      (unreached > 0 ? `; ${unreached} calls were not made again` : ""),
  ].join("\n");
};

/** What was wrong in a cell, and how to run it alone; undefined if nothing was. */
export const explainResult = (result: Result): string | undefined =>
  isWrong(result) ? [commandOf(result.cell), ...result.notes.map((note) => `    ${note}`)].join("\n") : undefined;
