/**
 * Trees of hashes as certificate transparency has them: RFC 9162, section 2.1. A tree that has grown still proves what it
 * was before. Hashes are SHA-256, 32 bytes. Pure. docs/evidence.md, "Trees".
 */
import { createHash } from "node:crypto";

export type Hash = Uint8Array;

const sha256 = (...parts: (string | Uint8Array)[]): Hash => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Without different first bytes, a node could be shown as a leaf. */
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** @param entry the parts of the leaf's entry. */
export const leafHash = (...entry: (string | Uint8Array)[]): Hash => sha256(LEAF, ...entry);

export const nodeHash = (left: Hash, right: Hash): Hash => sha256(NODE, left, right);

/** What a tree needs to grow: the number of its leaves, and the roots of its full subtrees, the largest first. */
export type Frontier = { readonly size: number; readonly subtrees: readonly Hash[] };

export const EMPTY_TREE: Frontier = { size: 0, subtrees: [] };

/** The frontier after further leaves. Takes as many steps as there are leaves. */
export const grow = ({ size, subtrees }: Frontier, leaves: Iterable<Hash>): Frontier => {
  const stack = [...subtrees];
  let count = size;
  for (const leaf of leaves) {
    let node = leaf;
    // Two subtrees of one size become one of twice the size, as digits carry.
    for (let rest = count; rest % 2 === 1; rest = Math.floor(rest / 2)) node = nodeHash(stack.pop() ?? node, node);
    stack.push(node);
    count += 1;
  }
  return { size: count, subtrees: stack };
};

/** The root of a frontier; of the empty tree, the hash of nothing. */
export const rootOfFrontier = ({ subtrees }: Frontier): Hash =>
  subtrees.length === 0 ? sha256() : subtrees.reduceRight((right, left) => nodeHash(left, right));

/** The root over leaves. */
export const rootOf = (leaves: Iterable<Hash>): Hash => rootOfFrontier(grow(EMPTY_TREE, leaves));

/** The largest power of two below a number of at least 2. */
const splitOf = (size: number): number => 2 ** (Math.ceil(Math.log2(size)) - 1);

/** The hashes that lead from a leaf to the root, from below (RFC 9162, 2.1.3.1). @param index below the number of leaves. */
export const inclusionPath = (leaves: readonly Hash[], index: number): Hash[] => {
  if (leaves.length <= 1) return [];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split
    ? [...inclusionPath(left, index), rootOf(right)]
    : [...inclusionPath(right, index - split), rootOf(left)];
};

/** SUBPROOF of RFC 9162, 2.1.4.1. @param isWhole whether the older tree is a subtree whose root the verifier has. */
const subproof = (leaves: readonly Hash[], size: number, isWhole: boolean): Hash[] => {
  if (size === leaves.length) return isWhole ? [] : [rootOf(leaves)];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return size <= split
    ? [...subproof(left, size, isWhole), rootOf(right)]
    : [...subproof(right, size - split, false), rootOf(left)];
};

/**
 * The proof that the tree over all leaves has grown from the tree over the first ones (RFC 9162, 2.1.4.1).
 * @param size from 1 to the number of leaves.
 */
export const consistencyProof = (leaves: readonly Hash[], size: number): Hash[] => subproof(leaves, size, true);
