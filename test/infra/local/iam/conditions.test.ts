import { describe, expect, it } from "@jest/globals";
import { conditionHolds, parseOperator } from "../../../../infra/local/iam/conditions.ts";

const key = "kms:EncryptionContextKeys";
const holds = (operator: string, expected: string | string[], actual: string[] | undefined, unclear = false) =>
  conditionHolds({ [operator]: { [key]: expected } }, new Map(actual && [[key.toLowerCase(), actual]]), unclear);

describe("conditionHolds", () => {
  it.each([
    ["StringEquals", "a", ["a"], true],
    ["StringEquals", ["b", "a"], ["a"], true],
    ["StringEquals", "a", ["A"], false],
    ["StringEquals", "a*", ["ab"], false],
    ["StringEquals", "a", undefined, false],
    ["ArnLike", "arn:aws:execute-api:*:*:id/*/*/plants", ["arn:aws:execute-api:r:1:id/$default/GET/plants"], true],
    ["ArnEquals", "arn:aws:events:r:1:rule/x*", ["arn:aws:events:r:1:rule/xy"], true],
    ["ArnLike", "arn:aws:events:*:rule/x", ["arn:aws:events:r:1:rule/x"], false],
    ["Bool", "true", ["TRUE"], true],
    ["Bool", "false", ["true"], false],
    ["Null", "true", undefined, true],
    ["Null", "true", ["a"], false],
    ["Null", "false", ["a"], true],
    ["Null", "false", undefined, false],
    ["ForAllValues:StringEquals", ["a", "b"], ["a", "b", "a"], true],
    ["ForAllValues:StringEquals", ["a", "b"], ["a", "c"], false],
    ["ForAllValues:StringEquals", "a", undefined, true],
    ["ForAnyValue:StringEquals", ["a", "b"], ["c", "a"], true],
    ["ForAnyValue:StringEquals", ["a", "b"], ["c", "d"], false],
    ["ForAnyValue:StringEquals", "a", [], false],
    ["ForAnyValue:StringEquals", "a", undefined, false],
  ])("%s %j for %j is %s", (operator, expected, actual, result) => {
    expect(holds(operator, expected, actual)).toBe(result);
  });

  it("evaluates to the safe result if an operator for one value is applied to several values", () => {
    expect(holds("StringEquals", "a", ["a", "b"], false)).toBe(false);
    expect(holds("StringEquals", "a", ["a", "b"], true)).toBe(true);
  });

  it("requires every operator and every key to hold", () => {
    const context = new Map([
      ["a", ["1"]],
      ["b", ["2"]],
    ]);
    expect(conditionHolds({ StringEquals: { a: "1", B: "2" } }, context, false)).toBe(true);
    expect(conditionHolds({ StringEquals: { a: "1", b: "1" } }, context, false)).toBe(false);
    expect(conditionHolds({ StringEquals: { a: "1" }, ArnLike: { b: "3*" } }, context, false)).toBe(false);
  });
});

describe("parseOperator", () => {
  it.each([
    "StringEqual",
    "stringEquals",
    "IpAddress",
    "DateLessThan",
    "NullIfExists",
    "StringEqualsIfExists",
    "StringNotEquals",
    "StringLike",
    "NumericLessThan",
    "ForAnyValue:Null",
    "ForSomeValues:StringEquals",
    "",
  ])("refuses %j with an explanation", (operator) => {
    expect(parseOperator(operator)).toBeUndefined();
    expect(() => holds(operator, "a", ["a"])).toThrow("does not support");
  });
});
