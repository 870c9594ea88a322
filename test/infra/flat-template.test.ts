import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { readTemplates, type Template } from "../../infra/flat-template.ts";
import { newDirectory } from "../support/temporary-directory.ts";

let directory: string;
const write = (file: string, contents: object) => writeFileSync(join(directory, file), JSON.stringify(contents));

const stack = (key: string, Parameters: object) => ({
  Type: "AWS::CloudFormation::Stack",
  Properties: {
    Parameters,
    TemplateURL: { "Fn::Join": ["", ["https://s3.", { Ref: "AWS::Region" }, `/bucket/${key}`]] },
  },
});

/** Writes an assembly of these templates; the first one is the root. */
const assembly = (templates: Record<string, Template>): void => {
  const [root = ""] = Object.keys(templates);
  write("manifest.json", {
    artifacts: {
      root: { type: "aws:cloudformation:stack", properties: { templateFile: root } },
      "root.assets": { type: "cdk:asset-manifest", properties: { file: "assets.json" } },
    },
  });
  const files = Object.keys(templates).map((file) => [
    file,
    { source: { path: file }, destinations: { any: { objectKey: `${file}-hash.json` } } },
  ]);
  write("assets.json", { files: Object.fromEntries(files) });
  for (const [file, template] of Object.entries(templates)) write(file, template);
};

beforeEach(() => {
  directory = newDirectory("flat-");
});

const table = { Type: "AWS::DynamoDB::Table" };
const ofTable = { "Fn::GetAtt": ["Table", "Arn"] };

describe("the flat template", () => {
  it("has the resources of all stacks, which refer to each other as those of one stack do", () => {
    assembly({
      "root.json": {
        Resources: {
          Table: table,
          // It gets an output of the stack that follows.
          Second: stack("second.json-hash.json", { fn: { "Fn::GetAtt": ["First", "Outputs.Fn"] } }),
          First: stack("first.json-hash.json", { arn: ofTable }),
          Alarm: {
            Type: "Alarm",
            DependsOn: ["First", "Table"],
            Properties: { of: { "Fn::GetAtt": ["First", "Outputs.Fn"] } },
          },
        },
        Outputs: { Fn: { Value: { "Fn::GetAtt": ["First", "Outputs.Fn"] } } },
      },
      "first.json": {
        Parameters: { arn: { Type: "String" } },
        Resources: {
          Fn: { Type: "Fn", Properties: { right: [{ "Fn::Join": ["", [{ Ref: "arn" }, "/index/*"]] }] } },
          Role: { Type: "Role", DependsOn: "Fn", Properties: { region: { Ref: "AWS::Region" } } },
        },
        Outputs: { Fn: { Value: { Ref: "Fn" } } },
      },
      "second.json": { Resources: { Mapping: { Type: "Mapping", Properties: { fn: { Ref: "fn" } } } } },
    });
    const { root, nested, flat } = readTemplates(directory);
    expect(flat).toEqual({
      Resources: {
        Table: table,
        Mapping: { Type: "Mapping", Properties: { fn: { Ref: "Fn" } } },
        Fn: { Type: "Fn", Properties: { right: [{ "Fn::Join": ["", [ofTable, "/index/*"]] }] } },
        Role: { Type: "Role", DependsOn: ["Fn"], Properties: { region: { Ref: "AWS::Region" } } },
        Alarm: { Type: "Alarm", DependsOn: ["Table"], Properties: { of: { Ref: "Fn" } } },
      },
      Outputs: { Fn: { Value: { Ref: "Fn" } } },
    });
    expect(Object.keys(root.Resources)).toEqual(["Table", "Second", "First", "Alarm"]);
    expect([...nested.keys()].sort()).toEqual(["first.json", "second.json"]);
  });

  it("is that of the root if there is no nested stack", () => {
    const template = { Resources: { Table: table }, Outputs: {} };
    assembly({ "root.json": template });
    expect(readTemplates(directory)).toEqual({ root: template, nested: new Map(), flat: template });
  });

  it("is refused if two stacks have a resource of one logical id", () => {
    assembly({
      "root.json": { Resources: { Table: table, First: stack("first.json-hash.json", {}) } },
      "first.json": { Resources: { Table: table } },
    });
    expect(() => readTemplates(directory)).toThrow("two stacks declare Table");
  });

  it("is refused if a nested stack asks for its own name, which nothing of a flat template has", () => {
    assembly({
      "root.json": { Resources: { First: stack("first.json-hash.json", {}) } },
      "first.json": { Resources: { Fn: { Type: "Fn", Properties: { name: { Ref: "AWS::StackName" } } } } },
    });
    expect(() => readTemplates(directory)).toThrow("first.json: take the root's AWS::StackName");
  });

  it("is refused if the assembly lacks a nested template", () => {
    assembly({ "root.json": { Resources: { First: stack("other.json", {}) } } });
    expect(() => readTemplates(directory)).toThrow("no asset of the assembly has the key other.json");
  });
});
