/**
 * The signed checkpoint of the deployment's log: C2SP tlog-checkpoint in a C2SP signed-note with an Ed25519 signature.
 * Any witness of such logs can keep and compare it. Pure but for the signer. Formats: https://c2sp.org/tlog-checkpoint,
 * https://c2sp.org/signed-note. docs/evidence.md, "Checkpoints".
 */
import { createHash } from "node:crypto";
import type { Hash } from "./merkle-tree.ts";
import { encodeHash } from "./sealed-log.ts";

/** signed-note's type of Ed25519. */
const ED25519 = 1;
const KEY_BYTES = 32;

/** `id`: 8 hexadecimal digits. `line`: `origin+id+base64`, as verifiers take it. */
export type VerifierKey = { id: string; line: string };

/** @param spki the key as KMS returns it, DER, whose last 32 bytes are the key (RFC 8410). */
export const verifierKeyOf = (origin: string, spki: Uint8Array): VerifierKey => {
  const bytes = Buffer.concat([Buffer.of(ED25519), spki.subarray(-KEY_BYTES)]);
  const id = createHash("sha256").update(`${origin}\n`).update(bytes).digest("hex").slice(0, 8);
  return { id, line: `${origin}+${id}+${bytes.toString("base64")}` };
};

/** The text that is signed. @param root of the first `size` leaves of the log. */
export const checkpointBody = (origin: string, size: number, root: Hash): string =>
  `${origin}\n${size}\n${encodeHash(root)}\n`;

/** One line for each key that signed. @param signatures Ed25519, 64 bytes, over the body. */
export const signedCheckpoint = (
  origin: string,
  body: string,
  signatures: readonly { keyId: string; signature: Uint8Array }[],
): string => {
  const lines = signatures.map(({ keyId, signature }) => {
    const bytes = Buffer.concat([Buffer.from(keyId, "hex"), signature]);
    return `— ${origin} ${bytes.toString("base64")}\n`;
  });
  return `${body}\n${lines.join("")}`;
};
