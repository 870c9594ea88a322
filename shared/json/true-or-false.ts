import * as z from "zod/mini";

/** A switch in a query: `true` or `false`. */
export const trueOrFalse = (description: string) =>
  z
    .pipe(
      z.enum(["true", "false"], { error: "expected true or false" }),
      z.transform((value: "true" | "false") => value === "true"),
    )
    .register(z.globalRegistry, { description, override: { type: "string", enum: ["true", "false"] } });
