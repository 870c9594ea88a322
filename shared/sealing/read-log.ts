/** The deployment's log as of its newest checkpoint: what the integrity of any organization needs of it. */
import type { Hash } from "../evidence/merkle-tree.ts";
import type { Clock } from "../runtime/clock.ts";
import { isLogSigned } from "./check-log.ts";
import type { LogState } from "./evidence-item.ts";
import type { EvidenceStore } from "./evidence-store.ts";

/** `isSigned`: whether the newest checkpoint signs exactly the leaves. `leaf`: the newest. `slots`: all hashes of its step. */
export type CheckedLog = { isSigned: boolean; leaf: string | undefined; slots: readonly Hash[] };

/**
 * Reads and checks the whole log: a read unit for 4 KB, about 40 leaves or 128 slots, and one object.
 * @param spki the signing keys, DER. @throws DomainError `store_unavailable`.
 */
export type ReadLog = (state: LogState, spki: readonly Uint8Array[]) => Promise<CheckedLog>;

export type ReadLogDependencies = {
  evidence: Pick<EvidenceStore, "listLeaves" | "getSlots">;
  checkpoints: { read(size: number): Promise<string | undefined> };
};

export const createReadLog =
  ({ evidence, checkpoints }: ReadLogDependencies): ReadLog =>
  async ({ start, size, origin }, spki) => {
    const readLeaves = async (): Promise<string[]> => {
      const entries: string[] = [];
      for await (const entry of evidence.listLeaves(0, size)) entries.push(entry);
      return entries;
    };
    const [entries, checkpoint, slots] = await Promise.all([
      readLeaves(),
      checkpoints.read(size),
      evidence.getSlots(size),
    ]);
    const isSigned = entries.length === size && isLogSigned({ start, origin, entries, checkpoint, spki });
    return { isSigned, leaf: entries[size - 1], slots };
  };

/** So long after its reading, a remembered log is no longer believed. */
const REMEMBERED_MS = 5 * 60_000;

/**
 * Reads the log once for the reports that an instance makes one after the other. A log that is not the signed one is read
 * again.
 */
export const rememberLog = (readLog: ReadLog, now: Clock): ReadLog => {
  let last: { size: number; readAt: number; log: CheckedLog } | undefined;
  return async (state, spki) => {
    const at = now();
    if (last?.size === state.size && at < last.readAt + REMEMBERED_MS) return last.log;
    const log = await readLog(state, spki);
    last = log.isSigned ? { size: state.size, readAt: at, log } : undefined;
    return log;
  };
};
