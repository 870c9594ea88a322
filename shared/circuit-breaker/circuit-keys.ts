/**
 * The keys of the breaker's table: partition key `id`, no sort key, one index `notClosed` (partition key `sh`, no sort
 * key, projecting `ou`).
 *
 * Organizations appear in keys as 16 characters of their SHA-256 (96 bits), so that no organization's id can reach
 * into another's keys, and so that an entry of the index has 31 bytes however long the id is: 10,000 circuits that are
 * not closed are then counted for about 40 read units.
 */
import { createHash } from "node:crypto";

export const NOT_CLOSED_INDEX = "notClosed";

/** A partition of an index takes 1,000 writes a second; a table throttles when its index does. */
export const INDEX_SHARDS = ["0", "1", "2", "3"] as const;

/** Circuits that an operator holds open are counted apart: when the hold ends they are closed, not half-open. */
export const HELD_SHARD = "f";

/**
 * So are both kinds of organizations without a connection: they are no part of the count of connections, but are among
 * all organizations. Few such circuits are ever not closed.
 */
export const UNCONNECTED_SHARD = "u";
export const UNCONNECTED_HELD_SHARD = "uf";

/** The key of an organization's circuit. */
export const circuitKey = (organizationId: string): string =>
  createHash("sha256").update(organizationId).digest("base64url").slice(0, 16);

/** Where the circuit of a connected organization lies in the index while it is open or half-open. */
export const indexShard = (organizationId: string): string =>
  INDEX_SHARDS[circuitKey(organizationId).charCodeAt(0) % INDEX_SHARDS.length] ?? INDEX_SHARDS[0];
