import * as z from "zod";

/** Lambda's answer if a function fails; `trace` is the stack, line by line. */
export type FunctionError = z.infer<typeof FunctionError>;
export const FunctionError = z.object({ errorType: z.string(), errorMessage: z.string(), trace: z.array(z.string()) });

/** The largest synchronous payload, in bytes. Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const MAX_REQUEST_BYTES = 6_291_456;
/** The largest answer: 100 bytes more. */
export const MAX_RESPONSE_BYTES = 6_291_556;
/** The largest asynchronous payload. */
export const MAX_ASYNC_REQUEST_BYTES = 1_048_576;

/**
 * `payload` is JSON text. A `refused` event never reached an instance, and a retry would not help
 * (too large, unknown function). A `throttled` event found no free concurrency; a later try may succeed.
 */
export type InvocationResult =
  | { ok: true; payload: string }
  | { ok: false; error: FunctionError; reason: "failed" | "timed out" | "refused" | "throttled" };

const about = (requestId: string, errorType: string, message: string): FunctionError => ({
  errorType,
  errorMessage: `RequestId: ${requestId} Error: ${message}`,
  trace: [],
});

export const timedOut = (requestId: string, timeoutSeconds: number): FunctionError =>
  about(requestId, "Sandbox.Timedout", `Task timed out after ${timeoutSeconds.toFixed(2)} seconds`);

/** The instance's process ended in the middle of an event. */
export const exited = (requestId: string, code: number | null, signal: NodeJS.Signals | null): FunctionError => {
  const how =
    signal !== null
      ? `Runtime exited with error: signal: ${signal === "SIGKILL" ? "killed" : signal}`
      : code === 0
        ? "Runtime exited without providing a reason"
        : `Runtime exited with error: exit status ${code}`;
  return about(requestId, "Runtime.ExitError", how);
};

export const requestTooLarge = (maxBytes: number): FunctionError => ({
  errorType: "RequestEntityTooLargeException",
  errorMessage: `Request must be smaller than ${maxBytes} bytes for the InvokeFunction operation`,
  trace: [],
});

export const functionNotFound = (functionArn: string): FunctionError => ({
  errorType: "ResourceNotFoundException",
  errorMessage: `Function not found: ${functionArn}`,
  trace: [],
});

export const throttled = (): FunctionError => ({
  errorType: "TooManyRequestsException",
  errorMessage: "Rate Exceeded.",
  trace: [],
});

export const responseTooLarge = (): FunctionError => ({
  errorType: "Function.ResponseSizeTooLarge",
  errorMessage: `Response payload size exceeded maximum allowed payload size (${MAX_RESPONSE_BYTES} bytes).`,
  trace: [],
});

export const stopping = (): FunctionError => ({
  errorType: "ServiceException",
  errorMessage: "The local cloud is stopping",
  trace: [],
});
