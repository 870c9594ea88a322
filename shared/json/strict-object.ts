import * as z from "zod/mini";

/** An object of a request that refuses fields that it does not have: a misspelled field would be ignored otherwise. */
export const strictObject = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `unknown field ${issue.keys.join(", ").slice(0, 100)}, expected only ${Object.keys(shape).join(", ")}`
        : undefined,
  });
