/**
 * How thoroughly the suites in `*.sampled.test.ts` test: `npm test` runs a sample, `npm run test:deep` everything
 * (jest.deep.config.js). `TEST_DEPTH=deep npm test -- <path>` runs everything of other suites that use this file.
 */
export const isDeep = process.env.TEST_DEPTH === "deep";

/** A number of runs, seeds or states: `sample` in `npm test`, `all` in `npm run test:deep`. */
export const depth = (sample: number, all: number): number => (isDeep ? all : sample);

/** All elements in `npm run test:deep`. In `npm test` this many of them at equal distances, with the first and the last. */
export const sampleOf = <Element>(all: readonly Element[], count: number): readonly Element[] => {
  if (isDeep || count >= all.length) return all;
  const indexes = rangeOf(count).map((i) => Math.round((i * (all.length - 1)) / Math.max(1, count - 1)));
  return all.filter((_, index) => indexes.includes(index));
};

/** The whole numbers from 0 to `count` - 1. */
export const rangeOf = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
