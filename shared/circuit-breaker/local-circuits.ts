/** The circuits of one process, with the same numbers and the same rules, for as long as the store is out of reach. */
import { type Circuit, newCircuit } from "./circuit.ts";
import { createRecent } from "./recent.ts";
import { reduce } from "./reduce.ts";
import type { Circuits } from "./rounds.ts";

/** @param lastKnown what the store said last: an open circuit stays open until its time, a held one stays held. */
export const createLocalCircuits = (
  lastKnown: (organizationId: string) => Circuit | undefined,
): Circuits & { clear(): void } => {
  const circuits = createRecent<Circuit>();
  const current = (organizationId: string): Circuit =>
    circuits.get(organizationId) ?? lastKnown(organizationId) ?? newCircuit;
  return {
    read: async (organizationId) => current(organizationId),
    write: async (organizationId, write) => {
      const before = current(organizationId);
      const after = reduce(before, write);
      // What happens in one process is no transition of the circuit, and announced by nobody.
      if (after) circuits.set(organizationId, { ...after, starts: [], announced: after.generation });
      return { applied: after !== undefined, circuit: after ?? before, isRepeat: false };
    },
    clear: () => circuits.clear(),
  };
};
