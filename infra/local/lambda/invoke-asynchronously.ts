import { setTimeout as sleep } from "node:timers/promises";
import type { Activity } from "../core/activity.ts";
import { type InvocationResult, MAX_ASYNC_REQUEST_BYTES, requestTooLarge } from "./function-error.ts";
import type { Functions } from "./functions.ts";

/** Lambda retries twice. Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */
const RETRIES = 2;
/** Lambda waits one minute, then two; here 0.1 s, then 0.2 s. */
const RETRY_DELAY_MS = 100;

/** `payload` is JSON text. Resolves with the last result, when no further try follows. Never rejects. */
export type InvokeAsynchronously = (functionArn: string, payload: string) => Promise<InvocationResult>;

/** Lambda's event invocation: retries a function that fails, then logs the event as lost. Counts as activity. */
export const createAsyncInvoker = (options: {
  functions: Pick<Functions, "invoke">;
  activity: Pick<Activity, "begin">;
  log: (line: string) => void;
  /** Once aborted, nothing is retried. */
  stopping: AbortSignal;
}): InvokeAsynchronously => {
  const { functions, activity, log, stopping } = options;
  return async (functionArn, payload) => {
    if (Buffer.byteLength(payload) > MAX_ASYNC_REQUEST_BYTES)
      return { ok: false, error: requestTooLarge(MAX_ASYNC_REQUEST_BYTES), reason: "refused" };
    const end = activity.begin();
    try {
      for (let attempt = 0; ; attempt++) {
        const result = await functions.invoke(functionArn, payload);
        if (result.ok || result.reason === "refused" || stopping.aborted) return result;
        if (attempt >= RETRIES) {
          const { errorType, errorMessage } = result.error;
          const problem = `${errorType}: ${errorMessage}`;
          log(`LOST an event: gave up an event for ${functionArn} at try ${attempt + 1}: ${problem}`);
          return result;
        }
        await sleep(RETRY_DELAY_MS * (attempt + 1), undefined, { signal: stopping }).catch(() => {});
      }
    } finally {
      end();
    }
  };
};
