import * as z from "zod";

/** A list of an XML answer, whose items are elements of the given name. */
export const xmlList = <Item>(name: string, item: z.ZodType<Item>) =>
  z.preprocess((value) => {
    if (typeof value !== "object" || value === null || !(name in value)) return [];
    return [(value as Record<string, unknown>)[name]].flat();
  }, z.array(item));
