/** The one way of a store to DynamoDB: bounded in time, and the end of the SDK's errors. */
import { DomainError } from "./domain-error.ts";

/** Unless the caller has less time: for all attempts of one call together; well below a function's own time-out. */
const DEADLINE_MS = 4_000;

/** Refusals that a store expects and decides upon; any other error means that the store did not do its work. */
const REFUSALS = ["ConditionalCheckFailedException", "TransactionCanceledException"];

/**
 * Runs one call of the SDK: `callStore((options) => client.send(command, options))`.
 * @param deadlineMs for all attempts together.
 * @throws the SDK's own error where a condition was not met, else DomainError `store_unavailable` (whatever came
 *   back: a time-out, a denial, an answer that is not DynamoDB's).
 */
export const callStore = async <Output>(
  call: (options: { abortSignal: AbortSignal }) => Promise<Output>,
  deadlineMs = DEADLINE_MS,
): Promise<Output> => {
  try {
    return await call({ abortSignal: AbortSignal.timeout(deadlineMs) });
  } catch (cause) {
    if (cause instanceof Error && REFUSALS.includes(cause.name)) throw cause;
    throw new DomainError("store_unavailable", "The store did not answer. Try again.", { cause });
  }
};

/** Whether a store is what failed: one such failure is the caller's bad luck, several are an outage. */
export const isStoreFailure = (error: unknown): boolean =>
  error instanceof DomainError && error.code === "store_unavailable";

/** Whether a single write was refused because somebody's transaction held the item; it may be tried again. */
export const isLostInTransaction = (error: unknown): boolean =>
  error instanceof DomainError && error.cause instanceof Error && error.cause.name === "TransactionConflictException";
