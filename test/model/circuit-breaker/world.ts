/**
 * A small world around one circuit: callers with clocks of their own, a network that loses and delays, operators, and
 * the item. Decisions, expressions and parsing are the product's; only the loop between them
 * (shared/circuit-breaker/decide.ts, `admit` and `report`) is spelled out here, one step at a time, so that every order can be tried.
 */
import type { OperatorAction } from "../../../shared/circuit-breaker/circuit.ts";
import type { Admission, CircuitWrite, Outcome, WriteKind } from "../../../shared/circuit-breaker/decide.ts";
import type { OperatorWrite } from "../../../shared/circuit-breaker/reduce.ts";
import type { Expressions, Item } from "../../support/expressions.ts";

export const organizationId = "org";

/** A caller, in the order of a call. `copy` is the caller's view of the item; null if the item does not exist. */
export type Caller = {
  skew: number;
  callsLeft: number;
  copy?: Item | null;
  step: Step;
};

export type Step =
  | { at: "idle" }
  | { at: "asking"; id: string; write: CircuitWrite; isRepeat: boolean }
  | { at: "calling"; admission: Admission }
  | { at: "telling"; admission: Admission; outcome: Outcome; write: CircuitWrite; isRepeat: boolean }
  /** Announces generations up to `upTo`, and then marks them in its copy of the item. */
  | { at: "announcing"; upTo: number }
  | { at: "marking"; upTo: number; expressions: Expressions }
  | { at: "dead" };

/** How an admitted call ended. */
export type CallResult = { admission: Admission; outcome: Outcome };

/** The expected state, tracked apart from the item; the invariants compare both. */
export type Truth = {
  /** Failures that counted in the present closed generation. */
  failures: { at: number; id: string }[];
  /** Calls of the present half-open generation that took a permit and did not give it back. */
  admitted: string[];
  /** Of these, those that succeeded in time. */
  succeeded: string[];
  leases: Record<string, number>;
  lastLease: number;
  openUntil: number;
  /** Operator actions that took effect, by id. */
  operated: string[];
  /** Generations that were announced. */
  announced: number[];
  /** Whether the count of connections includes the organization. */
  isConnected: boolean;
};

export type World = {
  item: Item | null;
  /** Index into the scenario's times. */
  tick: number;
  callers: Caller[];
  /** The remaining operator commands, and the one whose answer was lost. */
  commands: OperatorCommand[];
  repeated?: OperatorWrite;
  /** The remaining changes of the connection, and the transaction in progress. */
  connections: boolean[];
  connecting?: Expressions;
  /** Writes on their way whose sender no longer waits. */
  strays: { write: CircuitWrite; result?: CallResult }[];
  losses: number;
  crashes: number;
  /** The number of remaining writes without a decision. */
  wild: number;
  calls: number;
  truth: Truth;
};

export type OperatorCommand = { action: OperatorAction; until?: number };

/** The input of one exploration. Times are milliseconds of the true clock, ascending, and are reached in order. */
export type Scenario = {
  name: string;
  about: string;
  /** Earlier writes and commands, applied to a missing item. */
  before?: readonly (CircuitWrite | OperatorWrite)[];
  times: readonly number[];
  callers: readonly { skew?: number; calls?: number }[];
  outcomes: readonly Outcome[];
  /** The number of answers or requests that may be lost and retried by the SDK, and whether lost requests may arrive late. */
  losses?: number;
  delays?: boolean;
  crashes?: number;
  /** Callers may use their copy of a closed circuit instead of reading it. */
  copies?: boolean;
  commands?: readonly OperatorCommand[];
  /** The organization is connected (true) and disconnected, in this order; it begins without a connection. */
  connections?: readonly boolean[];
  /** The number of writes of any kind without a decision. */
  wild?: number;
  /** Callers announce the transitions that they make or find. */
  announces?: boolean;
};

/** Changes one of the product's updates, as if a guard were missing. */
export type Mutation = {
  name: string;
  kind: WriteKind | "operate" | "announce" | "connect";
  mutate(shipped: Expressions): Expressions;
};

export const time = (seconds: number): number => 1_000_000 + seconds * 1_000;
