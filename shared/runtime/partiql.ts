/**
 * Statements of PartiQL, DynamoDB's SQL, that replace an item if its version has not changed. They keep to the
 * syntax of AWS's reference, which has no example of SET and REMOVE in one statement:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.update.html
 */
import type { TableName } from "../terms/tables.ts";
import type { Replacement } from "./replace-item.ts";
import type { Item } from "./table-expressions.ts";

/** `Parameters`: the values of the question marks, in order. */
export type Statement = { Statement: string; Parameters: unknown[] };

const namesIn = (item: Item): string[] => Object.keys(item).filter((name) => item[name] !== undefined);
const valuesIn = (item: Item, names: readonly string[]): unknown[] => names.map((name) => item[name]);
const equations = (names: readonly string[], separator: string): string =>
  names.map((name) => `"${name}" = ?`).join(separator);

/** DynamoDB refuses the statement if the key exists. */
const insertOf = (table: string, item: Item): Statement => {
  const names = namesIn(item);
  const fields = names.map((name) => `'${name}': ?`).join(", ");
  return { Statement: `INSERT INTO "${table}" VALUE {${fields}}`, Parameters: valuesIn(item, names) };
};

/**
 * An INSERT, or an UPDATE with a condition on the version.
 * @returns undefined if several attributes must be removed: AWS has no example of that.
 */
export const statementOf = <Name extends TableName>(
  table: string,
  version: string,
  { key, item, previous }: Replacement<Name>,
): Statement | undefined => {
  if (previous === undefined) return insertOf(table, item);
  const kept = new Set([...namesIn(item), ...namesIn(key)]);
  const [removed, ...others] = namesIn(previous).filter((name) => !kept.has(name));
  if (others.length > 0) return undefined;
  const set = namesIn(item).filter((name) => !(name in key));
  const remove = removed === undefined ? "" : ` REMOVE "${removed}"`;
  const condition = [...namesIn(key), version];
  return {
    Statement: `UPDATE "${table}" SET ${equations(set, ", ")}${remove} WHERE ${equations(condition, " AND ")}`,
    Parameters: [...valuesIn(item, set), ...valuesIn(key, namesIn(key)), previous[version]],
  };
};
