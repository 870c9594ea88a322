import { describe, expect, it } from "@jest/globals";
import {
  consistencyProof,
  EMPTY_TREE,
  grow,
  type Hash,
  inclusionPath,
  leafHash,
  nodeHash,
  rootOf,
  rootOfFrontier,
} from "../../../shared/evidence/merkle-tree.ts";
import { rangeOf } from "../../support/depth.ts";
import { createRandom } from "../../support/random.ts";

const hex = (hash: Hash): string => Buffer.from(hash).toString("hex");

/** The leaves and roots with which implementations of RFC 6962 and RFC 9162 test themselves (transparency-dev/merkle). */
const LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"].map(
  (entry) => leafHash(Buffer.from(entry, "hex")),
);
const ROOTS = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

/** RFC 9162, 2.1.3.2. */
const rootByInclusion = (leaf: Hash, index: number, size: number, path: readonly Hash[]): string => {
  let [node, first, last] = [leaf, index, size - 1];
  for (const sibling of path) {
    if (first % 2 === 1 || first === last) {
      node = nodeHash(sibling, node);
      while (first % 2 === 0 && first !== 0) [first, last] = [first >> 1, last >> 1];
    } else node = nodeHash(node, sibling);
    [first, last] = [first >> 1, last >> 1];
  }
  return last === 0 ? hex(node) : "the path is too short";
};

/** RFC 9162, 2.1.4.2. @returns the roots of the older and the newer tree. */
const rootsByConsistency = (older: number, newer: number, oldRoot: Hash, proof: readonly Hash[]): string[] => {
  if (older === newer) return [hex(oldRoot), hex(oldRoot)];
  const nodes = Number.isInteger(Math.log2(older)) ? [oldRoot, ...proof] : [...proof];
  let [first, last] = [older - 1, newer - 1];
  while (first % 2 === 1) [first, last] = [first >> 1, last >> 1];
  const [start, ...rest] = nodes as [Hash, ...Hash[]];
  let [one, other] = [start, start];
  for (const node of rest) {
    if (first % 2 === 1 || first === last) {
      [one, other] = [nodeHash(node, one), nodeHash(node, other)];
      while (first % 2 === 0 && first !== 0) [first, last] = [first >> 1, last >> 1];
    } else other = nodeHash(other, node);
    [first, last] = [first >> 1, last >> 1];
  }
  return [hex(one), hex(other)];
};

describe("a tree of hashes", () => {
  it("has the roots that others compute", () => {
    expect(rangeOf(9).map((size) => hex(rootOf(LEAVES.slice(0, size))))).toEqual(ROOTS);
  });

  it("grows to the same roots, leaf by leaf and in any pieces", () => {
    const random = createRandom(31);
    const leaves = rangeOf(200).map((index) => leafHash(String(index)));
    let frontier = EMPTY_TREE;
    while (frontier.size < leaves.length) {
      frontier = grow(frontier, leaves.slice(frontier.size, frontier.size + 1 + Math.floor(random() * 9)));
      expect(hex(rootOfFrontier(frontier))).toBe(hex(rootOf(leaves.slice(0, frontier.size))));
    }
  });

  it("proves what it contains, and what it was before, by the RFC's own algorithms", () => {
    const leaves = rangeOf(21).map((index) => leafHash(String(index)));
    for (let size = 1; size <= leaves.length; size++) {
      const tree = leaves.slice(0, size);
      const root = hex(rootOf(tree));
      for (const [index, leaf] of tree.entries())
        expect(rootByInclusion(leaf, index, size, inclusionPath(tree, index))).toBe(root);
      for (let older = 1; older <= size; older++) {
        const oldRoot = rootOf(tree.slice(0, older));
        expect(rootsByConsistency(older, size, oldRoot, consistencyProof(tree, older))).toEqual([hex(oldRoot), root]);
      }
    }
  });
});
