/** PartiQL's statements of shared/runtime/partiql.ts as the calls that do the same. */
import type { Item } from "../support/expressions.ts";

export type Statement = { Statement: string; Parameters: unknown[] };

/** A command's input. */
type Input = Item & {
  TableName: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues?: Item;
};

/** `code`: of the statement's error if the call's condition does not hold. */
export type SameCall = { operation: "Put" | "Update"; input: Input; code: "DuplicateItem" | "ConditionalCheckFailed" };

const INSERT = /^INSERT INTO "(.+)" VALUE \{(.+)\}$/;
const UPDATE = /^UPDATE "(.+)" SET (.+?)(?: REMOVE ("\w+"))? WHERE (.+)$/;

const namesIn = (text: string): string[] => [...text.matchAll(/\w+(?=["'])/g)].map(([name]) => name);
const equations = (names: readonly string[]): string[] => names.map((name) => `#${name} = :${name}`);

/** @param keysOf the names of the key's attributes of a table. @throws Error for a statement of another form. */
export const callOf = (
  { Statement, Parameters }: Statement,
  keysOf: (table: string) => readonly string[],
): SameCall => {
  const [, inserted = "", fields] = INSERT.exec(Statement) ?? [];
  if (fields !== undefined) {
    const [key = ""] = keysOf(inserted);
    const Item = Object.fromEntries(namesIn(fields).map((name, i) => [name, Parameters[i]]));
    const condition = { ConditionExpression: "attribute_not_exists(#key)", ExpressionAttributeNames: { "#key": key } };
    return { operation: "Put", input: { TableName: inserted, Item, ...condition }, code: "DuplicateItem" };
  }
  const [, TableName = "", set, removed = "", where] = UPDATE.exec(Statement) ?? [];
  if (set === undefined || where === undefined) throw new Error(`The store in memory does not know ${Statement}.`);
  const [written, required] = [namesIn(set), namesIn(where)];
  const keys = keysOf(TableName);
  const requiredValue = (name: string) => Parameters[written.length + required.indexOf(name)];
  const versions = required.filter((name) => !keys.includes(name));
  const values = written.map((name, i) => [`:${name}`, Parameters[i]] as const);
  const input = {
    TableName,
    Key: Object.fromEntries(keys.map((name) => [name, requiredValue(name)])),
    UpdateExpression: `SET ${equations(written).join(", ")}${namesIn(removed).map((name) => ` REMOVE #${name}`)}`,
    ConditionExpression: versions.map((name) => `#${name} = :required_${name}`).join(" AND "),
    ExpressionAttributeNames: Object.fromEntries(
      [...written, ...required, ...namesIn(removed)].map((name) => [`#${name}`, name]),
    ),
    ExpressionAttributeValues: Object.fromEntries([
      ...values,
      ...versions.map((name) => [`:required_${name}`, requiredValue(name)] as const),
    ]),
  };
  return { operation: "Update", input, code: "ConditionalCheckFailed" };
};
