/** The checkpoints that witnesses read, and the proof that one follows another. docs/evidence.md, "Checkpoints". */
import * as z from "zod/mini";
import { consistencyProof, leafHash } from "../evidence/merkle-tree.ts";
import { encodeHash } from "../evidence/sealed-log.ts";
import { described } from "../json/described.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { CheckpointStore } from "./checkpoint-store.ts";
import type { EvidenceStore } from "./evidence-store.ts";

/** Of a size, in decimal digits without leading zeros. */
const SIZE = /^[1-9][0-9]{0,9}$/;

const notFound = (): never => {
  throw new DomainError("checkpoint_not_found", "There is no checkpoint of this size.");
};

export const CheckpointParams = z.object({
  size: z
    .pipe(
      z.string(),
      z.transform((size: string) => (SIZE.test(size) ? Number(size) : notFound())),
    )
    .register(z.globalRegistry, { description: "The number of the log's leaves, from 1." }),
});

const error = "expected a whole number from 1 to the size";

export const CheckpointQuery = z.object({
  from: z.optional(
    z
      .pipe(
        z.string({ error }).check(z.regex(SIZE, { error })),
        z.transform((from: string) => Number(from)),
      )
      .register(z.globalRegistry, { description: "The smaller size, from 1 to `size`, that the proof begins with." }),
  ),
});

export const CheckpointWithProof = z
  .object({
    checkpoint: described(z.string(), "The signed note (C2SP tlog-checkpoint)."),
    consistency: described(z.array(z.string()), "The hashes of the proof, base64; empty without `from`."),
  })
  .register(z.globalRegistry, { id: "CheckpointWithProof", description: "A signed checkpoint of the sealed log." });
export type CheckpointWithProof = z.output<typeof CheckpointWithProof>;

type Dependencies = {
  evidence: Pick<EvidenceStore, "listLeaves">;
  checkpoints: Pick<CheckpointStore, "read">;
};

/** The returned function throws DomainError `checkpoint_not_found`, `invalid_field`, `store_unavailable`. */
export const createReadCheckpoint =
  ({ evidence, checkpoints }: Dependencies) =>
  async (size: number, from: number | undefined): Promise<CheckpointWithProof> => {
    const checkpoint = (await checkpoints.read(size)) ?? notFound();
    if (from === undefined) return { checkpoint, consistency: [] };
    if (from > size) throw new DomainError("invalid_field", `from: ${error}`);
    const leaves: Uint8Array[] = [];
    for await (const entry of evidence.listLeaves(0, size)) leaves.push(leafHash(entry));
    return { checkpoint, consistency: consistencyProof(leaves, from).map(encodeHash) };
  };
