import { setTimeout as sleep } from "node:timers/promises";
import type { Activity } from "../activity.ts";
import { type InvocationResult, MAX_ASYNC_REQUEST_BYTES, requestTooLarge } from "./function-error.ts";
import type { Functions } from "./functions.ts";

/** Lambda tries twice more. Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */
const RETRIES = 2;
/** Lambda waits one minute, then two; here one and two tenths of a second, so that nobody has to wait for a failure. */
const RETRY_DELAY_MS = 100;

/** `payload` is JSON text. Resolves with the last result, once no further try follows. Never rejects. */
export type InvokeAsynchronously = (functionArn: string, payload: string) => Promise<InvocationResult>;

export type AsyncInvokerOptions = {
  functions: Pick<Functions, "invoke">;
  activity: Pick<Activity, "begin">;
  log: (line: string) => void;
  /** Once aborted, nothing is tried again. */
  stopping: AbortSignal;
};

/** Lambda's event invocation: what fails is tried again, and said when it is given up. Counts as activity to its end. */
export const createAsyncInvoker =
  ({ functions, activity, log, stopping }: AsyncInvokerOptions): InvokeAsynchronously =>
  async (functionArn, payload) => {
    const end = activity.begin();
    try {
      for (let attempt = 0; ; attempt++) {
        const result: InvocationResult =
          Buffer.byteLength(payload) > MAX_ASYNC_REQUEST_BYTES
            ? { ok: false, error: requestTooLarge(MAX_ASYNC_REQUEST_BYTES), reason: "refused" }
            : await functions.invoke(functionArn, payload);
        if (result.ok || stopping.aborted) return result;
        if (attempt === RETRIES || result.reason === "refused") {
          const { errorType, errorMessage } = result.error;
          log(`gave up an event for ${functionArn} at try ${attempt + 1}: ${errorType}: ${errorMessage}`);
          return result;
        }
        await sleep(RETRY_DELAY_MS * (attempt + 1), undefined, { signal: stopping }).catch(() => {});
      }
    } finally {
      end();
    }
  };
