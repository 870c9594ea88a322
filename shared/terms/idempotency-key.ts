/** The header that identifies a request to start work, so that a repeated request starts nothing more. */
import * as z from "zod/mini";

export const IDEMPOTENCY_KEY = "Idempotency-Key";

const error = "expected 1 to 255 visible ASCII characters";

/** The headers of a route that accepts the key. */
export const IdempotencyHeader = z.object({
  [IDEMPOTENCY_KEY]: z.optional(
    z
      .string({ error })
      .check(z.regex(/^[!-~]{1,255}$/, { error }))
      .register(z.globalRegistry, {
        description:
          "1 to 255 visible ASCII characters. The same key and body within 24 hours get the first answer again, the same key with another body 409. Keys belong to the organization.",
        override: { type: "string", minLength: 1, maxLength: 255 },
      }),
  ),
});
