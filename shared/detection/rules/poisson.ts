/**
 * How surprising a count is where events come independently at a known rate. Pure arithmetic: in logarithms, so that
 * nothing overflows, and summed from the largest term, so that small tails keep their digits.
 */

const LANCZOS_G = 7;
/** Lanczos' approximation to 15 digits: https://en.wikipedia.org/wiki/Lanczos_approximation */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** The logarithm of n!, for n ≥ 0. */
export const logFactorial = (n: number): number => {
  const sum = LANCZOS.reduce(
    (total, coefficient, index) => total + (index === 0 ? coefficient : coefficient / (n + index)),
    0,
  );
  const shifted = n + LANCZOS_G + 0.5;
  return 0.5 * Math.log(2 * Math.PI) + (n + 0.5) * Math.log(shifted) - shifted + Math.log(sum);
};

/** The probability of exactly so many, by its logarithm. */
const logProbability = (count: number, rate: number): number => count * Math.log(rate) - rate - logFactorial(count);

/** Terms below this share of the sum change none of its digits. */
const NEGLIGIBLE = 1e-17;

/** Adds up terms that fall from the first one on, each by a factor of the one before; in units of the first. */
const sumFalling = (factor: (step: number) => number): number => {
  let sum = 1;
  let term = 1;
  for (let step = 1; term > sum * NEGLIGIBLE; step++) {
    term *= factor(step);
    sum += term;
  }
  return sum;
};

/**
 * The probability of `count` events or more where `rate` are expected: from 0 to 1, exact to about ten digits as
 * long as it is not below the smallest number there is; then 0.
 * @param count a whole number.
 */
export const poissonTail = (count: number, rate: number): number => {
  if (count <= 0) return 1;
  if (rate <= 0) return 0;
  // P(X ≥ count): its terms fall from the first on where that lies above the rate; below it those of P(X < count) do.
  if (count > rate) {
    const sum = sumFalling((step) => rate / (count + step));
    return Math.min(1, Math.exp(logProbability(count, rate) + Math.log(sum)));
  }
  const sum = sumFalling((step) => Math.max(0, count - step) / rate);
  return Math.max(0, 1 - Math.exp(logProbability(count - 1, rate) + Math.log(sum)));
};
