import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** The context that a ciphertext is bound to: only the same context decrypts it. */
export type EncryptionContext = Readonly<Record<string, string>>;

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A format of the local cloud: `1 | length of the key's id (1) | key's id | iv | encrypted | tag`. */
const FORMAT = 1;
const PREFIX_BYTES = 2;

/** The order of a context's entries does not matter to KMS. */
const authenticated = (head: Buffer, context: EncryptionContext): Buffer =>
  Buffer.concat([head, Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))))]);

const idEndOf = (blob: Buffer): number => PREFIX_BYTES + (blob[1] ?? 0);

export const encrypt = (keyId: string, material: Buffer, context: EncryptionContext, plaintext: Buffer): Buffer => {
  const iv = randomBytes(IV_BYTES);
  const head = Buffer.concat([Buffer.from([FORMAT, keyId.length]), Buffer.from(keyId), iv]);
  const cipher = createCipheriv(CIPHER, material, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(authenticated(head, context));
  return Buffer.concat([head, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
};

/** The id of the key that a ciphertext names; undefined if it is not a ciphertext of this KMS. */
export const keyIdIn = (blob: Buffer): string | undefined => {
  const idEnd = idEndOf(blob);
  const isWhole = blob[0] === FORMAT && blob.length >= idEnd + IV_BYTES + TAG_BYTES;
  return isWhole ? blob.toString("utf8", PREFIX_BYTES, idEnd) : undefined;
};

/** @returns undefined if the ciphertext was changed or has another context. */
export const decrypt = (material: Buffer, context: EncryptionContext, blob: Buffer): Buffer | undefined => {
  const headEnd = idEndOf(blob) + IV_BYTES;
  const head = blob.subarray(0, headEnd);
  const decipher = createDecipheriv(CIPHER, material, head.subarray(-IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(authenticated(head, context)).setAuthTag(blob.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(blob.subarray(headEnd, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
};
