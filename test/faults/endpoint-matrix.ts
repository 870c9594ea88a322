/**
 * The matrix of endpoints: for each call of a good request, each fault at that call. A cell starts from the same state as
 * the good request, in a fresh instance, and ends with the same state, after a repetition if the answer was 503.
 */

import { scheduledEvent } from "../support/scheduled-event.ts";
import { differenceOf, linesOf, plain } from "./compare.ts";
import type { EndpointCase } from "./endpoint-cases.ts";
import type { SeenRequest } from "./fault.ts";
import { faultsOf, type Service } from "./fault.ts";
import { allTimes, type FaultPlan, namedCalls } from "./fault-plan.ts";
import type { Lane, LaneAnswer } from "./lanes.ts";
import { type CaseRequest, type Setting, send } from "./setting.ts";
import type { Snapshot } from "./tables.ts";

export type Cell = FaultPlan & { endpoint: string };

/** The state in lines (compare.ts), and the kinds of events on the bus. */
type State = { lines: readonly string[]; events: readonly string[] };

/** A case that is ready for its cells. */
export type Ready = {
  name: string;
  endpoint: EndpointCase;
  before: Snapshot;
  /** All that was stored before, as text. */
  known: string;
  answer: LaneAnswer;
  after: State;
  /** The state after the hourly functions too. Made when the first cell asks for it, in that cell's lane. */
  settle: (setting: Setting) => Promise<State>;
  /** The names of the calls, in order. */
  calls: readonly { name: string; request: SeenRequest }[];
};

/** `masked`: the good answer. `refused`: 503, and the good answer when repeated. */
type Verdict = "masked" | "refused" | "wrong" | "not reached";
type Wrong = "lost" | "doubled" | "leaked" | "5xx" | "late" | "answer";
export type Result = { cell: Cell; verdict: Verdict; wrongs: readonly Wrong[]; notes: readonly string[]; ms: number };

/** The promise to clients while a store fails; two operations at the provider, of 10 s each, may take longer. */
const ANSWER_MS = 5_000;
const PROVIDER_ANSWER_MS = 20_000;
const SIDE_WORK_MS = 4_000;
/** For a machine that is busy with other tests. */
const STARVED_MS = 2_500;

/** Work of every endpoint that must not fail the caller's request: records and notifications. */
const SIDE_WORK =
  /PutItem:Security(Rollups|Events)|PutEvents:(SecurityAlertChanged|CircuitChanged|SecurityEventNotRecorded)/;

/** A presigned link to a file, which an answer has for its caller. */
const DOWNLOAD_LINK = /"url":"[^"]*X-Amz-Signature=[^"]*"/g;

/**
 * What must not be in an answer: names of the infrastructure, errors of libraries, stacks, secrets. A new destination's
 * secret, which only its own answer has, is 32 bytes in base64.
 */
const INTERNAL =
  /arn:|dynamodb|amazonaws|plant-store-dev|SyntaxError|ECONN|Exception|\n\s+at |sk_test_|whsec_(?![A-Za-z0-9+/]{43}=)|fault harness/i;

/** The functions that find what was left undone, at their minutes of the hour. */
const HOURLY = [
  "sweep-alert-outbox",
  "resume-stalled-syncs",
  "hand-over-webhooks",
  "resume-erasures",
  "resume-exports",
];
const HOUR_MS = 3_600_000;

/** Cells begin in another minute than the world: reading data is recorded once a minute. */
const AHEAD_MS = 120_000;

const runHourly = async ({ lane, bench }: Setting): Promise<void> => {
  lane.inject(undefined);
  lane.setClock(HOUR_MS + HOUR_MS / 6);
  for (const name of HOURLY) {
    await lane.invoke(name, scheduledEvent(name, bench.now() + HOUR_MS));
  }
  lane.setClock(AHEAD_MS);
};

/** Records what could not be recorded in time, from the events on the bus. */
const restoreEvents = async (lane: Lane): Promise<void> => {
  lane.inject(undefined);
  for (const { name, payload } of lane.deliveries()) {
    if (name === "restore-security-events") await lane.invoke(name, payload);
  }
};

const stateOf = async ({ lane }: Setting, known: string): Promise<State> => ({
  lines: linesOf(await lane.snapshot(), known),
  events: [
    ...new Set([
      ...lane.queued().map((body) => `Message ${JSON.stringify(plain(JSON.parse(body), known))}`),
      ...lane
        .published()
        .map(({ "detail-type": type, detail }) => `${type} ${JSON.stringify(plain(detail, known))}`)
        .filter((line) => !line.includes("SYSTEM_OUTAGE") && !line.startsWith("SecurityEventNotRecorded")),
    ]),
  ].sort(),
});

/** Puts a lane into the state before the case's request. */
const reset = async ({ lane }: Setting, before: Snapshot): Promise<void> => {
  lane.inject(undefined);
  lane.setClock(AHEAD_MS);
  await lane.freshInstances();
  await lane.restore(before);
  lane.forgetEvents();
};

/** Prepares a case, and records its good request. @throws Error if that fails. */
export const makeReady = async (setting: Setting, world: Snapshot, name: string, endpoint: EndpointCase) => {
  const { lane } = setting;
  await reset(setting, world);
  await endpoint.prepare?.(setting);
  await lane.freshInstances();
  lane.forgetEvents();
  const before = await lane.snapshot();
  const known = JSON.stringify([...before].map(([, items]) => [...items.values()]));
  const request = await endpoint.request(setting);
  lane.forgetEvents();
  await lane.freshInstances();
  lane.inject(undefined);
  const answer = await send(setting, request);
  if (answer.status >= 300) throw new Error(`${name}: ${answer.status} ${answer.text}`);
  const calls = namedCalls(lane.requests());
  await restoreEvents(lane);
  const after = await stateOf(setting, known);
  let settled: Promise<State> | undefined;
  const runAndSettle = async (there: Setting): Promise<State> => {
    await reset(there, before);
    const again = await endpoint.request(there);
    await there.lane.freshInstances();
    await send(there, again);
    await restoreEvents(there.lane);
    await runHourly(there);
    return stateOf(there, known);
  };
  const settle = (there: Setting): Promise<State> => {
    settled ??= runAndSettle(there);
    return settled;
  };
  return { name, endpoint, before, known, answer, after, settle, calls } satisfies Ready;
};

/** All cells of a case: each call, each fault that applies, each number of times. */
export const cellsOf = ({ name, calls }: Ready): Cell[] =>
  calls.flatMap(({ name: call, request }) =>
    faultsOf(request).flatMap((fault) => allTimes.map((times) => ({ endpoint: name, call, fault, times }))),
  );

/** How to run a cell alone. */
export const commandOf = ({ endpoint, call, fault, times }: Cell): string =>
  `npm run faults -- --endpoint '${endpoint}' --call '${call}' --fault ${fault} --times ${times}`;

/** Whether the fault affects only work that is not the caller's. */
const affectsSideWorkOnly = ({ calls, endpoint }: Ready, { call, times }: Cell): boolean => {
  const isSideWork = (name: string): boolean => SIDE_WORK.test(name) || (endpoint.sideWork?.test(name) ?? false);
  if (times !== "always") return isSideWork(call);
  const [service] = call.split(":");
  const from = calls.findIndex(({ name }) => name === call);
  return calls.slice(from).every(({ name, request }) => request.service !== (service as Service) || isSideWork(name));
};

const isError = ({ status, body, headers }: LaneAnswer): boolean =>
  status === 503 &&
  Number(headers["retry-after"]) >= 1 &&
  typeof body === "object" &&
  body !== null &&
  "error" in body &&
  "message" in body;

/** A failure that is recorded, and the finding of many failures, are reported truthfully. */
const isTruthful = (line: string, isRepeated: boolean): boolean =>
  (isRepeated && /"(DATA_READ|PROVIDER_REQUEST|PROVIDER_CONNECTION_ESTABLISHED)"/.test(line)) ||
  (line.startsWith("SecurityEvents ") && line.includes('"success":false')) ||
  line.includes("system_errors");

const shorten = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

/** The answer while the issuer's keys cannot be read. No cell makes that fault; a machine that is too busy does. */
const isKeyFailure = ({ body }: LaneAnswer): boolean =>
  typeof body === "object" && body !== null && "error" in body && body.error === 50302;
const BUSY_ATTEMPTS = 5;

/** Runs one cell in a lane. */
export const runCell = async (setting: Setting, ready: Ready, cell: Cell, attempt = 1): Promise<Result> => {
  const { lane } = setting;
  const { endpoint, before, known, answer: good } = ready;
  await reset(setting, before);
  const request: CaseRequest = await endpoint.request(setting);
  await lane.freshInstances();
  lane.inject(cell);
  const answer = await send(setting, request);
  if (isKeyFailure(answer) && attempt < BUSY_ATTEMPTS) return runCell(setting, ready, cell, attempt + 1);
  const hits = lane.requests().filter(({ fault }) => fault !== undefined);
  const wrongs = new Set<Wrong>();
  const notes: string[] = [];
  const wrong = (kind: Wrong, note: string) => {
    wrongs.add(kind);
    notes.push(`${kind}: ${shorten(note)}`);
  };
  const sameAs = (body: unknown, expected: unknown): boolean =>
    JSON.stringify(plain(body, known)) === JSON.stringify(plain(expected, known));
  /** A secret is in one answer only, so a repetition may lack it. */
  const withoutSecret = (body: unknown): unknown =>
    typeof body === "object" && body !== null && "secret" in body ? { ...body, secret: undefined } : body;
  const isRight = ({ status, body }: LaneAnswer, isRepeated: boolean, isAgain = false): boolean => {
    if (isRepeated && endpoint.repeated?.statuses.includes(status)) return true;
    if (status !== good.status) return false;
    // A list may show what the first attempt has recorded.
    if (request.method === "GET" && isRepeated) return true;
    return sameAs(body, good.body) || (isAgain && sameAs(body, withoutSecret(good.body)));
  };

  /** An answer, without the fields that are as in the good one. */
  const describe = ({ status, text, body }: LaneAnswer): string => {
    if (typeof body !== "object" || body === null || status !== good.status) return `${status} ${text}`;
    const fields = (value: unknown) => Object.entries(plain(value, known) as object);
    const texts = new Set(fields(good.body).map((field) => JSON.stringify(field)));
    const found = new Set(fields(body).map((field) => JSON.stringify(field)));
    return `${status} with ${[...found].filter((one) => !texts.has(one))} in place of ${[...texts].filter((one) => !found.has(one))}`;
  };
  const said = describe(answer);
  const limitMs = cell.call.startsWith("provider:") ? PROVIDER_ANSWER_MS : ANSWER_MS;
  if (answer.ms > limitMs + STARVED_MS) wrong("late", `${said} after ${Math.round(answer.ms)} ms`);
  if (INTERNAL.test(answer.text.replaceAll(good.text, "").replaceAll(DOWNLOAD_LINK, ""))) wrong("leaked", said);
  let verdict: Verdict = "masked";
  if (isRight(answer, false)) {
    // The good answer.
  } else if (isError(answer)) {
    verdict = "refused";
    // Later than that, the time of the whole request may be used up, on a busy machine also by other work.
    if (affectsSideWorkOnly(ready, cell) && answer.ms < SIDE_WORK_MS)
      wrong("answer", `failed for work that is not the caller's: ${said}`);
  } else wrong(answer.status >= 500 ? "5xx" : "answer", said);
  if (hits.length === 0) return { cell, verdict: "not reached", wrongs: [...wrongs], notes, ms: answer.ms };

  lane.inject(undefined);
  let isUndone = false;
  // A key makes repetitions safe, also after a good answer.
  const isKeyed = request.headers?.["idempotency-key"] !== undefined;
  if (verdict === "refused" || isKeyed) {
    const again = await send(setting, request);
    if (!isRight(again, verdict === "refused", true))
      wrong(again.status >= 500 ? "5xx" : "answer", `repeated: ${describe(again)}`);
    isUndone = again.status !== good.status && endpoint.repeated?.isUndone === true;
  }
  await restoreEvents(lane);
  const isProviderHit = hits.some(({ service }) => service === "provider");
  const compare = (state: State, expected: State) => {
    // A failure of the provider counts in the circuit.
    const relevant = (line: string) => !isProviderHit || !line.startsWith("Circuits ");
    const isOwn = (line: string) =>
      !isTruthful(line, verdict === "refused") && !(endpoint.mayLack?.lines.test(line) ?? false);
    const { missing, surplus, explain } = differenceOf(
      [...expected.lines, ...expected.events].filter(relevant),
      [...state.lines, ...state.events].filter(relevant),
    );
    const isWanted = (line: string) => !(endpoint.mayLack?.lines.test(line) ?? false);
    return { lost: missing.filter(isWanted).map(explain), doubled: surplus.filter(isOwn).map(explain) };
  };
  let difference = isUndone ? { lost: [], doubled: [] } : compare(await stateOf(setting, known), ready.after);
  if (difference.lost.length + difference.doubled.length > 0) {
    await runHourly(setting);
    const state = await stateOf(setting, known);
    difference = compare(state, await ready.settle(setting));
  }
  for (const line of difference.lost) wrong("lost", line);
  for (const line of difference.doubled) wrong("doubled", line);
  return { cell, verdict: wrongs.size > 0 ? "wrong" : verdict, wrongs: [...wrongs], notes, ms: answer.ms };
};
