/**
 * Cursors of lists: opaque to clients, bound to whose list it is and to what was asked. Sealed with AES-256-GCM, so
 * that a forged one is told from a real one and nobody but the service reads what is in it.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import * as z from "zod/mini";
import { encodeJson } from "../json/encode-json.ts";
import { reviveExactly } from "../json/revive-exactly.ts";
import { DomainError } from "../runtime/domain-error.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a cursor belongs to. `query` names the route and its filters; another page size is the same query. */
export type CursorBinding = { scope: string; query: string };

const Content = z.object({ scope: z.string(), query: z.string(), position: z.unknown() });

/** @param secret any text; the key is derived from it. */
export const createCursors = (secret: string) => {
  const key = createHash("sha256").update(secret).digest();

  const open = (cursor: string): unknown => {
    const bytes = Buffer.from(cursor, "base64url");
    // Node's decoder skips what is not base64url: only the one spelling that we gave out is accepted.
    if (bytes.toString("base64url") !== cursor || bytes.length <= NONCE_BYTES + TAG_BYTES) throw new Error("malformed");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
    return JSON.parse(text, reviveExactly);
  };

  return {
    /** A cursor that leads to what comes after the position. */
    seal(binding: CursorBinding, position: unknown): string {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const text = cipher.update(encodeJson({ ...binding, position }), "utf8");
      return Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]).toString("base64url");
    },

    /**
     * The position in a cursor, parsed by the route's schema.
     * @throws DomainError `invalid_cursor`, the same for a forged, a garbled, a foreign and another query's one.
     */
    open<Position extends z.ZodMiniType>(
      binding: CursorBinding,
      position: Position,
      cursor: string,
    ): z.output<Position> {
      try {
        const content = Content.parse(open(cursor));
        if (content.scope === binding.scope && content.query === binding.query) return position.parse(content.position);
      } catch {
        // Every reason gets the one answer below.
      }
      throw new DomainError("invalid_cursor", "cursor: expected one that this service gave out for this query");
    },
  };
};

export type Cursors = ReturnType<typeof createCursors>;
