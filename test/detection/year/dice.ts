import { createRandom } from "../../support/random.ts";

export type Dice = ReturnType<typeof createDice>;

/** Chance that is the same for the same seed. */
export const createDice = (seed: number) => {
  const random = createRandom(seed);
  const integer = (min: number, max: number): number => min + Math.floor(random() * (max - min + 1));
  /** Whole numbers that events which come independently at a rate would have. */
  const poisson = (rate: number): number => {
    let count = 0;
    for (let left = rate; ; count++) {
      left += Math.log(1 - random());
      if (left < 0) return count;
    }
  };
  /** Of a normal distribution of mean 0 and deviation 1. */
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const shuffle = <Value>(values: readonly Value[]): Value[] =>
    values
      .map((value) => ({ value, order: random() }))
      .sort((a, b) => a.order - b.order)
      .map(({ value }) => value);
  /** So many times within a period, in order; each a whole number of ms from its start. */
  const times = (count: number, periodMs: number): number[] =>
    Array.from({ length: count }, () => Math.floor(random() * periodMs)).sort((a, b) => a - b);
  return { chance: (share: number) => random() < share, integer, poisson, normal, shuffle, times };
};
