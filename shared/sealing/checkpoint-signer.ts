/** Signs checkpoints, and says by which keys verifiers know them. docs/evidence.md, "Checkpoints". */
import { checkpointBody, signedCheckpoint, verifierKeyOf } from "../evidence/checkpoint.ts";
import type { Hash } from "../evidence/merkle-tree.ts";
import type { SigningKeys } from "../runtime/signing-keys.ts";

/** A key as verifiers take it, and as SPKI, DER. */
export type CheckpointKey = { line: string; spki: Uint8Array };

/** All calls throw DomainError `store_unavailable`. */
export const createCheckpointSigner = (keys: SigningKeys) => ({
  /** The signed note. The same size and root give the same text. @param root of the first `size` leaves of the log. */
  async sign(origin: string, size: number, root: Hash): Promise<string> {
    const body = checkpointBody(origin, size, root);
    const [publicKeys, signatures] = await Promise.all([keys.publicKeys(), keys.sign(Buffer.from(body))]);
    const signed = publicKeys.flatMap((spki, index) => {
      const signature = signatures[index];
      return signature === undefined ? [] : [{ keyId: verifierKeyOf(origin, spki).id, signature }];
    });
    return signedCheckpoint(origin, body, signed);
  },

  async keys(origin: string): Promise<CheckpointKey[]> {
    return (await keys.publicKeys()).map((spki) => ({ line: verifierKeyOf(origin, spki).line, spki }));
  },
});
