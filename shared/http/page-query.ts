import * as z from "zod/mini";
import type { Paging } from "./route.ts";

/** The query parameters of a paged route. */
export const pageQuery = ({ defaultLimit, maxLimit }: Paging) => {
  const error = `expected an integer between 1 and ${maxLimit}`;
  const limit = z
    .pipe(
      z.string({ error }).check(z.regex(/^[0-9]{1,9}$/, { error })),
      z.pipe(
        z.transform((digits: string) => Number(digits)),
        z.number().check(z.gte(1, { error }), z.lte(maxLimit, { error })),
      ),
    )
    .register(z.globalRegistry, {
      description: "The maximum number of results; a shorter page may have a next one.",
      override: { type: "integer", minimum: 1, maximum: maxLimit, default: defaultLimit },
    });
  const cursor = z.string().register(z.globalRegistry, {
    description: "The next page: `x-next-cursor` of the previous one. Valid for the same caller and query.",
    // base64url; sealing.ts
    override: { pattern: "^[A-Za-z0-9_-]{39,}$" },
  });
  return z.object({ limit: z.optional(limit), cursor: z.optional(cursor) });
};
