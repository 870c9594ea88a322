/** The changes of an update. `setOnce` keeps existing values; `add` adds to a number or a set. */
export type Update = {
  set: Record<string, unknown>;
  setOnce?: Record<string, unknown>;
  add?: Record<string, unknown>;
  remove?: readonly string[];
  condition: string;
  /** Values of the condition, by the name they have there, without the colon. */
  values: Record<string, unknown>;
};

/** The expressions of an update. The condition names attributes by `#` and their own names. */
export const renderUpdate = ({ set, setOnce = {}, add = {}, remove = [], condition, values }: Update) => {
  const named = [...Object.keys({ ...set, ...setOnce, ...add }), ...remove, ...(condition.match(/(?<=#)\w+/g) ?? [])];
  const sets = [
    ...Object.keys(set).map((name) => `#${name} = :set_${name}`),
    ...Object.keys(setOnce).map((name) => `#${name} = if_not_exists(#${name}, :set_${name})`),
  ];
  const clauses = [
    sets.length > 0 && `SET ${sets.join(", ")}`,
    Object.keys(add).length > 0 &&
      `ADD ${Object.keys(add)
        .map((name) => `#${name} :set_${name}`)
        .join(", ")}`,
    remove.length > 0 && `REMOVE ${remove.map((name) => `#${name}`).join(", ")}`,
  ];
  const written = Object.entries({ ...set, ...setOnce, ...add }).map(([name, value]) => [`:set_${name}`, value]);
  return {
    UpdateExpression: clauses.filter((clause) => clause !== false).join(" "),
    ConditionExpression: condition,
    ExpressionAttributeNames: Object.fromEntries(named.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(written),
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
    },
  };
};
