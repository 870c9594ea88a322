/** The texts of one UpdateItem, from its conditions and assignments. Pure: texts and values, no SDK. */

/** What one UpdateItem is told besides its table and key. */
export type UpdateExpressions = {
  ConditionExpression: string;
  UpdateExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: Record<string, unknown>;
};

/** Conditions, all of which must hold; assignments, which read the item as it was before; what is taken away. */
export type Parts = { only: readonly string[]; set: readonly string[]; remove?: readonly string[] };

/** The attributes of a closed circuit's window. */
export const window = ["#f1", "#f2", "#f3", "#f4", "#j1", "#j2", "#j3", "#j4"];

/** Names and values that the texts use, and no others: DynamoDB refuses what is not used. */
const used = (texts: string, names: Record<string, string>, values: Record<string, unknown>) => ({
  ExpressionAttributeNames: Object.fromEntries(
    [...new Set(texts.match(/#\w+/g))].map((name) => [name, names[name] ?? name.slice(1)]),
  ),
  ExpressionAttributeValues: Object.fromEntries([...new Set(texts.match(/:\w+/g))].map((name) => [name, values[name]])),
});

/**
 * @param names the attributes that are not called as in the texts.
 * @param values by their names in the texts; those that the texts do not use are left out.
 */
export const assemble = (
  { only, set, remove = [] }: Parts,
  names: Record<string, string>,
  values: Record<string, unknown>,
): UpdateExpressions => {
  const ConditionExpression = only.join(" AND ");
  const clauses = [set.length > 0 && `SET ${set.join(", ")}`, remove.length > 0 && `REMOVE ${remove.join(", ")}`];
  const UpdateExpression = clauses.filter((clause) => clause !== false).join(" ");
  return {
    ConditionExpression,
    UpdateExpression,
    ...used(`${ConditionExpression} ${UpdateExpression}`, names, values),
  };
};
