/**
 * Every change of a circuit that is not an operator's. Each is one conditional write; which one is due is decided in
 * decide.ts, what it does in memory in reduce.ts, and what it does in DynamoDB in write-expressions.ts. All three
 * read this table.
 */
import type { Cause, StoredState } from "./circuit.ts";

type WriteRule = {
  /** The states that the write applies to. */
  from: readonly StoredState[];
  /** Writes with one begin a new generation. */
  begins?: { state: StoredState; cause: Cause };
};

export const writeRules = {
  /** A failure that does not fill the window. */
  record_failure: { from: ["closed"] },
  /** The failure that fills the window. */
  trip: { from: ["closed"], begins: { state: "open", cause: "failures" } },
  /** The open time is over, and this call is the first of a half-open round. */
  take_first_permit: { from: ["open"], begins: { state: "half_open", cause: "recovery_timeout" } },
  /** One more call of the round. */
  take_permit: { from: ["half_open"] },
  /** The calls of the round are lost: the first call of another round. */
  start_round: { from: ["half_open"], begins: { state: "half_open", cause: "probes_lost" } },
  /** A success that does not close yet. */
  count_success: { from: ["half_open"] },
  /** The success that closes. */
  close: { from: ["half_open"], begins: { state: "closed", cause: "probes_succeeded" } },
  /** A probe failed. */
  reopen: { from: ["half_open"], begins: { state: "open", cause: "probe_failed" } },
  /** The call of a permit never left: another one may have its place. */
  return_permit: { from: ["half_open"] },
  /** The first failure after an operator's hold ended. */
  end_hold: { from: ["forced_open", "forced_closed"], begins: { state: "closed", cause: "until_passed" } },
} as const satisfies Record<string, WriteRule>;

export type WriteKind = keyof typeof writeRules;

/** The rule of a kind, with the optional part that the literal types hide. */
export const writeRule = (kind: WriteKind): WriteRule => writeRules[kind];

export const writeKinds = Object.keys(writeRules) as WriteKind[];

/**
 * One change, as decided.
 * `generation`: the one it was decided upon; it changes no other. `at`: the caller's time in ms, for failures never
 * before the last stored one. `id`: the call that it belongs to.
 */
export type CircuitWrite = { kind: WriteKind; generation: number; at: number; id: string };
