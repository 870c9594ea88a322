/**
 * Encrypts texts that clients return later, such as cursors. A text is opaque, and bound to a scope and a query.
 * AES-256-GCM detects forged texts, and only the service can read them.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import * as z from "zod/mini";
import { encodeJson } from "../json/encode-json.ts";
import { reviveExactly } from "../json/revive-exactly.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The owner of a sealed text (`scope`), and its purpose (`query`). */
export type SealBinding = { scope: string; query: string };

/**
 * The result of opening a text: `ours` with its position; `foreign` if it was sealed for another scope; `unknown` if it is
 * malformed, forged, or sealed for another query or schema.
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
    // Node's decoder skips invalid characters, so compare with the canonical base64url text.
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
     * Opens a text and parses its position; the schema receives integers as bigints. Clients must not learn why a text is
     * not theirs.
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
        // All failures have the same result.
      }
      return { is: "unknown" };
    },
  };
};

export type Sealing = ReturnType<typeof createSealing>;
