/** Whether all checkpoints sign the log as it is stored: then each is consistent with each other. docs/evidence.md, "Coverage". */
import { inParallel } from "../runtime/in-parallel.ts";
import { bodiesOf, isCheckpointOf } from "./check-log.ts";
import type { CheckpointStore } from "./checkpoint-store.ts";
import type { EvidenceStore } from "./evidence-store.ts";

export type CheckCheckpointsDependencies = {
  evidence: Pick<EvidenceStore, "getState" | "listLeaves">;
  checkpoints: Pick<CheckpointStore, "listSizes" | "read">;
  /** The public keys of all that ever signed, DER. */
  keys(origin: string): Promise<{ spki: Uint8Array }[]>;
};

const READS_AT_ONCE = 16;

/**
 * The returned function reads all leaves and checkpoints: a read unit per 4 KB, about 40 leaves, and a read of S3 per checkpoint.
 * It returns the sizes of checkpoints that are missing, or sign other leaves. It throws DomainError `store_unavailable`.
 */
export const createCheckCheckpoints =
  ({ evidence, checkpoints, keys }: CheckCheckpointsDependencies) =>
  async (): Promise<{ checked: number; broken: number[] }> => {
    const state = await evidence.getState();
    if (state === undefined || state.size === 0) return { checked: 0, broken: [] };
    // A step that ends meanwhile adds a checkpoint that these leaves do not have yet.
    const stored = (await checkpoints.listSizes()).filter((size) => size <= state.size);
    const entries: string[] = [];
    for await (const entry of evidence.listLeaves(0, state.size)) entries.push(entry);
    const sizes = [...new Set([...stored, state.size])];
    const bodies = bodiesOf(state.origin, entries, sizes);
    const spki = (await keys(state.origin)).map((key) => key.spki);
    const broken: number[] = [];
    await inParallel(sizes, READS_AT_ONCE, async (size) => {
      const body = bodies.get(size);
      const isSound = body !== undefined && isCheckpointOf(body, await checkpoints.read(size), spki);
      if (!isSound) broken.push(size);
    });
    return { checked: sizes.length, broken: broken.sort((one, other) => one - other) };
  };
