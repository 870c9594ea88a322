/** The tables of the stack, from infra/stateful-resources.json, which tests compare with the template. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestTable } from "../support/embedded-dynamodb.ts";
import type { TableKeys } from "./memory-table.ts";

/** A key such as `scope HASH S`. */
type Resource = {
  type: string;
  keys: string[];
  expiry?: string;
  indexes: Record<string, { keys: string[]; projection: ["ALL" | "KEYS_ONLY" | "INCLUDE", ...string[]] }>;
};

const FILE = join(import.meta.dirname, "../../infra/stateful-resources.json");

const deployed = Object.entries(JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Resource>)
  .filter(([, { type }]) => type === "AWS::DynamoDB::Table")
  .map(([id, resource]) => ({ name: id.replace(/^Tables/, "").slice(0, -8), ...resource }));

const attribute = (keys: readonly string[], kind: string) =>
  keys.find((key) => key.includes(` ${kind} `))?.split(" ")[0];

const keysOf = (keys: readonly string[]) => ({
  partition: attribute(keys, "HASH") ?? "",
  sort: attribute(keys, "RANGE"),
});

/** The keys of the tables by their names, such as `SyncRuns`. */
export const tables: ReadonlyMap<string, TableKeys> = new Map(
  deployed.map(({ name, keys, expiry, indexes }) => {
    const made = Object.entries(indexes).map(([index, { keys: own, projection }]) => {
      const [kind, ...held] = projection;
      return [index, { ...keysOf(own), holds: kind === "ALL" ? undefined : held }];
    });
    return [name, { ...keysOf(keys), expiry, indexes: Object.fromEntries(made) }];
  }),
);

const schemaOf = (keys: readonly string[]) =>
  keys.map((key) => {
    const [AttributeName = "", KeyType = ""] = key.split(" ");
    return { AttributeName, KeyType: KeyType as "HASH" | "RANGE" };
  });

/** The same tables for an engine. */
export const tableDefinitions: readonly TestTable[] = deployed.map(({ name, keys, indexes }) => {
  const all = new Set([...keys, ...Object.values(indexes).flatMap((index) => index.keys)]);
  const types = new Map([...all].map((key) => [key.split(" ")[0] ?? "", key.split(" ")[2] as "S" | "N"]));
  return {
    TableName: name,
    KeySchema: schemaOf(keys),
    AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    ...(Object.keys(indexes).length > 0 && {
      GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, { keys: own, projection }]) => {
        const [ProjectionType, ...NonKeyAttributes] = projection;
        const Projection = { ProjectionType, ...(NonKeyAttributes.length > 0 && { NonKeyAttributes }) };
        return { IndexName, KeySchema: schemaOf(own), Projection };
      }),
    }),
  };
});
