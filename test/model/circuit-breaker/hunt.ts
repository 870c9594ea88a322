/** Searches for an invariant that a mutation breaks. */
import type { Finding } from "./invariants.ts";
import { small } from "./scenarios.ts";
import { explore } from "./search.ts";
import type { Mutation, Scenario } from "./world.ts";

/** Limits the search: a mutant may have infinitely many states. */
const MAX_STATES = 150_000;

/** Whether a scenario is likely to detect the mutation; such scenarios are searched first. */
const likely = ({ kind }: Mutation, { commands, announces, connections }: Scenario): boolean => {
  if (kind === "announce") return announces === true;
  if (kind === "connect") return connections !== undefined;
  return (kind === "operate" || kind === "end_hold") && commands !== undefined;
};

export type Catch = { scenario: string; states: number; finding: Finding };

/** @returns undefined if no scenario detects the mutation */
export const hunt = (mutation: Mutation): Catch | undefined => {
  const first = small.filter((scenario) => likely(mutation, scenario));
  for (const scenario of [...first, ...small.filter((one) => !first.includes(one))]) {
    const { finding, states } = explore(scenario, { mutation, maxStates: MAX_STATES });
    if (finding) return { scenario: scenario.name, states, finding };
  }
  return undefined;
};
