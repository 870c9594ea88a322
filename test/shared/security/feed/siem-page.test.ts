import { readFile } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import * as z from "zod/mini";
import { ocsfClasses } from "../../../../shared/security/ocsf/ocsf-event.ts";

type JsonSchema = {
  type?: string;
  enum?: unknown[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
};

const merge = (one: JsonSchema, other: JsonSchema): JsonSchema => ({
  ...one,
  ...other,
  ...(one.properties && {
    properties: Object.fromEntries(
      [...new Set([...Object.keys(one.properties), ...Object.keys(other.properties ?? {})])].map((name) => [
        name,
        merge(one.properties?.[name] ?? {}, other.properties?.[name] ?? {}),
      ]),
    ),
  }),
});

/** The type of Athena: https://docs.aws.amazon.com/athena/latest/ug/data-types.html */
const typeOf = ({ type, properties, items }: JsonSchema): string => {
  if (properties !== undefined) {
    return `struct<${Object.entries(properties)
      .map(([name, one]) => `${name}:${typeOf(one)}`)
      .join(",")}>`;
  }
  if (type === "array") return `array<${typeOf(items ?? {})}>`;
  if (type === "integer" || type === "number") return "bigint";
  if (type === "boolean") return "boolean";
  return "string";
};

test("docs/siem.md has a column for each attribute of the mapping, with its type", async () => {
  const schemas = Object.values(ocsfClasses).map((one): JsonSchema => z.toJSONSchema(one) as JsonSchema);
  const { properties = {} } = schemas.reduce(merge);
  const columns = Object.entries(properties).map(([name, one]) => `  \`${name}\` ${typeOf(one)}`);
  const page = await readFile("docs/siem.md", "utf8");
  const [, written = ""] = /CREATE EXTERNAL TABLE integration_security \(\n([^)]*)\n\)/.exec(page) ?? [];
  expect(written.split(",\n").sort()).toEqual(columns.sort());
});
