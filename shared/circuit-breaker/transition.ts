/** The beginnings of generations as the rest of the service hears of them. Pure. */
import type { Cause, Circuit, GenerationStart, StoredState } from "./circuit.ts";

/**
 * One transition, or operator action, of one circuit. Organization and generation name it for ever: whoever records it
 * twice under that name records it once. `by` and `reason` are an operator's; automatic transitions have none.
 */
export type Transition = {
  organizationId: string;
  generation: number;
  from: StoredState;
  to: StoredState;
  at: number;
  cause: Cause;
  by?: string;
  reason?: string;
};

/** More are not kept while nobody takes them: an item must not grow with somebody else's outage. */
export const MAX_UNANNOUNCED = 16;

/** What came before a beginning: the one before it in the circuit, or the circuit that never was. */
const stateBefore = (circuit: Circuit, { generation }: GenerationStart): StoredState =>
  circuit.starts.find((start) => start.generation === generation - 1)?.to ?? "closed";

/** The transitions that were not announced yet, oldest first. */
export const unannounced = (organizationId: string, circuit: Circuit): Transition[] =>
  circuit.starts
    .filter(({ generation }) => generation > circuit.announced)
    .map((start) => ({ organizationId, from: stateBefore(circuit, start), ...start }));
