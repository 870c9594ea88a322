/**
 * The hourly step: seals the hours that are due, and gives the deployment's log a leaf for each hour that is over. Records
 * name the step that first counts them, so the step is stored before the first of them; once its leaves are being written,
 * it takes no further record. A crash at any call leaves marks and a planned step, which the next run goes on with.
 * docs/evidence.md, "How hours are sealed".
 */
import * as z from "zod/mini";
import type { Clock } from "../runtime/clock.ts";
import type { BusEvent, EventBus } from "../runtime/event-bus.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { writeLog } from "../runtime/log.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import { HOUR_MS, startOfHour } from "../terms/hours.ts";
import { continueIn } from "../work/hand-over.ts";
import { whileThereIsTime } from "../work/while-time.ts";
import { type BeginLogDependencies, beginLog } from "./begin-log.ts";
import { type DueSeal, type DueSealStore, dueSealShards } from "./due-seal-store.ts";
import { hourOfLeaf, leafOfHour } from "./evidence-item.ts";
import type { EvidenceStore } from "./evidence-store.ts";
import { type FinishStepDependencies, finishStep, requireState } from "./finish-step.ts";
import { createHeads, type Heads } from "./heads.ts";
import { type SealHourDependencies, sealHour } from "./seal-hour.ts";

export const SEALING_CONTINUED_TYPE = "SealingContinued";

/** What starts a run: the schedule, with an empty detail; or a run whose time ran short. `until`: epoch ms. */
export const SealingRun = z.object({ until: z.optional(z.number()) });
export type SealingRun = z.output<typeof SealingRun>;

/** The time to store an event that is being written when its hour ends, as for closing hours. */
const GRACE_MS = 5 * 60_000;
/** With less time left, no further hour is sealed: the end of the step needs the rest. */
const MARGIN_MS = 120_000;
/** A request of a worker that has ended may arrive so much later. */
const LATE_MS = 60_000;
/** The schedule's next run begins an hour after this one. */
const CONTINUED_MS = HOUR_MS - 5 * 60_000;
/** After a long pause, so many hours get their leaves by one step: 200 days. */
const MAX_HOURS_PER_STEP = 4_800;
/** An hour, or the log, that is late by this much is an alarm. */
const OVERDUE_MS = 3 * HOUR_MS;

export type SealingDependencies = SealHourDependencies &
  FinishStepDependencies &
  BeginLogDependencies & {
    evidence: EvidenceStore;
    dueSeals: Pick<DueSealStore, "listAll" | "clear">;
    bus: Pick<EventBus, "publish">;
    now: Clock;
  };

type SealingResult = {
  /** New versions of hours, and the events that they added. */
  sealed: number;
  events: number;
  /** Hours that were marked again, or are not over; a later run seals them. */
  left: number;
  /** Hours that are not what was sealed. */
  broken: number;
  /** New leaves of the deployment's log. */
  leaves: number;
  isComplete: boolean;
};

type Worker = Omit<SealingDependencies, "bus"> & { result: SealingResult; remainingMs: () => number };

/** The last hour whose events are all stored, epoch ms. */
const lastClosedHour = (now: number): number => startOfHour(now - GRACE_MS) - HOUR_MS;

const isAnyDue = async ({ dueSeals }: Worker, last: number): Promise<boolean> => {
  for (const shard of dueSealShards)
    for await (const { hour } of dueSeals.listAll(shard)) if (hour <= last) return true;
  return false;
};

/** Seals the marked hours up to `last`, as many as the time allows. An organization's hours have one shard, and so an order. */
const sealMarked = async (
  worker: Worker,
  { start, to, last, heads }: { start: number; to: number; last: number; heads: Heads },
): Promise<unknown[]> => {
  const { dueSeals, result, remainingMs, now } = worker;
  const failures: unknown[] = [];

  const hoursThatAreOver = async function* (shard: string) {
    for await (const due of dueSeals.listAll(shard)) {
      if (due.hour > last) result.left++;
      else yield due;
    }
  };
  const stop = (): void => {
    result.isComplete = false;
  };
  const limits = { remainingMs, marginMs: MARGIN_MS, failures, stop };
  const seal = async (due: DueSeal): Promise<void> => {
    if (due.hour >= start) {
      const { versions, events, isBroken } = await sealHour(worker, due, { step: to, heads });
      result.sealed += versions;
      result.events += events;
      if (isBroken) result.broken++;
    }
    if (!(await dueSeals.clear(due))) result.left++;
  };
  const fail = (due: DueSeal, error: unknown): void => {
    failures.push(error);
    if (due.markedAt + OVERDUE_MS > now()) return;
    writeLog("error", "An hour is not sealed", { alarm: "hour_not_sealed", hour: due.hour, cause: String(error) });
  };
  await inParallel(dueSealShards, dueSealShards.length, (shard) =>
    inParallel(whileThereIsTime(hoursThatAreOver(shard), limits), 1, (due) =>
      seal(due).catch((error: unknown) => fail(due, error)),
    ).catch((error: unknown) => void failures.push(error)),
  );
  return failures;
};

/** Takes steps until every hour that is over has its leaf. @returns the failures of hours. */
const takeSteps = async (worker: Worker): Promise<unknown[]> => {
  const { evidence, result, now, random } = worker;
  const failures: unknown[] = [];
  let state = (await evidence.getState()) ?? requireState(await beginLog(worker));
  for (;;) {
    const stored = await evidence.listHeads();
    const lastHour = lastClosedHour(now());
    const last = leafOfHour(state, lastHour);
    const { plan, start, size } = state;
    const isBegun = plan?.isFull === true || [...stored.values()].some(({ step }) => step === plan?.to);
    const to = plan !== undefined && isBegun ? plan.to : Math.max(size, Math.min(last, size + MAX_HOURS_PER_STEP - 1));
    if (to > last && !(await isAnyDue(worker, lastHour))) return failures;
    if (plan?.to !== to)
      state = requireState(await evidence.putState({ ...state, plan: { to, isFull: false } }, state));
    const heads = createHeads(stored, state.slots, random);
    if (plan?.isFull !== true) {
      const until = Math.min(hourOfLeaf({ start }, to), lastHour);
      failures.push(...(await sealMarked(worker, { start, to, last: until, heads })));
    }
    if (to > last || !heads.isKnown()) return failures;
    state = await finishStep(worker, state, { to, heads: heads.all() });
    result.leaves += state.size - size;
    if (!result.isComplete || leafOfHour(state, lastHour) < state.size) return failures;
  }
};

/** A log without a leaf for an hour that was over three hours ago shows nothing newer as sealed. */
const checkLog = async ({ evidence, now }: Worker): Promise<void> => {
  const state = await evidence.getState();
  if (state === undefined || hourOfLeaf(state, state.size) + HOUR_MS + OVERDUE_MS > now()) return;
  writeLog("error", "The log of sealed hours has no new leaf", { alarm: "hour_not_sealed", size: state.size });
};

/**
 * Seals as many due hours as the time allows, and takes the log's steps. If the time runs short, another invocation
 * continues.
 * @throws Error if hours could not be sealed, a step could not end, or the bus does not take the event: the run may be
 *   repeated.
 */
export const sealDueHours = async (
  { bus, ...dependencies }: SealingDependencies,
  { until = dependencies.now() + CONTINUED_MS }: SealingRun,
  remainingMs: () => number,
) => {
  const { evidence, now } = dependencies;
  const result: SealingResult = { sealed: 0, events: 0, left: 0, broken: 0, leaves: 0, isComplete: true };
  const worker: Worker = { ...dependencies, result, remainingMs };
  const lease = await evidence.takeLease(now() + remainingMs() + LATE_MS);
  if (lease === undefined) return { ...result, isComplete: false, isHeld: true, isHandedOver: false };
  try {
    const failures = await takeSteps(worker);
    if (failures.length > 0) throw new Error(`${failures.length} hours could not be sealed.`, { cause: failures[0] });
  } finally {
    await evidence.releaseLease(lease);
    await checkLog(worker);
  }
  const isHandedOver = !result.isComplete && result.sealed > 0 && now() < until;
  if (isHandedOver) {
    const event: BusEvent = {
      source: EVENT_SOURCE,
      detailType: SEALING_CONTINUED_TYPE,
      detail: { until } satisfies SealingRun,
    };
    await continueIn({ bus, remainingMs }, [event]);
  }
  return { ...result, isHeld: false, isHandedOver };
};
