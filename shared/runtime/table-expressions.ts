/**
 * The expressions of DynamoDB calls. In every expression `#` precedes an attribute's name and `:` a value's, so the two
 * maps that DynamoDB asks for follow from the expressions and the values.
 */
import type { TableIndex } from "../terms/tables.ts";

export type Item = Readonly<Record<string, unknown>>;

/** What the stored item must be like, for instance `{ condition: "#version = :previous", values: { previous } }`. */
export type Condition = {
  condition?: string | undefined;
  values?: Item | undefined;
  /** The attributes that the expressions call by another name, such as `{ permit: "call-7" }` for `#permits.#permit`. */
  names?: Readonly<Record<string, string>> | undefined;
};

/** The condition that an attribute still has the value that was read; undefined: that there was none. */
export const unchanged = (name: string, value: unknown): { condition: string; values: Item } =>
  value === undefined
    ? { condition: `attribute_not_exists(#${name})`, values: {} }
    : { condition: `#${name} = :was_${name}`, values: { [`was_${name}`]: value } };

/** The changes of an update. `setOnce` keeps existing values; `add` adds to a number or a set. */
export type Update = Condition & {
  set?: Item;
  setOnce?: Item;
  add?: Item;
  /** Removes the elements of a set from the stored set. */
  removeFrom?: Item;
  /** Attributes, or paths such as `starts[0].by`. */
  remove?: readonly string[];
  /** More actions of the clause SET, for what the other fields cannot say, such as `#used = #used + :used`. */
  also?: string;
};

/** The items of a partition, of the table or of one of its indexes. */
export type Query = {
  index?: Pick<TableIndex, "name"> | undefined;
  /** The condition on the keys, such as `#scope = :scope AND begins_with(#key, :prefix)`. */
  where: string;
  values: Item;
  /** The attributes that `where` and `filter` call by another name. */
  names?: Readonly<Record<string, string>> | undefined;
  /** Leaves items out after they were read and paid for. */
  filter?: string | undefined;
  /** The attributes to read, or paths such as `run.id`; default: all. */
  attributes?: readonly string[] | undefined;
  /** Reads after this key. */
  after?: Item | undefined;
  isDescending?: boolean;
  /** Reads strongly consistent, which costs twice; an index cannot. */
  isConsistent?: boolean;
};

const namesIn = (
  expressions: readonly (string | undefined)[],
  others: Readonly<Record<string, string>>,
): Record<string, string> | undefined => {
  const names = expressions.flatMap((expression) => expression?.match(/(?<=#)\w+/g) ?? []);
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [`#${name}`, others[name] ?? name]));
};

const valuesOf = (values: Item): Record<string, unknown> | undefined => {
  const entries = Object.entries(values);
  return entries.length === 0 ? undefined : Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value]));
};

/** DynamoDB refuses empty maps and attributes without a value in a call. */
const render = <Expressions extends Readonly<Record<string, string | undefined>>>(
  expressions: Expressions,
  values: Item,
  names: Readonly<Record<string, string>> = {},
) => {
  const used = Object.entries(expressions).filter(([, text]) => text !== undefined && text !== "");
  const ExpressionAttributeNames = namesIn(
    used.map(([, text]) => text),
    names,
  );
  const ExpressionAttributeValues = valuesOf(values);
  return {
    ...(Object.fromEntries(used) as { [Name in keyof Expressions]?: string }),
    ...(ExpressionAttributeNames && { ExpressionAttributeNames }),
    ...(ExpressionAttributeValues && { ExpressionAttributeValues }),
  };
};

/** `starts[0].by` as an expression names it: `#starts[0].#by`. */
const pathOf = (path: string) => `#${path.replaceAll(".", ".#")}`;

const projection = (attributes: readonly string[] | undefined) => attributes?.map(pathOf).join(", ");

export const renderProjection = (attributes: readonly string[] | undefined) =>
  render({ ProjectionExpression: projection(attributes) }, {});

/** With a condition that fails, the call answers with the stored item. */
export const renderCondition = ({ condition, values = {}, names }: Condition) => ({
  ...render({ ConditionExpression: condition }, values, names),
  ...(condition !== undefined && { ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const }),
});

export const renderUpdate = (update: Update) => {
  const { set = {}, setOnce = {}, add = {}, removeFrom = {}, remove = [], also, condition, values, names } = update;
  const clause = (name: string, actions: readonly string[]) =>
    actions.length === 0 ? [] : [`${name} ${actions.join(", ")}`];
  const namesOf = (changed: Item, action: (name: string) => string) => Object.keys(changed).map(action);
  const changes = [
    ...clause("SET", [
      ...namesOf(set, (name) => `#${name} = :set_${name}`),
      ...namesOf(setOnce, (name) => `#${name} = if_not_exists(#${name}, :set_${name})`),
      ...(also === undefined ? [] : [also]),
    ]),
    ...clause(
      "ADD",
      namesOf(add, (name) => `#${name} :set_${name}`),
    ),
    ...clause(
      "DELETE",
      namesOf(removeFrom, (name) => `#${name} :set_${name}`),
    ),
    ...clause("REMOVE", remove.map(pathOf)),
  ];
  const written = Object.entries({ ...set, ...setOnce, ...add, ...removeFrom });
  return {
    ...render(
      { UpdateExpression: changes.join(" "), ConditionExpression: condition },
      { ...Object.fromEntries(written.map(([name, value]) => [`set_${name}`, value])), ...values },
      names,
    ),
    ...(condition !== undefined && { ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const }),
  };
};

export const renderQuery = (query: Query) => {
  const { index, where, values, names, filter, attributes, after, isDescending = false, isConsistent = false } = query;
  return {
    ...render(
      {
        KeyConditionExpression: where,
        FilterExpression: filter,
        ProjectionExpression: projection(attributes),
      },
      values,
      names,
    ),
    ...(index && { IndexName: index.name }),
    ...(after && { ExclusiveStartKey: { ...after } }),
    ...(isDescending && { ScanIndexForward: false }),
    ...(isConsistent && { ConsistentRead: true }),
  };
};
