/**
 * The proportions of charts of columns. The charts of the reports have the same: a test compares them with
 * shared/reports/html/column-chart.ts, which this page does not load.
 */

/** The space between columns, as a share of their width. */
export const GAP = 0.28;
/** Up to this many columns have their value above them. */
export const MOST_VALUES = 7;

/** An axis ends at one of these, times a power of ten. */
const STEPS = [1, 2, 4, 5, 10];

/** The end of an axis from 0 for some values: a round number whose half is round too. */
export const axisEnd = (values: readonly number[]): number => {
  const greatest = Math.max(0, ...values);
  if (greatest <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(greatest));
  return (STEPS.find((step) => step * power >= greatest) ?? 10) * power;
};
