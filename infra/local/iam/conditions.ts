import { matchesArn } from "./wildcard.ts";

/** The condition keys of a request in lower case; some have several values, such as `kms:encryptioncontextkeys`. */
export type ConditionContext = ReadonlyMap<string, readonly string[]>;

type Comparison = (expected: string, actual: string) => boolean;

const comparisons: Record<string, Comparison> = {
  ArnEquals: matchesArn,
  ArnLike: matchesArn,
  Bool: (expected, actual) => expected.toLowerCase() === actual.toLowerCase(),
  StringEquals: (expected, actual) => expected === actual,
};

/** The check of one operator on the values of one key. */
type Operator = (expected: readonly string[], actual: readonly string[], unclear: boolean) => boolean;

/** A comparison, a comparison of all values, or `Null`. @returns undefined for an operator that is not supported. */
export const parseOperator = (text: string): Operator | undefined => {
  if (text === "Null") return (expected, actual) => expected.includes(actual.length === 0 ? "true" : "false");
  const [, qualifier, name = ""] = /^(?:(ForAllValues|ForAnyValue):)?(\w+)$/.exec(text) ?? [];
  const compare = Object.hasOwn(comparisons, name) ? comparisons[name] : undefined;
  if (compare === undefined) return undefined;
  const matches = (expected: readonly string[]) => (value: string) => expected.some((one) => compare(one, value));
  // An absent key has no value that could fail ForAllValues, and none that could pass ForAnyValue.
  if (qualifier === "ForAllValues") return (expected, actual) => actual.every(matches(expected));
  if (qualifier === "ForAnyValue") return (expected, actual) => actual.some(matches(expected));
  return (expected, actual, unclear) =>
    actual.length <= 1 ? actual.length === 1 && actual.every(matches(expected)) : unclear;
};

/**
 * Whether the whole Condition of a statement holds: every operator, for every key under it.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-logic-multiple-context-keys-or-values.html
 * @param unclear the result if IAM does not define one: several values under an operator for a single value.
 */
export const conditionHolds = (
  condition: Record<string, Record<string, string | string[]>>,
  context: ConditionContext,
  unclear: boolean,
): boolean =>
  Object.entries(condition).every(([name, keys]) => {
    const operator = parseOperator(name);
    if (operator === undefined) throw new Error(`the local cloud does not support the condition operator ${name}`);
    return Object.entries(keys).every(([key, expected]) =>
      operator([expected].flat(), context.get(key.toLowerCase()) ?? [], unclear),
    );
  });
