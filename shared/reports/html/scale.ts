/** From values to places on an axis. */

/** An axis ends at the least of these, times a power of ten, that nothing exceeds. */
const STEPS = [1, 2, 4, 5, 10];

/** The end of an axis from 0 on which some values lie: a round number, so that its half is one too. */
export const axisEnd = (values: readonly number[]): number => {
  const greatest = Math.max(0, ...values);
  if (greatest <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(greatest));
  return (STEPS.find((step) => step * power >= greatest) ?? 10) * power;
};

/** A place as an attribute says it: a share of the whole, in per cent with few digits. */
export const percent = (share: number): string => `${Math.round(share * 10_000) / 100}%`;
