import type { TableDescription } from "@aws-sdk/client-dynamodb";
import type { IndexDefinition, TableDefinition } from "../core/model.ts";

/** How an existing table falls short of what is wanted; `conflict` says what cannot be changed in place. */
export type Comparison = { missing: IndexDefinition[]; surplus: string[]; conflict?: string };

type Shape = {
  KeySchema?: { AttributeName: string | undefined; KeyType: string | undefined }[] | undefined;
  Projection?: { ProjectionType?: string | undefined; NonKeyAttributes?: string[] | undefined } | undefined;
};

type Attributes = { AttributeName: string | undefined; AttributeType: string | undefined }[];

/** One text for equal keys (with the types of their attributes) and equal projections, in whatever order they come. */
const shapeOf = ({ KeySchema = [], Projection }: Shape, attributes: Attributes): string => {
  const typeOf = (name?: string) => attributes.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
  const keys = KeySchema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}: ${typeOf(AttributeName)}`);
  const projected = [...(Projection?.NonKeyAttributes ?? [])].sort().join(" ");
  return [...keys.sort(), Projection?.ProjectionType ?? "", projected].join(", ");
};

/** Compares a table of the engine with the template's. */
export const compareTable = (existing: TableDescription, wanted: TableDefinition): Comparison => {
  const have = existing.AttributeDefinitions ?? [];
  const want = wanted.AttributeDefinitions;
  const nothing = { missing: [], surplus: [] };
  if (shapeOf(existing, have) !== shapeOf(wanted, want)) return { ...nothing, conflict: "its keys differ" };

  const indexes = new Map((existing.GlobalSecondaryIndexes ?? []).map((index) => [index.IndexName ?? "", index]));
  const wantedIndexes = wanted.GlobalSecondaryIndexes ?? [];
  for (const index of wantedIndexes) {
    const found = indexes.get(index.IndexName);
    if (found !== undefined && shapeOf(found, have) !== shapeOf(index, want)) {
      return { ...nothing, conflict: `its index ${index.IndexName} differs` };
    }
  }
  return {
    missing: wantedIndexes.filter(({ IndexName }) => !indexes.has(IndexName)),
    surplus: [...indexes.keys()].filter((name) => !wantedIndexes.some(({ IndexName }) => IndexName === name)),
  };
};
