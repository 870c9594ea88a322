import { matchesArn, matchesWildcard } from "./wildcard.ts";

/** The condition keys of a request in lower case; some have several values, such as `dynamodb:leadingkeys`. */
export type ConditionContext = ReadonlyMap<string, readonly string[]>;

type Comparison = (expected: string, actual: string) => boolean;

const number =
  (compare: (actual: number, expected: number) => boolean): Comparison =>
  (expected, actual) =>
    compare(Number(actual), Number(expected));

const comparisons: Record<string, Comparison> = {
  ArnEquals: matchesArn,
  ArnLike: matchesArn,
  Bool: (expected, actual) => expected.toLowerCase() === actual.toLowerCase(),
  NumericEquals: number((actual, expected) => actual === expected),
  NumericGreaterThan: number((actual, expected) => actual > expected),
  NumericGreaterThanEquals: number((actual, expected) => actual >= expected),
  NumericLessThan: number((actual, expected) => actual < expected),
  NumericLessThanEquals: number((actual, expected) => actual <= expected),
  StringEquals: (expected, actual) => expected === actual,
  StringEqualsIgnoreCase: (expected, actual) => expected.toLowerCase() === actual.toLowerCase(),
  StringLike: matchesWildcard,
};

/** Hold where none of the values matches, and where the key is absent. */
const negations: Record<string, Comparison | undefined> = {
  ArnNotEquals: comparisons.ArnEquals,
  ArnNotLike: comparisons.ArnLike,
  NumericNotEquals: comparisons.NumericEquals,
  StringNotEquals: comparisons.StringEquals,
  StringNotEqualsIgnoreCase: comparisons.StringEqualsIgnoreCase,
  StringNotLike: comparisons.StringLike,
};

type Operator = { quantifier?: string; isNull: boolean; isNegated: boolean; ifExists: boolean; compare: Comparison };

/** `ForAllValues:StringEqualsIfExists` and the like. @returns undefined for an operator that is not understood. */
export const parseOperator = (text: string): Operator | undefined => {
  const [, quantifier, name = "", ifExists] = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(text) ?? [];
  if (name === "Null") {
    if (quantifier !== undefined || ifExists !== undefined) return undefined;
    return { isNull: true, isNegated: false, ifExists: false, compare: () => false };
  }
  const isNegated = Object.hasOwn(negations, name);
  const compare = isNegated ? negations[name] : Object.hasOwn(comparisons, name) ? comparisons[name] : undefined;
  if (compare === undefined) return undefined;
  return { ...(quantifier && { quantifier }), isNull: false, isNegated, ifExists: ifExists !== undefined, compare };
};

/**
 * Whether one operator holds for one key.
 * @param unclear what to answer where IAM's answer is not defined: several values under an operator for one.
 */
const holds = (
  operator: Operator,
  expected: readonly string[],
  actual: readonly string[],
  unclear: boolean,
): boolean => {
  if (operator.isNull) return expected.includes(actual.length === 0 ? "true" : "false");
  const matches = (value: string): boolean =>
    expected.some((one) => operator.compare(one, value)) !== operator.isNegated;
  if (operator.quantifier === "ForAllValues") return actual.every(matches);
  if (actual.length === 0) return operator.ifExists || (operator.isNegated && operator.quantifier === undefined);
  if (operator.quantifier === "ForAnyValue") return actual.some(matches);
  return actual.length === 1 ? actual.every(matches) : unclear;
};

/**
 * Whether a statement's whole Condition holds: every operator, for every key under it.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-logic-multiple-context-keys-or-values.html
 */
export const conditionHolds = (
  condition: Record<string, Record<string, string | string[]>>,
  context: ConditionContext,
  unclear: boolean,
): boolean =>
  Object.entries(condition).every(([name, keys]) => {
    const operator = parseOperator(name);
    if (operator === undefined) throw new Error(`the condition operator ${name} is not understood`);
    return Object.entries(keys).every(([key, expected]) =>
      holds(operator, [expected].flat(), context.get(key.toLowerCase()) ?? [], unclear),
    );
  });
