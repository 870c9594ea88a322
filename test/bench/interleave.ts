import { createRandom } from "../support/random.ts";
import type { Options } from "./options.ts";
import { estimate, shuffle, uncertainty } from "./statistics.ts";

/** Rounds are added until the ratios have at most this uncertainty, or the time is over. */
const ENOUGH = 0.06;

const effort = ({ quick }: Options) => (quick ? { minRounds: 6, maxMs: 30_000 } : { minRounds: 20, maxMs: 300_000 });

/** The results of a subject, in the order of the rounds. */
export type Results<Name extends string, Result> = (name: Name) => readonly Result[];

export type Interleaving<Name extends string, Result> = {
  options: Options;
  names: readonly Name[];
  /** Measures one subject in a fresh process. */
  run: (name: Name, round: number) => Promise<Result>;
  /** The ratios whose uncertainty must fall, from the results of all rounds so far. */
  ratios: (results: Results<Name, Result>) => number[][];
  progress: (text: string) => void;
};

/**
 * Runs all subjects round by round, each round in a random order. Other load on the machine then affects all subjects
 * alike, and the results of one round are comparable.
 */
export const interleave = async <Name extends string, Result>(
  interleaving: Interleaving<Name, Result>,
): Promise<{ results: Results<Name, Result>; rounds: number; random: () => number }> => {
  const { options, names, run, ratios, progress } = interleaving;
  const { minRounds, maxMs } = effort(options);
  const random = createRandom(options.seed);
  const byName = new Map<Name, Result[]>(names.map((name) => [name, []]));
  const results = (name: Name): readonly Result[] => byName.get(name) ?? [];
  const until = Date.now() + maxMs;
  let rounds = 0;
  for (;;) {
    for (const name of shuffle(names, random)) byName.get(name)?.push(await run(name, rounds));
    rounds++;
    if (rounds < minRounds) continue;
    const worst = Math.max(...ratios(results).map((ratio) => uncertainty(estimate(ratio, random))));
    progress(`  round ${rounds}: ratios within ±${(worst * 100).toFixed(1)} %`);
    if (worst <= ENOUGH || Date.now() >= until) return { results, rounds, random };
  }
};

/** Whether an estimate's uncertainty is low enough to judge it. */
export const isSure = (numbers: readonly number[], random: () => number): boolean =>
  uncertainty(estimate(numbers, random)) <= ENOUGH;
