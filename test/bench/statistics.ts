/** Medians with their uncertainty. */

export const shuffle = <Item>(items: readonly Item[], random: () => number): Item[] =>
  items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

/** @throws RangeError if there are no numbers. */
export const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  if (upper === undefined || lower === undefined) throw new RangeError("no numbers have no median");
  return (lower + upper) / 2;
};

/** The median, and the interval with 95 % of the medians of resampled numbers. */
export type Estimate = { median: number; low: number; high: number };

const RESAMPLES = 1_000;

/** @throws RangeError of no numbers. */
export const estimate = (numbers: readonly number[], random: () => number): Estimate => {
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(numbers.map((number) => numbers[Math.floor(random() * numbers.length)] ?? number)),
  ).sort((a, b) => a - b);
  const quantile = (share: number) => medians[Math.floor(share * (RESAMPLES - 1))] ?? Number.NaN;
  return { median: median(numbers), low: quantile(0.025), high: quantile(0.975) };
};

/** Half the interval as a share of the median. */
export const uncertainty = ({ median: middle, low, high }: Estimate): number => (high - low) / 2 / Math.abs(middle);
