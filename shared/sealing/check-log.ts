/**
 * Whether the deployment's log is the signed one, and an organization's records and head are those that it counts. Pure but
 * for the key's arithmetic. docs/evidence.md, "Integrity".
 */
import { createPublicKey, verify } from "node:crypto";
import { canonicalJson } from "../evidence/canonical-json.ts";
import { checkpointBody } from "../evidence/checkpoint.ts";
import { EMPTY_TREE, grow, type Hash, leafHash, rootOf, rootOfFrontier } from "../evidence/merkle-tree.ts";
import { encodeHash, entryOf, type LogHead } from "../evidence/sealed-log.ts";
import { HOUR_MS } from "../terms/hours.ts";

const rootOfEntries = (entries: readonly string[]): Hash => rootOf(entries.map((entry) => leafHash(entry)));

/** Whether the leaves are the hours from the log's first one on, without gaps. @param entries of leaves. */
const isOfAllHours = (entries: readonly string[], start: number): boolean =>
  entries.every((entry, index) => {
    const { hour, root } = JSON.parse(entry);
    return hour === start + index * HOUR_MS && canonicalJson({ hour, root }) === entry;
  });

/** A signed note has the id of the key before each signature. https://c2sp.org/signed-note */
const KEY_ID_BYTES = 4;

/** @param spki the public key, DER. */
const isSigned = (checkpoint: string, body: string, spki: Uint8Array): boolean => {
  const key = createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
  const signatures = checkpoint
    .slice(body.length)
    .split("\n")
    .map((line) => Buffer.from(line.split(" ")[2] ?? "", "base64").subarray(KEY_ID_BYTES));
  return signatures.some((signature) => signature.length > 0 && verify(null, Buffer.from(body), key, signature));
};

/** `checkpoint`: the text of the log's size; undefined if it is not stored. `spki`: of the signing keys, DER. */
export type SignedLog = {
  start: number;
  origin: string;
  entries: readonly string[];
  checkpoint: string | undefined;
  spki: readonly Uint8Array[];
};

/** Whether a checkpoint signs a body. @param checkpoint undefined if it is not stored. */
export const isCheckpointOf = (body: string, checkpoint: string | undefined, spki: readonly Uint8Array[]): boolean =>
  checkpoint?.startsWith(`${body}\n`) === true && spki.some((key) => isSigned(checkpoint, body, key));

/** Whether the log's newest checkpoint signs exactly its leaves. */
export const isLogSigned = ({ start, origin, entries, checkpoint, spki }: SignedLog): boolean =>
  isOfAllHours(entries, start) &&
  isCheckpointOf(checkpointBody(origin, entries.length, rootOfEntries(entries)), checkpoint, spki);

/** The bodies of the checkpoints of some sizes, which sign the first leaves of one log: so each follows from the others. */
export const bodiesOf = (origin: string, entries: readonly string[], sizes: readonly number[]): Map<number, string> => {
  const wanted = new Set(sizes);
  const bodies = new Map<number, string>();
  let tree = EMPTY_TREE;
  for (const entry of entries) {
    tree = grow(tree, [leafHash(entry)]);
    if (wanted.has(tree.size)) bodies.set(tree.size, checkpointBody(origin, tree.size, rootOfFrontier(tree)));
  }
  return bodies;
};

/**
 * An organization's place in a step: `head` and its `slot`, both undefined if it had no records yet. `slots`: the hashes of
 * all slots. `leaf`: of the step. `records`: the entries of the organization's log that the step counts.
 */
export type OrganizationInStep = {
  slot: number | undefined;
  head: LogHead | undefined;
  slots: readonly Hash[];
  leaf: string;
  records: readonly string[];
};

/** Whether a step's leaf counts exactly an organization's records. */
export const isCounted = ({ slot, head, slots, leaf, records }: OrganizationInStep): boolean => {
  if (encodeHash(rootOf(slots)) !== JSON.parse(leaf).root) return false;
  if (slot === undefined || head === undefined) return records.length === 0;
  const inSlot = slots[slot];
  return (
    head.size === records.length &&
    head.root === encodeHash(rootOfEntries(records)) &&
    inSlot !== undefined &&
    Buffer.compare(inSlot, leafHash(entryOf(head))) === 0
  );
};
