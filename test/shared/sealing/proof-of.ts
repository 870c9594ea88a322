/** The files of a proof, from what the worker has stored. test/evidence/ has the same from a world in memory. */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leavesOfHour } from "../../../shared/evidence/hour-leaves.ts";
import { inclusionPath } from "../../../shared/evidence/merkle-tree.ts";
import { encodeHash } from "../../../shared/evidence/sealed-log.ts";
import { headIn, hourOfLeaf } from "../../../shared/sealing/evidence-item.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { HOUR } from "../../support/security-events.ts";
import type { SealingStage } from "./stage.ts";

const linesOf = (entries: readonly unknown[]): string => entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
const collect = async (entries: AsyncIterable<string>): Promise<string> => {
  let text = "";
  for await (const entry of entries) text += `${entry}\n`;
  return text;
};

/** Writes an organization's proof of a span of whole hours into a folder. */
export const writeProof = async (
  { evidence, readProved, checkpoints, verifierKeys }: SealingStage,
  folder: string,
  organizationId: string,
  { since, until }: { since: number; until: number },
): Promise<void> => {
  const scope = organizationKey(organizationId);
  const state = await evidence.getState();
  const head = await evidence.getHead(scope);
  if (state === undefined || head === undefined) throw new Error("Nothing is sealed.");
  const [size, slots] = [state.size, await evidence.getSlots(state.size)];
  const hours = await evidence.listHours(scope, since, until - HOUR);
  const leaves = await Promise.all(
    hours.map(async (sealed) =>
      leavesOfHour((await readProved(scope, sealed.hour)) ?? [], sealed)
        .leaves.slice(0, sealed.count)
        .map((leaf, index) => ({ ...leaf, hour: sealed.hour, index })),
    ),
  );
  const events = leaves.flat().sort((one, other) => (one.id < other.id ? 1 : -1));
  const files = {
    "events.ndjson": linesOf(events.map(({ stored }) => stored.event)),
    "leaves.ndjson": linesOf(
      leaves.flat().map(({ hour, index, id, stored: { hash, erasure, salt } }) => ({
        hour,
        index,
        id,
        ...(hash !== undefined && { hash: encodeHash(hash), erasure }),
        salt: encodeHash(salt),
      })),
    ),
    "records.ndjson": await collect(evidence.listRecords(scope)),
    "head.json": linesOf([
      {
        ...headIn(head, size - 1, hourOfLeaf(state, size - 1)),
        index: head.slot,
        slots: slots.length,
        path: inclusionPath(slots, head.slot).map(encodeHash),
      },
    ]),
    "log.ndjson": await collect(evidence.listLeaves(0, size)),
    "checkpoint.txt": checkpoints.get(size)?.at(-1) ?? "",
    "key.txt": verifierKeys()
      .map((line) => `${line}\n`)
      .join(""),
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const manifest = {
    organizationId,
    exportId: "an-export",
    since,
    until,
    files: Object.entries(files).map(([name, text]) => ({
      name,
      count: text.split("\n").length - 1,
      bytes: Buffer.byteLength(text),
      sha256: createHash("sha256").update(text).digest("hex"),
    })),
  };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
};

const VERIFIER = join(import.meta.dirname, "../../../docs/verify.mjs");

/** What the verifier says of a folder. */
export const verify = (folder: string, ...options: string[]): { status: number | null; out: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [VERIFIER, folder, ...options], { encoding: "utf8" });
  return { status, out: stdout.trimEnd() + stderr };
};
