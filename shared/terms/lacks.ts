/**
 * `true` if a table has all names, else a sentence for the compiler's error: `add getPlant to …`. The error of
 * `satisfies Record<Name, …>` repeats the whole table.
 * @example true satisfies Lacks<RouteName, keyof typeof table, "to table in path/table.ts">;
 */
export type Lacks<Name extends string, Present, Where extends string> = [Exclude<Name, Present>] extends [never]
  ? true
  : `add ${Exclude<Name, Present>} ${Where}`;
