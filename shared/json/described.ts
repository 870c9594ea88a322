import * as z from "zod/mini";

/** A schema with a description in the OpenAPI document. */
export const described = <Schema extends z.ZodMiniType>(schema: Schema, description: string): Schema => {
  z.globalRegistry.add(schema, { description });
  return schema;
};
