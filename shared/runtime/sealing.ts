/**
 * Texts that are handed out and come back: opaque to whoever holds them, bound to whose they are and to what they are
 * for. Sealed with AES-256-GCM, so that a forged one is told from a real one and nobody but the service reads it.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import * as z from "zod/mini";
import { encodeJson } from "../json/encode-json.ts";
import { reviveExactly } from "../json/revive-exactly.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a sealed text belongs to: `scope` says to whom, `query` what it is good for. */
export type SealBinding = { scope: string; query: string };

/**
 * What a text is: ours, with its position; one that was sealed here, but for another scope; or none of these, be it
 * garbled, forged, or sealed for another query or in another shape.
 */
export type Opened<Position> =
  | { is: "ours"; position: Position }
  | { is: "foreign"; scope: string; query: string }
  | { is: "unknown" };

const Content = z.object({ scope: z.string(), query: z.string(), position: z.unknown() });

/** @param secret any text; the key is derived from it. */
export const createSealing = (secret: string) => {
  const key = createHash("sha256").update(secret).digest();

  const decipher = (sealed: string): unknown => {
    const bytes = Buffer.from(sealed, "base64url");
    // Node's decoder skips what is not base64url: only the one spelling that we gave out is accepted.
    if (bytes.toString("base64url") !== sealed || bytes.length <= NONCE_BYTES + TAG_BYTES) throw new Error("malformed");
    const opening = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
    opening.setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = opening.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + opening.final("utf8");
    return JSON.parse(text, reviveExactly);
  };

  return {
    seal(binding: SealBinding, position: unknown): string {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const text = cipher.update(encodeJson({ ...binding, position }), "utf8");
      return Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]).toString("base64url");
    },

    /**
     * What a text is, its position parsed by the schema, which sees integers as bigints. Whoever sent the text is told
     * no more than whether it is theirs.
     */
    open<Position extends z.ZodMiniType>(
      binding: SealBinding,
      position: Position,
      sealed: string,
    ): Opened<z.output<Position>> {
      try {
        const { scope, query, position: found } = Content.parse(decipher(sealed));
        if (scope !== binding.scope) return { is: "foreign", scope, query };
        if (query === binding.query) return { is: "ours", position: position.parse(found) };
      } catch {
        // Every reason gets the one answer below.
      }
      return { is: "unknown" };
    },
  };
};

export type Sealing = ReturnType<typeof createSealing>;
