import * as z from "zod";

const isWholeNumber = /^\d{1,9}$/;

/** The CDK's command line passes text; cdk.json can hold the number itself. */
export const wholeNumber = (min: number, max: number) => {
  const expected = `expected a whole number from ${min} to ${max}`;
  return z.preprocess(
    (value) => (typeof value === "string" && isWholeNumber.test(value) ? Number(value) : value),
    z.int(expected).min(min, expected).max(max, expected),
  );
};
