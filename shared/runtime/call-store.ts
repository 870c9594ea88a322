/** How stores call DynamoDB, and secrets KMS and Secrets Manager: each call has a deadline, and the SDK's errors become domain errors. */
import { deadlineSignal } from "./deadline.ts";
import { DomainError } from "./domain-error.ts";
import { countMetric } from "./log.ts";

/** For all attempts of one call together, unless the caller has less time. */
const DEADLINE_MS = 4_000;

/** The same in a request: shorter than the request's own deadline (deadline.ts). */
const REQUEST_DEADLINE_MS = 3_500;

/** Failed conditions, which conditional-write.ts handles. Any other error means that the store did not do its work. */
const FAILED_CONDITIONS = ["ConditionalCheckFailedException", "TransactionCanceledException"];

/** Aborted after a time, or at the request's deadline, which may have passed already. */
export const limitTo = (ms: number): AbortSignal => {
  const request = deadlineSignal();
  const limit = AbortSignal.timeout(ms);
  return request === undefined ? limit : AbortSignal.any([request, limit]);
};

/**
 * Errors of a request that the store refuses however often it is repeated: its item is too large, too deep or not
 * well-formed Unicode, or its key is too long.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
 */
const REFUSALS = ["ValidationException", "SerializationException"];

/**
 * Runs one call of the SDK: `callStore((options) => client.send(command, options))`.
 * @param deadlineMs for all attempts together; a request's deadline may end them earlier.
 * @throws the SDK's own error if a condition failed, else DomainError `store_unavailable`: after a time-out, a denial or
 *   an answer that is not DynamoDB's; even if the store refuses the item (`isItemRefused`).
 */
export const callStore = async <Output>(
  call: (options: { abortSignal: AbortSignal }) => Promise<Output>,
  deadlineMs = deadlineSignal() === undefined ? DEADLINE_MS : REQUEST_DEADLINE_MS,
): Promise<Output> => {
  try {
    return await call({ abortSignal: limitTo(deadlineMs) });
  } catch (cause) {
    if (cause instanceof Error && FAILED_CONDITIONS.includes(cause.name)) throw cause;
    const failure = new DomainError("store_unavailable", "The store did not answer. Try again.", { cause });
    // Callers repeat what another transaction was in the way of. A refused item is no failure of the store.
    if (!isTransactionConflict(failure) && !isItemRefused(failure)) countMetric("StoreFailures");
    throw failure;
  }
};

/** Whether an error is a store's failure. */
export const isStoreFailure = (error: unknown): boolean =>
  error instanceof DomainError && error.code === "store_unavailable";

const isCausedBy = (error: unknown, names: readonly string[]): error is DomainError =>
  error instanceof DomainError && error.cause instanceof Error && names.includes(error.cause.name);

/** Whether DynamoDB refused a single write because a transaction held the item; the write may be tried again. */
export const isTransactionConflict = (error: unknown): boolean => isCausedBy(error, ["TransactionConflictException"]);

/** Whether the store refuses an item or a key, however often the call is repeated. */
export const isItemRefused = (error: unknown): error is DomainError => isCausedBy(error, REFUSALS);
