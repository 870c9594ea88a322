/** What errors mean to a run. Pure. */
import { CircuitOpenError } from "../circuit-breaker/guard.ts";
import { ProviderError } from "../provider/provider-error.ts";
import { type RecordType, recordTypes } from "../records/record.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { SyncFailure, SyncWork } from "./sync-work.ts";

/** The connection that a run was begun with is gone: the run is cancelled. */
export class ConnectionGoneError extends Error {
  override readonly name = "ConnectionGoneError";
}

/** What an error says of the run; undefined for what is no end of it, but has the delivery come again. */
export const failureOf = (error: unknown): SyncFailure | undefined => {
  if (error instanceof ProviderError) {
    const { kind: category, message, code } = error;
    return { category, message, ...(code !== undefined && { code }) };
  }
  if (error instanceof CircuitOpenError) return { category: "circuit_open", message: error.message, code: error.code };
  if (error instanceof DomainError && error.code === "not_connected") {
    return { category: "connection", message: error.message, code: error.code };
  }
  return undefined;
};

/**
 * Whether the rest of the run need not be tried: nothing would be let through by an open circuit, nor taken from
 * credentials that are refused. Everything else is of one type alone.
 */
export const endsRun = ({ category }: SyncFailure): boolean =>
  category === "circuit_open" || category === "authentication" || category === "connection";

/** The failure of a type, where the others can go on. @throws the error again where they cannot. */
export const failureOfType = (error: unknown): SyncFailure => {
  const failure = failureOf(error);
  if (failure === undefined || endsRun(failure)) throw error;
  return failure;
};

export const systemFailure: SyncFailure = {
  category: "system",
  message: "The service failed. Its operators find the reason by the run's id.",
  code: "internal",
};

/** What a run that reached its end says of the types that it could not read; undefined where there are none. */
export const failureOfTypes = (failures: SyncWork["failures"]): SyncFailure | undefined => {
  const failed = recordTypes.flatMap((type) => (failures[type] === undefined ? [] : [{ type, ...failures[type] }]));
  const [first] = failed;
  if (first === undefined) return undefined;
  const named = (types: readonly RecordType[]) => (types.length === 0 ? "none" : types.join(", "));
  const read = recordTypes.filter((type) => failures[type] === undefined);
  const reasons = failed.map(({ type, message }) => `${type} (${message})`);
  return {
    category: first.category,
    message: `Read to their end: ${named(read)}. Not read to their end: ${reasons.join(", ")}.`,
    ...(first.code !== undefined && { code: first.code }),
  };
};
