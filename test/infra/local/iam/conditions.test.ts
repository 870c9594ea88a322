import { describe, expect, it } from "@jest/globals";
import { conditionHolds, parseOperator } from "../../../../infra/local/iam/conditions.ts";

const key = "dynamodb:LeadingKeys";
const holds = (operator: string, expected: string | string[], actual: string[] | undefined, unclear = false) =>
  conditionHolds({ [operator]: { [key]: expected } }, new Map(actual && [[key.toLowerCase(), actual]]), unclear);

describe("conditionHolds", () => {
  it.each([
    ["StringEquals", "a", ["a"], true],
    ["StringEquals", ["b", "a"], ["a"], true],
    ["StringEquals", "a", ["A"], false],
    ["StringEquals", "a*", ["ab"], false],
    ["StringEquals", "a", undefined, false],
    ["StringEqualsIfExists", "a", undefined, true],
    ["StringEqualsIfExists", "a", ["b"], false],
    ["StringEqualsIgnoreCase", "a", ["A"], true],
    ["StringNotEquals", "a", ["b"], true],
    ["StringNotEquals", ["a", "b"], ["b"], false],
    ["StringNotEquals", "a", undefined, true],
    ["StringNotEqualsIfExists", "a", undefined, true],
    ["StringNotEqualsIgnoreCase", "a", ["A"], false],
    ["StringLike", "a*c", ["abc"], true],
    ["StringLike", "a?c", ["ac"], false],
    ["StringNotLike", "a*", ["abc"], false],
    ["ArnLike", "arn:aws:execute-api:*:*:id/*/*/plants", ["arn:aws:execute-api:r:1:id/$default/GET/plants"], true],
    ["ArnEquals", "arn:aws:events:r:1:rule/x*", ["arn:aws:events:r:1:rule/xy"], true],
    ["ArnLike", "arn:aws:events:*:rule/x", ["arn:aws:events:r:1:rule/x"], false],
    ["ArnNotLike", "arn:aws:events:r:1:rule/x", ["arn:aws:events:r:1:rule/y"], true],
    ["ArnNotEquals", "arn:aws:events:r:1:rule/x", ["arn:aws:events:r:1:rule/x"], false],
    ["Bool", "true", ["TRUE"], true],
    ["Bool", "false", ["true"], false],
    ["Null", "true", undefined, true],
    ["Null", "true", ["a"], false],
    ["Null", "false", ["a"], true],
    ["Null", "false", undefined, false],
    ["NumericLessThan", "10", ["9"], true],
    ["NumericLessThanEquals", "10", ["10"], true],
    ["NumericGreaterThan", "10", ["9"], false],
    ["NumericGreaterThanEquals", "10", ["10"], true],
    ["NumericEquals", "10", ["10.0"], true],
    ["NumericNotEquals", "10", ["10"], false],
    ["ForAllValues:StringEquals", ["a", "b"], ["a", "b", "a"], true],
    ["ForAllValues:StringEquals", ["a", "b"], ["a", "c"], false],
    ["ForAllValues:StringEquals", "a", undefined, true],
    ["ForAllValues:StringNotEquals", "a", ["b", "a"], false],
    ["ForAllValues:StringLike", "org:*", ["org:a", "org:b"], true],
    ["ForAnyValue:StringEquals", "a", ["b", "a"], true],
    ["ForAnyValue:StringEquals", "a", ["b"], false],
    ["ForAnyValue:StringEquals", "a", undefined, false],
    ["ForAnyValue:StringNotEquals", "a", ["a", "b"], true],
    ["ForAnyValue:StringNotEquals", "a", undefined, false],
  ])("%s %j for %j is %s", (operator, expected, actual, result) => {
    expect(holds(operator, expected, actual)).toBe(result);
  });

  it("leaves several values under an operator for one to the side that is safe", () => {
    expect(holds("StringEquals", "a", ["a", "b"], false)).toBe(false);
    expect(holds("StringEquals", "a", ["a", "b"], true)).toBe(true);
  });

  it("wants every operator and every key to hold", () => {
    const context = new Map([
      ["a", ["1"]],
      ["b", ["2"]],
    ]);
    expect(conditionHolds({ StringEquals: { a: "1", B: "2" } }, context, false)).toBe(true);
    expect(conditionHolds({ StringEquals: { a: "1", b: "1" } }, context, false)).toBe(false);
    expect(conditionHolds({ StringEquals: { a: "1" }, StringLike: { b: "3*" } }, context, false)).toBe(false);
  });
});

describe("parseOperator", () => {
  it.each([
    "StringEqual",
    "stringEquals",
    "IpAddress",
    "DateLessThan",
    "NullIfExists",
    "ForSomeValues:StringEquals",
    "",
  ])("does not understand %j", (operator) => {
    expect(parseOperator(operator)).toBeUndefined();
    expect(() => holds(operator, "a", ["a"])).toThrow("not understood");
  });
});
