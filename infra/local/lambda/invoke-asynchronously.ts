import { setTimeout as sleep } from "node:timers/promises";
import type { Activity } from "../core/activity.ts";
import type { Clock } from "../core/clock.ts";
import type { AsynchronousInvocationModel } from "../core/model.ts";
import { type InvocationResult, MAX_ASYNC_REQUEST_BYTES, requestTooLarge } from "./function-error.ts";
import type { Functions } from "./functions.ts";

/** Lambda tries twice more, within six hours. Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */
const RETRIES = 2;
const MAX_AGE_SECONDS = 21_600;
/** Lambda waits one minute, then two; here one and two tenths of a second, so that nobody has to wait for a failure. */
const RETRY_DELAY_MS = 100;

/** `payload` is JSON text. Resolves with the last result, once no further try follows. Never rejects. */
export type InvokeAsynchronously = (functionArn: string, payload: string) => Promise<InvocationResult>;

/** An asynchronous invocation that is over. `payload` is the event's JSON text. */
export type SettledInvocation = {
  functionArn: string;
  payload: string;
  attempts: number;
  condition: "Success" | "RetriesExhausted" | "EventAgeExceeded";
  result: InvocationResult;
};

/** Hands over what became of an invocation. @returns false where it failed and nobody got to know. */
export type HandOver = (settled: SettledInvocation) => boolean;

export type AsyncInvokerOptions = {
  functions: Pick<Functions, "invoke">;
  activity: Pick<Activity, "begin">;
  clock: Pick<Clock, "now">;
  configurationOf: (functionArn: string) => AsynchronousInvocationModel;
  /** Takes what became of each invocation to the function's destinations. */
  handOver: HandOver;
  log: (line: string) => void;
  /** Once aborted, nothing is tried again. */
  stopping: AbortSignal;
};

/**
 * Lambda's event invocation: what fails is tried again, then handed to the function's destination or dead-letter queue,
 * and said where there is none. Counts as activity to its end.
 */
export const createAsyncInvoker = (options: AsyncInvokerOptions): InvokeAsynchronously => {
  const { functions, activity, clock, configurationOf, handOver, log, stopping } = options;
  return async (functionArn, payload) => {
    if (Buffer.byteLength(payload) > MAX_ASYNC_REQUEST_BYTES)
      return { ok: false, error: requestTooLarge(MAX_ASYNC_REQUEST_BYTES), reason: "refused" };
    const { maximumRetryAttempts: retries = RETRIES, maximumEventAgeSeconds: maxAge = MAX_AGE_SECONDS } =
      configurationOf(functionArn);
    const startedAt = clock.now();
    const end = activity.begin();
    try {
      for (let attempt = 0; ; attempt++) {
        const result = await functions.invoke(functionArn, payload);
        const isOld = clock.now() - startedAt > maxAge * 1000;
        const settle = (condition: SettledInvocation["condition"]) =>
          handOver({ functionArn, payload, attempts: attempt + 1, condition, result });
        if (result.ok) {
          settle("Success");
          return result;
        }
        if (stopping.aborted || result.reason === "refused") return result;
        if (attempt >= retries || isOld) {
          const { errorType, errorMessage } = result.error;
          const isKept = settle(isOld ? "EventAgeExceeded" : "RetriesExhausted");
          const what = `gave up an event for ${functionArn} at try ${attempt + 1}: ${errorType}: ${errorMessage}`;
          log(isKept ? what : `LOST an event: ${what}; nothing keeps it`);
          return result;
        }
        await sleep(RETRY_DELAY_MS * (attempt + 1), undefined, { signal: stopping }).catch(() => {});
      }
    } finally {
      end();
    }
  };
};
