import { createRandom } from "../../support/random.ts";

export type Dice = ReturnType<typeof createDice>;

/** Pseudo-random numbers, the same for the same seed. */
export const createDice = (seed: number) => {
  const random = createRandom(seed);
  const integer = (min: number, max: number): number => min + Math.floor(random() * (max - min + 1));
  /** A Poisson-distributed number. */
  const poisson = (rate: number): number => {
    let count = 0;
    for (let left = rate; ; count++) {
      left += Math.log(1 - random());
      if (left < 0) return count;
    }
  };
  /** A standard normal number. */
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const shuffle = <Value>(values: readonly Value[]): Value[] =>
    values
      .map((value) => ({ value, order: random() }))
      .sort((a, b) => a.order - b.order)
      .map(({ value }) => value);
  /** Times within a period, in order, in whole ms from its start. */
  const times = (count: number, periodMs: number): number[] =>
    Array.from({ length: count }, () => Math.floor(random() * periodMs)).sort((a, b) => a - b);
  return { chance: (share: number) => random() < share, integer, poisson, normal, shuffle, times };
};
