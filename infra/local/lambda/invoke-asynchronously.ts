import { setTimeout as sleep } from "node:timers/promises";
import type { Activity } from "../core/activity.ts";
import { type InvocationResult, MAX_ASYNC_REQUEST_BYTES, requestTooLarge } from "./function-error.ts";
import type { Functions } from "./functions.ts";

/** Lambda retries twice. Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */
const RETRIES = 2;
/** Lambda waits one minute, then two; here 0.1 s, then 0.2 s. */
const RETRY_DELAY_MS = 100;
/** A throttled event waits for 1 s first and 5 min at most, for 6 hours (same page); here shorter, until it runs. */
const [MIN_THROTTLED_MS, MAX_THROTTLED_MS] = [50, 1_000];

/** `payload` is JSON text. Resolves with the last result, when no further try follows. Never rejects. */
export type InvokeAsynchronously = (functionArn: string, payload: string) => Promise<InvocationResult>;

/**
 * Lambda's event invocation: retries a function that fails, then logs the event as lost. A throttled event waits for free
 * concurrency. Counts as activity.
 */
export const createAsyncInvoker = (options: {
  functions: Pick<Functions, "invokeIfFree">;
  activity: Pick<Activity, "begin">;
  log: (line: string) => void;
  /** Once aborted, nothing is retried. */
  stopping: AbortSignal;
}): InvokeAsynchronously => {
  const { functions, activity, log, stopping } = options;
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping }).catch(() => {});

  const invokeWhenFree: InvokeAsynchronously = async (functionArn, payload) => {
    for (let pauseMs = MIN_THROTTLED_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_THROTTLED_MS)) {
      const result = await functions.invokeIfFree(functionArn, payload);
      if (result.ok || result.reason !== "throttled" || stopping.aborted) return result;
      await pause(pauseMs);
    }
  };

  return async (functionArn, payload) => {
    if (Buffer.byteLength(payload) > MAX_ASYNC_REQUEST_BYTES)
      return { ok: false, error: requestTooLarge(MAX_ASYNC_REQUEST_BYTES), reason: "refused" };
    const end = activity.begin();
    try {
      for (let attempt = 0; ; attempt++) {
        const result = await invokeWhenFree(functionArn, payload);
        if (result.ok || result.reason === "refused" || stopping.aborted) return result;
        if (attempt >= RETRIES) {
          const { errorType, errorMessage } = result.error;
          const problem = `${errorType}: ${errorMessage}`;
          log(`LOST an event: gave up an event for ${functionArn} at try ${attempt + 1}: ${problem}`);
          return result;
        }
        await pause(RETRY_DELAY_MS * (attempt + 1));
      }
    } finally {
      end();
    }
  };
};
