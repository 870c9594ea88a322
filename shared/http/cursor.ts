/** Cursors of lists: opaque to clients, bound to the scope and the query of the list. */
import { createHash } from "node:crypto";
import type * as z from "zod/mini";
import { DomainError } from "../runtime/domain-error.ts";
import { createSealing, type SealBinding } from "../runtime/sealing.ts";

/** The scope and the query of a cursor. `query` names the route and its filters, without the page size. */
export type CursorBinding = SealBinding;

/**
 * The query as a hash, so that a cursor is short however long the query is: the next request has both in its address, of
 * which the gateway accepts 10,240 bytes with all headers.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
const compact = ({ scope, query }: CursorBinding): CursorBinding => ({
  scope,
  query: createHash("sha256").update(query).digest("base64url"),
});

/** @param secret any text; the key is derived from it. */
export const createCursors = (secret: string) => {
  const sealing = createSealing(secret);
  return {
    /** A cursor to the page after the position. */
    seal: (binding: CursorBinding, position: unknown): string => sealing.seal(compact(binding), position),

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
      const opened = sealing.open(compact(binding), position, cursor);
      if (opened.is === "ours") return opened.position;
      throw new DomainError("invalid_cursor", "cursor: expected a cursor that this service issued for this query", {
        foreignScope: opened.is === "foreign" ? opened.scope : undefined,
      });
    },
  };
};

export type Cursors = ReturnType<typeof createCursors>;

/** The cursors of a list, called only by requests that read or make one. @throws DomainError `store_unavailable`. */
export type OpenCursors = () => Promise<Cursors>;
