/** What an erasure does to a circuit: operators' ids and reasons are removed from its starts. */
import { type DataLocation, type ErasedAuthors, NO_AUTHOR, singleLocation } from "../work/location.ts";
import type { CircuitStore } from "./circuit-store.ts";

export type CircuitDependencies = { circuits: Pick<CircuitStore, "read" | "forget"> };

/** If the circuit changes during the sweep, the next pass erases the rest. */
export const circuitAuthors = (
  { circuits }: CircuitDependencies,
  organizationId: string,
  { isErased, mentions }: ErasedAuthors,
): DataLocation =>
  singleLocation("circuit", async () => {
    const { starts } = await circuits.read(organizationId);
    const erased = [...new Set(starts.flatMap(({ by }) => (by !== undefined && isErased(by) ? [by] : [])))];
    const hasReason = starts.some(({ reason }) => reason !== undefined && mentions(reason));
    if (erased.length === 0 && !hasReason) return undefined;
    return async () => {
      for (const author of erased.length === 0 ? [NO_AUTHOR] : erased) {
        const circuit = await circuits.read(organizationId);
        const isStored = circuit.starts.some(
          ({ by, reason }) => by === author || (reason !== undefined && mentions(reason)),
        );
        if (isStored) await circuits.forget(organizationId, circuit, author, mentions);
      }
    };
  });
