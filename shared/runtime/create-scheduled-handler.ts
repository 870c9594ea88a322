/** From a schedule to a piece of work: its time limit, one log line, and failures that reach Lambda, which tries again. */
import middy, { type MiddlewareObj, type Request } from "@middy/core";
import type { Context } from "aws-lambda";
import { systemClock } from "./clock.ts";
import { writeLog } from "./log.ts";

/** What a run tells of itself, for its log line: counts and flags. */
export type RunSummary = Readonly<Record<string, number | boolean>>;

/** @param run.remainingMs how much of the function's time is left, asked at any moment. */
export type ScheduledWork = (run: { remainingMs: () => number }) => Promise<RunSummary>;

/** Schedules deliver at least once, and a failed run is repeated twice: the work must bear being done again. */
export type ScheduledHandler = (event: unknown, context: Context) => Promise<RunSummary>;

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined ? own : `${own}\ncaused by ${describe(error.cause)}`;
};

/** One line per run, under its name, with its summary or the causes of its failure. */
export const logRun = (name: string): MiddlewareObj<unknown, RunSummary, Error, Context> => {
  let startedAt = 0;
  const durationMs = () => systemClock() - startedAt;
  return {
    before: () => {
      startedAt = systemClock();
    },
    after: ({ context, response }: Request<unknown, RunSummary, Error, Context>) => {
      writeLog("info", name, { requestId: context.awsRequestId, durationMs: durationMs(), ...response });
    },
    onError: ({ context, error }) => {
      writeLog("error", name, {
        requestId: context.awsRequestId,
        durationMs: durationMs(),
        cause: describe(error),
      });
    },
  };
};

/** The Lambda handler of a schedule. What its work throws is logged and thrown on. */
export const createScheduledHandler = (name: string, work: ScheduledWork): ScheduledHandler =>
  middy((_event: unknown, context: Context) => work({ remainingMs: () => context.getRemainingTimeInMillis() })).use(
    logRun(name),
  );
