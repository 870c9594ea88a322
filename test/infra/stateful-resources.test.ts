import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { type StatefulResources, statefulResourcesOf, violationsOf } from "../../infra/stateful-resources.ts";
import { assemblyDirectory } from "../support/assembly.ts";

const STACK = "plant-store-dev";
const HOW = 'If a deployment over the present one is safe, "npm run baseline" makes this template the baseline.';

const readTemplate = () => JSON.parse(readFileSync(join(assemblyDirectory, `${STACK}.template.json`), "utf8"));
const baseline: StatefulResources = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "..", "infra", "stateful-resources.json"), "utf8"),
);

let template: ReturnType<typeof readTemplate>;
beforeEach(() => {
  template = readTemplate();
});

const idOf = (pattern: RegExp) => Object.keys(template.Resources).find((id) => pattern.test(id)) ?? "";
const violations = () => violationsOf(baseline, statefulResourcesOf(template, STACK));

describe("the stateful resources", () => {
  it("lose nothing if the template is deployed over the baseline", () => {
    expect({ violations: violations(), HOW }).toEqual({ violations: [], HOW });
  });

  it("are all in the baseline", () => {
    const changed = Object.entries(statefulResourcesOf(template, STACK)).filter(
      ([id, resource]) => !isDeepStrictEqual(resource, baseline[id]),
    );
    expect(
      changed.map(
        ([id]) => `infra/stateful-resources.json lacks a change of ${id}: run npm run baseline, and commit the file`,
      ),
    ).toEqual([]);
  });

  it("include every table, queue, key, bus, bucket, API and function URL", () => {
    const types = Object.values(baseline).map(({ type }) => type);
    expect(new Set(types).size).toBe(7);
    expect(types.filter((type) => type === "AWS::DynamoDB::Table").length).toBeGreaterThanOrEqual(13);
  });
});

describe("the check of the baseline", () => {
  it("finds a renamed table and names the way to keep it", () => {
    const id = idOf(/^TablesPlants/);
    const { [id]: table, ...others } = template.Resources;
    template.Resources = { ...others, TablesGarden1: table };
    expect(violations()).toEqual([
      `${id} (AWS::DynamoDB::Table) would be replaced, because its logical id is now TablesGarden1: keep the old one with overrideLogicalId("${id}"), see "Renames" of docs/upgrade.md.`,
    ]);
  });

  it.each([
    [/^TablesPlants/],
    [/^CredentialsKey/],
    [/^WebhooksDeadLetters/],
    [/^EventsBus/],
    [/^HttpApi/],
    [/FunctionUrl/],
  ])("finds that %p was removed", (pattern) => {
    const id = Object.keys(baseline).find((one) => pattern.test(one)) ?? "";
    delete template.Resources[id];
    expect(violations()).toEqual([expect.stringContaining(`${id} (${baseline[id]?.type}) would be removed`)]);
  });

  it.each<[string, RegExp, Record<string, unknown>, string]>([
    [
      "a table with other keys",
      /^TablesSettings/,
      {
        KeySchema: [{ AttributeName: "organization", KeyType: "HASH" }],
        AttributeDefinitions: [{ AttributeName: "organization", AttributeType: "S" }],
      },
      "its keys",
    ],
    [
      "a table with a key of another type",
      /^TablesSettings/,
      { AttributeDefinitions: [{ AttributeName: "id", AttributeType: "N" }] },
      "its keys",
    ],
    ["a table with a name", /^TablesSettings/, { TableName: "settings" }, "TableName"],
    ["a queue with a name", /^WebhooksReceived/, { QueueName: "webhooks" }, "QueueName"],
    ["a bus with another name", /^EventsBus/, { Name: "events" }, "Name"],
    [
      "a function URL of another function",
      /FunctionUrl/,
      { TargetFunctionArn: { "Fn::GetAtt": ["Other", "Arn"] } },
      "TargetFunctionArn",
    ],
  ])("finds %s, which would be replaced", (_what, pattern, changed, reason) => {
    const id = Object.keys(baseline).find((one) => pattern.test(one)) ?? "";
    Object.assign(template.Resources[id].Properties, changed);
    expect(violations()).toEqual([
      `${id} (${baseline[id]?.type}) would be replaced by a change of ${reason}: see "Replacements" of docs/upgrade.md.`,
    ]);
  });

  it("finds a resource of another type", () => {
    const id = idOf(/^TablesSettings/);
    template.Resources[id].Type = "AWS::SQS::Queue";
    expect(violations()).toEqual([expect.stringContaining("would be replaced by a change of its type")]);
  });

  it("finds two indexes of a table that change at once, and allows one", () => {
    const { Properties: table } = template.Resources[idOf(/^TablesSecurityEvents/)];
    const [first, second] = table.GlobalSecondaryIndexes;
    table.GlobalSecondaryIndexes = table.GlobalSecondaryIndexes.slice(1);
    expect(violations()).toEqual([]);
    table.GlobalSecondaryIndexes = table.GlobalSecondaryIndexes.slice(1);
    expect(violations()).toEqual([
      expect.stringContaining(`the indexes ${second.IndexName} and ${first.IndexName} would be created or deleted`),
    ]);
    const [, , ...rest] = readTemplate().Resources[idOf(/^TablesSecurityEvents/)].Properties.GlobalSecondaryIndexes;
    table.GlobalSecondaryIndexes = [second, ...rest, { ...first, IndexName: "byNewUser" }];
    expect(violations()).toEqual([expect.stringContaining("byNewUser would be created or deleted in one deployment")]);
  });

  it("finds an index that changes under its name", () => {
    const { Properties: table } = template.Resources[idOf(/^TablesCircuits/)];
    table.GlobalSecondaryIndexes[0].Projection = { ProjectionType: "ALL" };
    expect(violations()).toEqual([
      expect.stringContaining(
        "the index notClosed would change its keys or projection, which DynamoDB does not support",
      ),
    ]);
  });

  it("finds an expiry attribute that changes, and allows a first one", () => {
    template.Resources[idOf(/^TablesPlants/)].Properties.TimeToLiveSpecification = {
      AttributeName: "ttl",
      Enabled: true,
    };
    expect(violations()).toEqual([]);
    template.Resources[idOf(/^TablesReports/)].Properties.TimeToLiveSpecification = { AttributeName: "expiresAt" };
    expect(violations()).toEqual([expect.stringContaining("would change from ttl to expiresAt")]);
    delete template.Resources[idOf(/^TablesReports/)].Properties.TimeToLiveSpecification;
    expect(violations()).toEqual([expect.stringContaining("would change from ttl to none")]);
  });

  it("allows new resources", () => {
    template.Resources.TablesNew1 = template.Resources[idOf(/^TablesPlants/)];
    expect(violations()).toEqual([]);
  });
});
