/** Cursors of lists: opaque to clients, bound to the scope and the query of the list. */
import type * as z from "zod/mini";
import { DomainError } from "../runtime/domain-error.ts";
import { createSealing, type SealBinding } from "../runtime/sealing.ts";

/** The scope and the query of a cursor. `query` names the route and its filters, without the page size. */
export type CursorBinding = SealBinding;

/** @param secret any text; the key is derived from it. */
export const createCursors = (secret: string) => {
  const sealing = createSealing(secret);
  return {
    /** A cursor to the page after the position. */
    seal: (binding: CursorBinding, position: unknown): string => sealing.seal(binding, position),

    /**
     * The position in a cursor, parsed by the route's schema.
     * @throws DomainError `invalid_cursor`, with one message for cursors that are malformed, forged, of another query or
     *   of another scope; the latter has a `foreignScope`.
     */
    open<Position extends z.ZodMiniType>(
      binding: CursorBinding,
      position: Position,
      cursor: string,
    ): z.output<Position> {
      const opened = sealing.open(binding, position, cursor);
      if (opened.is === "ours") return opened.position;
      throw new DomainError("invalid_cursor", "cursor: expected a cursor that this service issued for this query", {
        foreignScope: opened.is === "foreign" ? opened.scope : undefined,
      });
    },
  };
};

export type Cursors = ReturnType<typeof createCursors>;
