import * as z from "zod/mini";

/**
 * An integer of a request's body between two bounds, both inclusive; a number in the program. Bodies are parsed with exact
 * integers (revive-exactly.ts), so `1.0` and `1e0` count as 1, and a text does not.
 * @param others further integers that are allowed.
 */
export const boundedInteger = (min: number, max: number, description: string, others: readonly number[] = []) => {
  const range = `expected an integer from ${min} to ${max}`;
  const error = others.length === 0 ? range : `${range}, or one of ${others.join(", ")}`;
  const isAllowed = (value: bigint) => (value >= min && value <= max) || others.some((one) => BigInt(one) === value);
  const bounds = { type: "integer", minimum: min, maximum: max } as const;
  return z
    .pipe(
      z.bigint({ error }).check(z.refine(isAllowed, { error, abort: true })),
      z.transform((value: bigint) => Number(value)),
    )
    .register(z.globalRegistry, {
      description,
      override: others.length === 0 ? bounds : { anyOf: [bounds, { type: "integer", enum: [...others] }] },
    });
};
