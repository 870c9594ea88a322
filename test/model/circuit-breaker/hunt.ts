/** Looks for an invariant that a mutation breaks. */
import type { Finding } from "./invariants.ts";
import { small } from "./scenarios.ts";
import { explore } from "./search.ts";
import type { Mutation, Scenario } from "./world.ts";

/** A mutant may make worlds without end. */
const MAX_STATES = 150_000;

/** Where the mutation is most likely seen comes first; the cheap ones before the others. */
const likely = ({ kind }: Mutation, { commands, announces, connections }: Scenario): boolean => {
  if (kind === "announce") return announces === true;
  if (kind === "connect") return connections !== undefined;
  return (kind === "operate" || kind === "end_hold") && commands !== undefined;
};

export type Catch = { scenario: string; states: number; finding: Finding };

/** @returns undefined where no scenario shows the difference. */
export const hunt = (mutation: Mutation): Catch | undefined => {
  const first = small.filter((scenario) => likely(mutation, scenario));
  for (const scenario of [...first, ...small.filter((one) => !first.includes(one))]) {
    const { finding, states } = explore(scenario, { mutation, maxStates: MAX_STATES });
    if (finding) return { scenario: scenario.name, states, finding };
  }
  return undefined;
};
