/**
 * The matrix of workers: for each call of a good invocation, each fault at that call. A cell starts from the same state as
 * the good invocation, in a fresh instance. As on AWS, an invocation that fails is tried three times, and the message of a
 * queue until it succeeds. Then the faults end, an hour passes if something is missing, and the state must be the good one.
 */
import { gunzipSync } from "node:zlib";
import { backgroundFunctions } from "../../../shared/api/background-functions.ts";
import { busEvents } from "../../../shared/api/bus-events.ts";
import { scheduledEvent } from "../../support/scheduled-event.ts";
import { differenceOf, linesOf, plain } from "../compare.ts";
import type { SeenRequest } from "../fault.ts";
import { type FaultName, faultsOf } from "../fault.ts";
import { allTimes, type ChooseFault, followPlan, namedCalls, type Times } from "../fault-plan.ts";
import type { LaneObject } from "../lanes.ts";
import type { Setting } from "../setting.ts";
import type { Snapshot } from "../tables.ts";
import { type Delivery, HOUR_MS, type WorkerCase, type WorkerCaseName, workerCases } from "./worker-cases.ts";

export type WorkerCell = { work: WorkerCaseName; call: string; fault: FaultName; times: Times };

/** The stored items in lines (compare.ts), and the kinds of events for subscribers. */
type State = { lines: readonly string[]; events: readonly string[] };

/** A case that is ready for its cells. */
export type ReadyWork = {
  name: WorkerCaseName;
  work: WorkerCase;
  delivery: Delivery;
  before: Snapshot;
  objectsBefore: readonly LaneObject[];
  /** All that was stored before, as text. */
  known: string;
  /** After the invocation and all that follows from it, and after the next hour. */
  after: State;
  settled: State;
  calls: readonly { name: string; request: SeenRequest }[];
};

/**
 * `masked`: the first invocation succeeded, with the good state. `repeated`: a repetition made the state good. `found`: the
 * work was given up or left behind, and the next hour made the state good.
 */
export type Verdict = "masked" | "repeated" | "found" | "wrong" | "not reached";
export type Wrong = "lost" | "doubled";
export type WorkerResult = { cell: WorkerCell; verdict: Verdict; wrongs: readonly Wrong[]; notes: readonly string[] };

const TRIES = 3;
/** A queue shows a message again after this time, or later. A lease has ended by then. */
const VISIBILITY_MS = 2 * 60_000;
/** More rounds than any chain of events has. */
const MAX_ROUNDS = 12;
/** Between the invocation and the next hour's functions, which run one after another. */
const HOURLY_STEP_MS = 60_000;
const NEXT_HOUR_MS = HOUR_MS + 15 * HOURLY_STEP_MS;

const isQueued = ({ worker }: WorkerCase): boolean =>
  backgroundFunctions[worker].triggers.some((trigger) => "queueOf" in trigger);

/** @returns whether the invocation did its work. A queue's message fails by itself. */
const invoke = async ({ lane }: Setting, { name, payload }: Delivery): Promise<boolean> => {
  const result = await lane.invoke(name, payload);
  return result.ok && !/"batchItemFailures":\[\{/.test(result.payload);
};

/** As on AWS, an invocation that fails is tried again: without a fault, a busy machine may still let one run out of time. */
const invokePatiently = async (setting: Setting, delivery: Delivery): Promise<void> => {
  for (let tries = 0; tries < TRIES; tries++) if (await invoke(setting, delivery)) return;
};

/** Only these are results. A request for work that is repeated changes nothing. */
const forSubscribers = Object.entries(busEvents).flatMap(([name, event]) =>
  "isForSubscribers" in event ? [name] : [],
);

/** Carries out what the published events start, until nothing follows. @returns the kinds of events for subscribers. */
const settle = async (setting: Setting, known: string): Promise<string[]> => {
  const { lane } = setting;
  const events: string[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const deliveries = lane.deliveries();
    for (const { "detail-type": type, detail } of lane.published()) {
      if (forSubscribers.includes(type)) events.push(`${type} ${JSON.stringify(plain(detail, known))}`);
    }
    lane.forgetEvents();
    if (deliveries.length === 0) return events;
    for (const delivery of deliveries) await invokePatiently(setting, delivery);
  }
  throw new Error("The events never end.");
};

const passHour = async (setting: Setting, work: WorkerCase, known: string): Promise<string[]> => {
  const { lane, bench } = setting;
  const events: string[] = [];
  for (const [index, name] of work.hourly.entries()) {
    const aheadMs = (work.aheadMs ?? 0) + (work.foundAfterMs ?? NEXT_HOUR_MS) + index * HOURLY_STEP_MS;
    lane.setClock(aheadMs);
    const event = scheduledEvent(`hourly ${name}`, bench.now() + aheadMs);
    await invokePatiently(setting, { name, payload: JSON.stringify(event) });
    events.push(...(await settle(setting, known)));
  }
  return events;
};

/**
 * Records of when schedules ran; how often erasures have deleted reports, which only makes a report under way begin
 * again; and the events of requests to the provider, each of which was made: how many objects are
 * read again depends on the second in which a worker reads them.
 */
const BOOKKEEPING = /"scope":"#(schedule|detector)"|"eventType":"PROVIDER_REQUEST"|^Reports \{"key":"erased"/;

/** The cursor's position within the feed's last minute, which depends on the time of the read. */
const CURSOR = /"cursor":\{[^}]*\}/;

/** The objects of the feed for a SIEM and of the archive: the same events give the same bytes. */
const linesOfHours = ({ lane }: Setting, known: string): string[] =>
  lane.objects().flatMap(({ key, body }) => {
    if (!key.endsWith(".ndjson.gz")) return [];
    const events = gunzipSync(body).toString().trimEnd().split("\n");
    return `Object ${JSON.stringify({ key, events: events.map((event) => plain(event, known)) })}`;
  });

/**
 * In which step of the sealed log a record counts, and so all that follows from steps: an hour whose sealing failed is sealed
 * by a later step, after other hours. What is sealed is compared, and `shown` says whether it still verifies.
 */
const STEPS = /"key":"slots#|^Evidence .*"key":"state"/;
const PLACE = /(?<="key":"record)#\d+/;

const linesNow = async (setting: Setting, { shown }: WorkerCase, known: string): Promise<string[]> => {
  const stored = linesOf(await setting.lane.snapshot(), known)
    .filter((line) => !BOOKKEEPING.test(line) && !STEPS.test(line))
    .map((line) => line.replace(CURSOR, '"cursor":{}').replace(PLACE, ""));
  return [...stored, ...linesOfHours(setting, known), ...((await shown?.(setting)) ?? [])];
};

const distinct = (...events: readonly (readonly string[])[]): string[] => [...new Set(events.flat())].sort();

/** Puts a lane into the state before the case's invocation. */
const reset = async (
  { lane }: Setting,
  before: Snapshot,
  objects: readonly LaneObject[] = [],
  aheadMs = 0,
): Promise<void> => {
  lane.inject(undefined);
  await lane.freshInstances();
  await lane.restore(before);
  lane.forgetEvents();
  lane.restoreObjects(objects);
  lane.setClock(aheadMs);
};

/** Prepares a case, and records its good invocation. @throws Error if that fails. */
export const makeReady = async (setting: Setting, world: Snapshot, name: WorkerCaseName): Promise<ReadyWork> => {
  const { lane } = setting;
  const work = workerCases[name];
  await reset(setting, world);
  const delivery = await work.prepare(setting);
  const before = await lane.snapshot();
  const known = JSON.stringify([...before].map(([, items]) => [...items.values()]));
  const objectsBefore = lane.objects();
  await reset(setting, before, objectsBefore, work.aheadMs);
  if (!(await invoke(setting, delivery))) throw new Error(`${name} fails without a fault: ${lane.logged()}`);
  const calls = namedCalls(lane.requests());
  const first = await settle(setting, known);
  const after = { lines: await linesNow(setting, work, known), events: distinct(first) };
  const second = await passHour(setting, work, known);
  const settled = { lines: await linesNow(setting, work, known), events: distinct(first, second) };
  return { name, work, delivery, before, objectsBefore, known, after, settled, calls };
};

export const workerCellsOf = ({ name, calls }: ReadyWork): WorkerCell[] =>
  calls.flatMap(({ name: call, request }) =>
    faultsOf(request).flatMap((fault) => allTimes.map((times) => ({ work: name, call, fault, times }))),
  );

/** How to run a cell alone. */
export const commandOf = ({ work, call, fault, times }: WorkerCell): string =>
  `npm run faults:workers -- --work '${work}' --call '${call}' --fault ${fault} --times ${times}`;

/** What a fault leaves that is true: a failure that is recorded. */
const isTruthful = (line: string): boolean =>
  (line.startsWith("SecurityEvents ") && line.includes('"success":false')) || line.includes("system_errors");

/**
 * A run counts the records of a page with the page's checkpoint. If a worker crashes in between, the page is read again and
 * its records are unchanged by then: the count may miss them, but never counts one twice.
 */
const WRITTEN = /"written":(\d+)/g;
const withoutWritten = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replace(WRITTEN, '"written":0'));
const writtenIn = (lines: readonly string[]): number =>
  lines.flatMap((line) => [...line.matchAll(WRITTEN)]).reduce((sum, [, count]) => sum + Number(count), 0);

const compare = (expected: State, lines: readonly string[], events: readonly string[], isProviderHit: boolean) => {
  // A failure of the provider counts in the circuit.
  const relevant = (line: string) => !isProviderHit || !line.startsWith("Circuits ");
  const relevantOf = (all: readonly string[]) => withoutWritten(all.filter(relevant));
  const items = differenceOf(relevantOf(expected.lines), relevantOf(lines));
  const told = differenceOf(expected.events, events);
  const isCountedTwice = writtenIn(lines) > writtenIn(expected.lines);
  return {
    missing: [...items.missing, ...told.missing],
    surplus: [
      ...[...items.surplus, ...told.surplus].filter((line) => !isTruthful(line)),
      ...(isCountedTwice ? ["more records written than changed"] : []),
    ],
  };
};

const isGood = ({ missing, surplus }: ReturnType<typeof compare>): boolean => missing.length + surplus.length === 0;

const shorten = (text: string): string => (text.length > 900 ? `${text.slice(0, 900)}…` : text);

const countIn = (lines: readonly string[], table: string, text: string): number =>
  lines.filter((line) => line.startsWith(`${table} `) && line.includes(text)).length;

/** Whether each run has ended, with the one event of its end. */
const areRunsTruthful = (lines: readonly string[]): boolean =>
  countIn(lines, "SyncRuns", '"takes"') === 0 &&
  countIn(lines, "SyncRuns", '"status":"failed"') === countIn(lines, "SecurityEvents", '"PROVIDER_SYNC_FAILED"') &&
  countIn(lines, "SyncRuns", '"status":"succeeded"') === countIn(lines, "SecurityEvents", '"PROVIDER_SYNC_COMPLETED"');

const SYNC_INTERVAL_MS = 4 * HOUR_MS;
/** The first one may find the circuit half-open. */
const INTERVALS = 2;

/**
 * While the provider fails, a run ends as failed and records it; a later scheduled run then reads everything. An open
 * circuit and its alerts are correct consequences of the failures.
 */
const isReadByNextRun = async (
  setting: Setting,
  work: WorkerCase,
  known: string,
  { lines: expected }: State,
): Promise<boolean> => {
  const { lane, bench } = setting;
  const recordsOf = (lines: readonly string[]) => lines.filter((line) => line.startsWith("Records ")).sort();
  for (let interval = 1; interval <= INTERVALS; interval++) {
    const nowAheadMs = (work.aheadMs ?? 0) + interval * SYNC_INTERVAL_MS;
    lane.setClock(nowAheadMs);
    const event = scheduledEvent(`schedule ${interval}`, bench.now() + nowAheadMs);
    await invoke(setting, { name: "dispatch-syncs", payload: JSON.stringify(event) });
    await settle(setting, known);
  }
  const lines = await linesNow(setting, work, known);
  return areRunsTruthful(lines) && JSON.stringify(recordsOf(lines)) === JSON.stringify(recordsOf(expected));
};

/** Runs the case with faults. @param choose the faults until the work has succeeded or was given up. */
export const runFaulted = async (
  setting: Setting,
  { work, delivery, before, objectsBefore, known, after, settled }: ReadyWork,
  choose: () => ChooseFault,
): Promise<Pick<WorkerResult, "verdict" | "wrongs" | "notes"> & { tries: number }> => {
  const { lane } = setting;
  await reset(setting, before, objectsBefore, work.aheadMs);
  const chooseFault = choose();
  lane.proxies.aws.use(chooseFault);
  lane.proxies.provider.use(chooseFault);
  let tries = 0;
  let isDone = false;
  while (!isDone && tries < TRIES) {
    isDone = await invoke(setting, delivery);
    tries++;
  }
  const isDoneAtOnce = isDone && tries === 1;
  const hits = lane.requests().filter(({ fault }) => fault !== undefined);
  if (hits.length === 0) return { verdict: "not reached", wrongs: [], notes: [], tries };
  lane.inject(undefined);
  // A queue delivers the message again until it succeeds.
  for (let receive = 0; !isDone && isQueued(work) && receive < TRIES; receive++) {
    lane.setClock((work.aheadMs ?? 0) + receive * VISIBILITY_MS);
    isDone = await invoke(setting, delivery);
  }
  const isProviderHit = hits.some(({ service }) => service === "provider");
  const events = await settle(setting, known);
  if (isGood(compare(after, await linesNow(setting, work, known), distinct(events), isProviderHit))) {
    return { verdict: isDoneAtOnce ? "masked" : "repeated", wrongs: [], notes: [], tries };
  }
  const later = await passHour(setting, work, known);
  const found = compare(settled, await linesNow(setting, work, known), distinct(events, later), isProviderHit);
  if (isGood(found)) return { verdict: "found", wrongs: [], notes: [], tries };
  if (isProviderHit && (await isReadByNextRun(setting, work, known, settled))) {
    return { verdict: "found", wrongs: [], notes: [], tries };
  }
  const notes = [
    ...found.missing.map((line) => `lost: ${shorten(line)}`),
    ...found.surplus.map((line) => `doubled: ${shorten(line)}`),
  ];
  const wrongs: Wrong[] = [
    ...(found.missing.length > 0 ? (["lost"] as const) : []),
    ...(found.surplus.length > 0 ? (["doubled"] as const) : []),
  ];
  return { verdict: "wrong", wrongs, notes: [`tries ${tries}`, ...notes], tries };
};

export const runWorkerCell = async (setting: Setting, ready: ReadyWork, cell: WorkerCell): Promise<WorkerResult> => ({
  cell,
  ...(await runFaulted(setting, ready, () => followPlan(cell))),
});
