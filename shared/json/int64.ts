/**
 * Integers of 64 bits, exact from the text of a JSON body to the store and back. JSON.parse alone would turn
 * 9007199254740993 into …992 before any schema sees it.
 */
import * as z from "zod/mini";

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

const EXPECTED = `expected an integer between ${INT64_MIN} and ${INT64_MAX}`;
const JSON_NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** The most digits that an int64 has. Bounds the work: `1e999999999` is nine characters of text. */
const MAX_DIGITS = 19;

/**
 * The exact value of a JSON number's source text where it is an integer of at most 19 digits (`7`, `7.0`, `7e0`),
 * else undefined.
 */
export const parseExactInteger = (source: string): bigint | undefined => {
  const match = JSON_NUMBER.exec(source);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return 0n;
  const zeros = Number(exponent) - fraction.length + (digits.length - significant.length);
  if (zeros < 0 || significant.length + zeros > MAX_DIGITS) return undefined;
  return BigInt(sign + significant + "0".repeat(zeros));
};

const documentation = {
  type: "integer",
  format: "int64",
  description: "An integer of 64 bits, which a client must not round to a double.",
} as const;

/** A field of a body: any JSON number whose value is an integer in range; a bigint in the program. */
export const Int64 = z
  .bigint({ error: EXPECTED })
  .check(z.gte(INT64_MIN, { error: EXPECTED }), z.lte(INT64_MAX, { error: EXPECTED }))
  .register(z.globalRegistry, { override: documentation });

/** A path parameter: decimal digits with an optional minus sign; a bigint in the program. */
export const Int64Parameter = z
  .pipe(
    z.string({ error: EXPECTED }).check(z.regex(/^-?[0-9]{1,1000}$/, { error: EXPECTED })),
    z.pipe(
      z.transform((digits: string) => BigInt(digits)),
      Int64,
    ),
  )
  .register(z.globalRegistry, { override: documentation });
