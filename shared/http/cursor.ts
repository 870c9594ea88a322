/** Cursors of lists: opaque to clients, bound to whose list it is and to what was asked. */
import type * as z from "zod/mini";
import { DomainError } from "../runtime/domain-error.ts";
import { createSealing, type SealBinding } from "../runtime/sealing.ts";

/** What a cursor belongs to. `query` names the route and its filters; another page size is the same query. */
export type CursorBinding = SealBinding;

/** @param secret any text; the key is derived from it. */
export const createCursors = (secret: string) => {
  const sealing = createSealing(secret);
  return {
    /** A cursor that leads to what comes after the position. */
    seal: (binding: CursorBinding, position: unknown): string => sealing.seal(binding, position),

    /**
     * The position in a cursor, parsed by the route's schema.
     * @throws DomainError `invalid_cursor`, which says the same of a forged, a garbled, a foreign and another query's one;
     *   a foreign one's has a `foreignScope` besides.
     */
    open<Position extends z.ZodMiniType>(
      binding: CursorBinding,
      position: Position,
      cursor: string,
    ): z.output<Position> {
      const opened = sealing.open(binding, position, cursor);
      if (opened.is === "ours") return opened.position;
      throw new DomainError("invalid_cursor", "cursor: expected one that this service gave out for this query", {
        foreignScope: opened.is === "foreign" ? opened.scope : undefined,
      });
    },
  };
};

export type Cursors = ReturnType<typeof createCursors>;
