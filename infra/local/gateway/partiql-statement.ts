/**
 * The PartiQL statements that functions may send, which are those of shared/runtime/partiql.ts. The engine is more
 * lenient than DynamoDB: it ignores surplus parameters, lets an UPDATE change keys, and removes several attributes after
 * one REMOVE. So a statement that is not exactly of these forms is not supported.
 */
import type { TableModel } from "../core/model.ts";

const INSERT = /^INSERT INTO "([\w.-]+)" VALUE \{('\w+': \?(?:, '\w+': \?)*)\}$/;
const UPDATE =
  /^UPDATE "([\w.-]+)" SET ("\w+" = \?(?:, "\w+" = \?)*)(?: REMOVE ("\w+"))? WHERE ("\w+" = \?(?: AND "\w+" = \?)*)$/;

/** The right that a statement needs, and the table that it names. */
export type StatementTarget = { action: "dynamodb:PartiQLInsert" | "dynamodb:PartiQLUpdate"; table: string };

const namesIn = (text = ""): string[] => [...text.matchAll(/\w+(?=["'])/g)].map(([name]) => name);

/** @returns undefined if DynamoDB would refuse the statement, or if it is of another form. */
export const targetOf = (
  { Statement, Parameters }: { Statement: string; Parameters: readonly unknown[] },
  tables: readonly TableModel[],
): StatementTarget | undefined => {
  const parts = INSERT.exec(Statement) ?? UPDATE.exec(Statement);
  const [, table = "", written, removed, where] = parts ?? [];
  const schema = tables.find(({ name }) => name === table)?.definition.KeySchema ?? [];
  const keys = schema.flatMap(({ AttributeName }) => AttributeName ?? []);
  const conditions = namesIn(where);
  const values = [...namesIn(written), ...conditions];
  if (parts === null || values.length !== Parameters.length) return undefined;
  if (where === undefined) return { action: "dynamodb:PartiQLInsert", table };
  const changed = [...namesIn(written), ...namesIn(removed)];
  if (keys.some((name) => changed.includes(name) || !conditions.includes(name))) return undefined;
  return { action: "dynamodb:PartiQLUpdate", table };
};
