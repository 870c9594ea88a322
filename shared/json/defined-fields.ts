/** The fields without undefined values: those that may be undefined become optional. */
export type DefinedFields<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
};

/**
 * The fields that are defined, in their order: `{ name, ...definedFields({ tag }) }`. For types with optional fields,
 * which may be missing but must not be undefined (`exactOptionalPropertyTypes`).
 */
export const definedFields = <Fields extends Readonly<Record<string, unknown>>>(
  fields: Fields,
): DefinedFields<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as DefinedFields<Fields>;
