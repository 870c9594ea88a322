/**
 * Deciding and writing in turns: whoever loses a write learns the winner's circuit from the refusal and decides again.
 * The same for the circuit in the store and for the one in the process (local-circuits.ts).
 */
import type { Clock } from "../runtime/clock.ts";
import type { Circuit } from "./circuit.ts";
import { type Admission, type AdmissionDecision, decideAdmission, decideResult, type Outcome } from "./decide.ts";
import type { CircuitWrite } from "./writes.ts";

/** `circuit`: as it is afterwards, written or not. `isRepeat`: not written by this attempt, perhaps by a lost one. */
export type WriteAnswer = { applied: boolean; circuit: Circuit; isRepeat: boolean };

/** Where the circuits are. Both calls may throw; then the store is out of reach. */
export type Circuits = {
  read(organizationId: string): Promise<Circuit>;
  write(organizationId: string, write: CircuitWrite): Promise<WriteAnswer>;
};

/** A window has four places and a round three, so that nobody loses more often while one generation lasts. */
export const MAX_ROUNDS = 8;

/** After too many lost rounds: refused, to come again so much later. */
const CROWDED_RETRY_MS = 1_000;

/**
 * Whether a failure that could not be written must be let go: one of its own attempts may have been written, and
 * slid out of the window since. It may count at most once. Every other write can tell from the circuit.
 */
export const isLost = (write: CircuitWrite, { isRepeat, circuit }: WriteAnswer): boolean =>
  isRepeat &&
  write.kind === "record_failure" &&
  !(circuit.state === "closed" && circuit.failures.some(({ id }) => id === write.id));

export type AdmissionAnswer = Exclude<AdmissionDecision, { do: "write" }>;

/** @param circuit as last known; however old it is, no write is decided by it alone. */
export const admit = async (
  circuits: Circuits,
  { organizationId, circuit, id, clock }: { organizationId: string; circuit: Circuit; id: string; clock: Clock },
): Promise<AdmissionAnswer> => {
  let known = circuit;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const decision = decideAdmission(known, clock(), id);
    if (decision.do !== "write") return decision;
    ({ circuit: known } = await circuits.write(organizationId, decision.write));
  }
  return { do: "refuse", retryAt: clock() + CROWDED_RETRY_MS };
};

/** Brings the end of an admitted call into the circuit, where it changes anything. */
export const report = async (
  circuits: Circuits,
  result: { organizationId: string; circuit: Circuit; admission: Admission; outcome: Outcome; clock: Clock },
): Promise<void> => {
  const { organizationId, admission, outcome, clock } = result;
  let known = result.circuit;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const write = decideResult(known, admission, outcome, clock());
    if (write === undefined) return;
    const answer = await circuits.write(organizationId, write);
    if (answer.applied || isLost(write, answer)) return;
    known = answer.circuit;
  }
};
