/** How errors end a run, or only one type of its records. Pure. */
import { CircuitOpenError } from "../circuit-breaker/guard.ts";
import { definedFields } from "../json/defined-fields.ts";
import { ProviderError } from "../provider/provider-error.ts";
import { type RecordType, recordTypes } from "../records/record.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { SyncFailure, SyncWork } from "./sync-work.ts";

/** The run's connection no longer exists: the run is cancelled. */
export class ConnectionGoneError extends Error {
  override readonly name = "ConnectionGoneError";
}

/** The failure of a run; undefined for errors that do not end it: then the request is delivered again. */
export const failureOf = (error: unknown): SyncFailure | undefined => {
  if (error instanceof ProviderError) {
    const { kind: category, message, code } = error;
    return { category, message, ...definedFields({ code }) };
  }
  if (error instanceof CircuitOpenError) return { category: "circuit_open", message: error.message, code: error.code };
  if (error instanceof DomainError && error.code === "not_connected") {
    return { category: "connection", message: error.message, code: error.code };
  }
  return undefined;
};

/**
 * Whether a failure ends the run: an open circuit stops every further call, and so do credentials that were rejected. Any
 * other failure concerns one type only.
 */
const endsRun = ({ category }: SyncFailure): boolean =>
  category === "circuit_open" || category === "authentication" || category === "connection";

/** The failure of one type, if the others can continue. @throws the error again if they cannot. */
export const failureOfType = (error: unknown): SyncFailure => {
  const failure = failureOf(error);
  if (failure === undefined || endsRun(failure)) throw error;
  return failure;
};

export const systemFailure: SyncFailure = {
  category: "system",
  message: "The service failed. Its operators can find the reason by the run's id.",
  code: "internal",
};

/** The failure of a run that could not read some types to their end; undefined if it read all. */
export const failureOfTypes = ({
  failures,
  notRead = [],
  types = recordTypes,
}: Pick<SyncWork, "failures" | "notRead" | "types">): SyncFailure | undefined => {
  const failed = recordTypes.flatMap((type) => (failures[type] === undefined ? [] : [{ type, ...failures[type] }]));
  const [first] = failed;
  if (first === undefined) return undefined;
  const named = (types: readonly RecordType[]) => (types.length === 0 ? "none" : types.join(", "));
  const left = [...notRead, ...failed.map(({ type }) => type)];
  const read = types.filter((type) => !left.includes(type));
  const reasons = failed.map(({ type, message }) => `${type} (${message})`);
  return {
    category: first.category,
    message: `Read to their end: ${named(read)}. Not read to their end: ${reasons.join(", ")}.`,
    ...definedFields({ code: first.code }),
  };
};
