/** The header that names a request, so that a repetition has no further effect. docs/decisions.md, "Repeated requests". */
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
          "1 to 255 visible ASCII characters. The same key and body within 24 hours get the first answer again, the same key with another body 409. A secret is in the first answer only. Keys belong to the organization, the user and the operation.",
        override: { type: "string", minLength: 1, maxLength: 255 },
      }),
  ),
});

/**
 * The identity of a request. All repetitions with the same Idempotency-Key have the same one. The ids of what a request
 * creates follow from it, so that a repetition finds them and creates nothing more.
 */
export type RequestIdentity = {
  /** Unique. */
  id: string;
  /** When the service first received the request, epoch ms. */
  at: number;
  /** Whether it has a key. Only then other attempts may run at the same time, or may have died between two writes. */
  isKeyed: boolean;
  /** Whether another attempt has begun before. */
  isRepeated: boolean;
};
