import { describe, expect, it } from "@jest/globals";
import { TemplateError } from "../../../../infra/local/core/template-error.ts";
import { nameOf } from "../../../../infra/local/template/identity.ts";
import { createResolver } from "../../../../infra/local/template/resolve.ts";
import { Template } from "../../../../infra/local/template/template.ts";

const template = {
  Parameters: {
    BootstrapVersion: { Type: "AWS::SSM::Parameter::Value<String>", Default: "/cdk-bootstrap/hnb659fds/version" },
    Size: { Type: "Number", Default: 3 },
    Other: { Type: "AWS::SSM::Parameter::Value<String>", Default: "/my/parameter" },
    Open: { Type: "String" },
  },
  Conditions: {
    IsLarge: { "Fn::Equals": [{ Ref: "Size" }, "3"] },
    IsSmall: { "Fn::Not": [{ Condition: "IsLarge" }] },
    Both: { "Fn::And": [{ Condition: "IsLarge" }, { Condition: "IsSmall" }] },
    Either: { "Fn::Or": [{ Condition: "IsLarge" }, { Condition: "IsSmall" }] },
    Loop: { Condition: "Loop" },
  },
  Resources: {
    Thing: { Type: "Thing" },
    Named: { Type: "Thing", Properties: { Name: { "Fn::Sub": `\${Thing}-x` } }, Condition: "IsLarge" },
    Absent: { Type: "Thing", Condition: "Both" },
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
  dynamicReference: (reference) => {
    if (reference === "secretsmanager:shop-Thing:SecretString:::") return "s3cret";
    throw new Error(`${reference} is not understood`);
  },
});
const resolve = (value: unknown) => resolver.resolve("Asking", value);

describe("resolve", () => {
  it.each([
    ["a literal", { a: [1, true, null, "x"] }, { a: [1, true, null, "x"] }],
    ["Ref of a resource", { Ref: "Thing" }, "shop-Thing"],
    ["Ref of a parameter", { Ref: "Size" }, "3"],
    ["Ref of CDK's bootstrap version", { Ref: "BootstrapVersion" }, expect.stringMatching(/^\d+$/)],
    ["Ref of the account", { Ref: "AWS::AccountId" }, "000000000000"],
    ["a given name", { Ref: "Named" }, "shop-Thing-x"],
    ["Fn::GetAtt", { "Fn::GetAtt": ["Thing", "Arn"] }, "arn:shop-Thing"],
    ["Fn::GetAtt as text", { "Fn::GetAtt": "Thing.Arn" }, "arn:shop-Thing"],
    [
      "Fn::Sub",
      { "Fn::Sub": `\${AWS::Region} \${Thing} \${Thing.Arn} \${!Thing}` },
      `eu-central-1 shop-Thing arn:shop-Thing \${Thing}`,
    ],
    ["Fn::Sub with variables", { "Fn::Sub": [`\${a}-\${Thing}`, { a: { Ref: "AWS::StackName" } }] }, "shop-shop-Thing"],
    ["Fn::Join", { "Fn::Join": [":", ["a", { Ref: "Thing" }, 3]] }, "a:shop-Thing:3"],
    ["Fn::Join of a list that is made", { "Fn::Join": ["+", { "Fn::Split": ["-", { Ref: "Thing" }] }] }, "shop+Thing"],
    ["Fn::Select", { "Fn::Select": ["1", { "Fn::Split": ["-", { Ref: "Thing" }] }] }, "Thing"],
    ["Fn::If, true", { "Fn::If": ["IsLarge", { Ref: "Thing" }, { Ref: "Nothing" }] }, "shop-Thing"],
    ["Fn::If, false", { "Fn::If": ["IsSmall", "yes", "no"] }, "no"],
    ["Fn::Or", { "Fn::If": ["Either", "yes", "no"] }, "yes"],
    ["Fn::And", { "Fn::If": ["Both", "yes", "no"] }, "no"],
    ["AWS::NoValue in an object", { a: { Ref: "AWS::NoValue" }, b: 1 }, { b: 1 }],
    ["AWS::NoValue in a list", [1, { "Fn::If": ["IsSmall", 2, { Ref: "AWS::NoValue" }] }], [1]],
    ["AWS::NoValue alone", { Ref: "AWS::NoValue" }, undefined],
    ["a key named Condition", { Condition: { Bool: { a: "true" } } }, { Condition: { Bool: { a: "true" } } }],
    [
      "a secret within Fn::Join",
      { "Fn::Join": ["", ["key={{resolve:secretsmanager:", { Ref: "Thing" }, ":SecretString:::}};"]] },
      "key=s3cret;",
    ],
    ["a name from the prototype", { "Fn::Sub": `\${!constructor}` }, `\${constructor}`],
  ])("%s", (_what, value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  it.each([
    ["an unknown function", { "Fn::ImportValue": "x" }, "Asking: Fn::ImportValue is not understood"],
    ["an unknown name", { Ref: "Nothing" }, "Asking: Ref Nothing names nothing"],
    ["an unknown name in Fn::Sub", { "Fn::Sub": `\${Nothing}` }, "Asking: Ref Nothing names nothing"],
    ["an unknown resource", { "Fn::GetAtt": ["Nothing", "Arn"] }, "Nothing: the template declares no such resource"],
    ["an unknown attribute", { "Fn::GetAtt": ["Thing", "Size"] }, "Asking: Fn::GetAtt Thing.Size is not understood"],
    ["an unknown type", { Ref: "Unknown" }, "Unknown: Ref and Fn::GetAtt of Other are not understood"],
    ["an unknown condition", { "Fn::If": ["Nothing", 1, 2] }, "Asking: there is no condition Nothing"],
    ["a condition on itself", { "Fn::If": ["Loop", 1, 2] }, "Conditions.Loop: depends on itself"],
    ["names that go in a circle", { Ref: "Circle" }, "depends on itself"],
    [
      "another parameter of Systems Manager",
      { Ref: "Other" },
      "Other: the local cloud has no Systems Manager parameter",
    ],
    ["a parameter without a value", { Ref: "Open" }, "Open: the parameter has no default value"],
    ["a place that is not there", { "Fn::Select": [2, ["a"]] }, "Asking: Fn::Select finds nothing at 2"],
    ["a list where text belongs", { "Fn::Join": ["", [["a"]]] }, "Asking: Fn::Join takes text"],
    ["another dynamic reference", "{{resolve:ssm:x}}", "Asking: ssm:x is not understood"],
    ["a name from the prototype", { Ref: "constructor" }, "Asking: Ref constructor names nothing"],
  ])("fails on %s and names the logical id", (_what, value, message) => {
    expect(() => resolve(value)).toThrow(message);
    expect(() => resolve(value)).toThrow(TemplateError);
  });

  it("tells which resources are declared under their conditions", () => {
    expect(["Thing", "Named", "Absent"].filter((id) => resolver.isDeclared(id))).toEqual(["Thing", "Named"]);
  });
});
