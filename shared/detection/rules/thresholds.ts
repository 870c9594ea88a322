/** The thresholds of a rule: what an administrator may set, within which bounds. Pure. docs/rules.md. */

/** `min` and `max` are inclusive whole numbers, as every value is. */
export type Threshold = {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly unit: string;
};

export type Thresholds = Readonly<Record<string, Threshold>>;

/** The values that an organization has set, by their names; the others have their defaults. */
export type ThresholdValues = Readonly<Record<string, number>>;

/** A threshold in minutes: a window that may be up to an hour long. */
export const minutes = (byDefault: number, min: number) =>
  ({ default: byDefault, min, max: 60, unit: "minutes" }) as const;

/**
 * How improbable a count must be: 6 means a probability below 1e-6. With that, 10,000 organizations have one false
 * finding in four days; with 5, one in ten hours.
 */
export const improbability = { default: 6, min: 4, max: 12, unit: "powers of ten" } as const;

/** All values of a rule. A stored value outside the bounds, as of a later version, counts as the nearest bound. */
export const valuesOf = <All extends Thresholds>(
  thresholds: All,
  set: ThresholdValues = {},
): { readonly [Name in keyof All]: number } =>
  Object.fromEntries(
    Object.entries(thresholds).map(([name, { default: byDefault, min, max }]) => [
      name,
      Math.min(max, Math.max(min, set[name] ?? byDefault)),
    ]),
  ) as { readonly [Name in keyof All]: number };
