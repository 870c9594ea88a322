import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assemblyDirectory } from "./assembly.ts";
import type { TestTable } from "./embedded-dynamodb.ts";

type Index = { IndexName: string; KeySchema: unknown[]; Projection: unknown };
type TableResource = {
  Type: string;
  Properties: { KeySchema: never; AttributeDefinitions: never; GlobalSecondaryIndexes?: Index[] };
};

/** A table of the service with the keys and indexes of the template, under another name. */
export const declaredTable = (logicalIdPrefix: string, TableName: string, directory = assemblyDirectory): TestTable => {
  const [file] = globSync("*.template.json", { cwd: directory });
  const template = JSON.parse(readFileSync(join(directory, file ?? ""), "utf8"));
  const resources = Object.entries(template.Resources as Record<string, TableResource>);
  const [, table] =
    resources.find(([id, { Type }]) => Type === "AWS::DynamoDB::Table" && id.startsWith(logicalIdPrefix)) ?? [];
  if (table === undefined) throw new Error(`The template declares no table ${logicalIdPrefix}`);
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = table.Properties;
  return {
    TableName,
    KeySchema,
    AttributeDefinitions,
    ...(GlobalSecondaryIndexes && { GlobalSecondaryIndexes: GlobalSecondaryIndexes as never }),
    ttlAttribute: "ttl",
  };
};
