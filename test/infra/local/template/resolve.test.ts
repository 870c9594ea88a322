import { describe, expect, it } from "@jest/globals";
import { TemplateError } from "../../../../infra/local/core/template-error.ts";
import { createResolver } from "../../../../infra/local/template/resolve.ts";
import { nameOf, Template } from "../../../../infra/local/template/template.ts";

const template = {
  Resources: {
    Thing: { Type: "Thing" },
    Named: { Type: "Thing", Properties: { Name: { "Fn::Sub": `\${Thing}-x` } } },
    Circular: { Type: "Thing", Properties: { Name: { Ref: "Circle" } } },
    Circle: { Type: "Thing", Properties: { Name: { Ref: "Circular" } } },
    Unknown: { Type: "Other" },
  },
};

const resolver = createResolver({
  template: Template.parse(template),
  scope: { stackName: "shop", accountId: "000000000000", region: "eu-central-1" },
  identities: {
    Thing: (resource) => ({ ref: nameOf(resource, "Name"), attributes: { Arn: `arn:${nameOf(resource, "Name")}` } }),
  },
});
const resolve = (value: unknown) => resolver.resolve("Asking", value);

describe("resolve", () => {
  it.each([
    ["a literal", { a: [1, true, null, "x"] }, { a: [1, true, null, "x"] }],
    ["Ref of a resource", { Ref: "Thing" }, "shop-Thing"],
    ["Ref of the account", { Ref: "AWS::AccountId" }, "000000000000"],
    ["a given name", { Ref: "Named" }, "shop-Thing-x"],
    ["Fn::GetAtt", { "Fn::GetAtt": ["Thing", "Arn"] }, "arn:shop-Thing"],
    ["Fn::Sub", { "Fn::Sub": `\${AWS::Region} \${Thing} \${Thing.Arn}` }, "eu-central-1 shop-Thing arn:shop-Thing"],
    ["Fn::Join", { "Fn::Join": [":", ["a", { Ref: "Thing" }, 3]] }, "a:shop-Thing:3"],
    ["a key named Condition", { Condition: { Bool: { a: "true" } } }, { Condition: { Bool: { a: "true" } } }],
  ])("%s", (_what, value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  it.each([
    ["Fn::ImportValue", { "Fn::ImportValue": "x" }, "Asking: the local cloud does not support Fn::ImportValue"],
    ["Fn::If", { "Fn::If": ["a", 1, 2] }, "Asking: the local cloud does not support Fn::If"],
    ["Fn::Select", { "Fn::Select": [0, ["a"]] }, "Asking: the local cloud does not support Fn::Select"],
    ["Fn::Split", { "Fn::Split": ["-", "a"] }, "Asking: the local cloud does not support Fn::Split"],
    ["variables of Fn::Sub", { "Fn::Sub": ["x", {}] }, "Asking: Fn::Sub with a map of variables is not supported"],
    ["AWS::NoValue", { Ref: "AWS::NoValue" }, "Asking: Ref AWS::NoValue names nothing"],
    ["an unknown name", { Ref: "Nothing" }, "Asking: Ref Nothing names nothing"],
    ["an unknown name in Fn::Sub", { "Fn::Sub": `\${Nothing}` }, "Asking: Ref Nothing names nothing"],
    ["an unknown resource", { "Fn::GetAtt": ["Nothing", "Arn"] }, "Nothing: the template declares no such resource"],
    ["an unknown attribute", { "Fn::GetAtt": ["Thing", "Size"] }, "Asking: Fn::GetAtt Thing.Size is not supported"],
    ["an unknown type", { Ref: "Unknown" }, "Unknown: Ref and Fn::GetAtt of Other are not supported"],
    ["names that go in a circle", { Ref: "Circle" }, "depends on itself"],
    ["a list where text belongs", { "Fn::Join": ["", [["a"]]] }, "Asking: Fn::Join takes text"],
    ["a dynamic reference", "{{resolve:ssm:x}}", "Asking: the local cloud does not support {{resolve:ssm:x}}"],
    [
      "a secret within Fn::Join",
      { "Fn::Join": ["", ["key={{resolve:secretsmanager:", { Ref: "Thing" }, ":SecretString:::}};"]] },
      "Asking: the local cloud does not support {{resolve:secretsmanager:shop-Thing:SecretString:::}}",
    ],
    ["a name from the prototype", { Ref: "constructor" }, "Asking: Ref constructor names nothing"],
  ])("refuses %s with an explanation that names the logical id", (_what, value, message) => {
    expect(() => resolve(value)).toThrow(message);
    expect(() => resolve(value)).toThrow(TemplateError);
  });
});
