/**
 * What is sealed: each event as a leaf of its hour, each version of an hour as a record in its organization's log, each
 * organization's log as a head in a slot, and each hour of the deployment as a leaf of its log. The entries are canonical
 * JSON, so that a verifier that we did not write computes the same hashes. Pure. docs/evidence.md.
 */
import { canonicalJson } from "./canonical-json.ts";
import { type Hash, leafHash, rootOf } from "./merkle-tree.ts";

/** The fields of an event that change after it was recorded. */
type ChangingFields = {
  alertId?: unknown;
  processed?: unknown;
  processedAt?: unknown;
  alertGenerated?: unknown;
  alertLevel?: unknown;
};

/**
 * The SHA-256 of a random salt and of an event's canonical text; without the salt, nobody can test a guess of the event.
 * @param event as the API returns it.
 */
export const eventLeaf = (event: object, salt: Uint8Array): Hash => {
  const { alertId, processed, processedAt, alertGenerated, alertLevel, ...sealed }: ChangingFields = event;
  return leafHash(salt, canonicalJson(sealed));
};

export const encodeHash = (hash: Uint8Array): string => Buffer.from(hash).toString("base64");

/** An event that an erasure has emptied: its place in the hour, the erasure's id, its leaf under its new salt. */
export type EmptiedLeaf = { index: number; erasure: string; event: Hash };

/** The root over the emptied events of an hour. @param emptied in order of their indexes. */
export const erasedRootOf = (emptied: readonly EmptiedLeaf[]): Hash =>
  rootOf(
    emptied.map(({ index, erasure, event }) => leafHash(canonicalJson({ index, erasure, event: encodeHash(event) }))),
  );

/**
 * A version of a sealed hour. `hour`: its start, epoch ms. `version`: from 1. `root`: over the leaves of its first `count`
 * events. `erased`: emptied events; `erasedRoot`: over them. `step`: the index of the deployment's leaf that first counts
 * the record. Hashes are base64.
 */
export type HourRecord = {
  organizationId: string;
  hour: number;
  version: number;
  count: number;
  root: string;
  erased: number;
  erasedRoot: string;
  step: number;
};

/** The state of an organization's log in a step. `log`: the log's 16 random bytes; `root`, `size`: of its records. */
export type LogHead = { hour: number; log: string; root: string; size: number };

/** An hour of the deployment. `root`: over the slots of all organizations. */
export type LogLeaf = { hour: number; root: string };

/** The bytes of an entry, which files and tables keep as they are. */
export const entryOf = (entry: HourRecord | LogHead | LogLeaf): string => canonicalJson(entry);

/** @param entry of an hour's record, as entryOf made it. */
export const recordOf = (entry: string): HourRecord => JSON.parse(entry);
