/**
 * Envelope encryption of small secrets: each text is sealed with a separate data key, which KMS generates and encrypts.
 * A sealed text can be opened only with the context it was sealed for; both KMS and the cipher enforce this.
 */
import { createCipheriv, createDecipheriv, randomBytes as systemRandomBytes } from "node:crypto";
import { readConfig } from "./config.ts";
import { type EncryptionContext, type Kms, kms } from "./kms.ts";

/** The secret's owner (the organization's partition key) and its purpose. A role may be limited to a purpose. */
export type SealContext = { readonly organization: string; readonly purpose: string };

export type Envelope = {
  /**
   * Seals a well-formed text, which may be empty. The result is about 220 bytes longer. Costs one call of KMS.
   * @throws DomainError `store_unavailable` if KMS does not answer.
   */
  seal(context: SealContext, plaintext: string): Promise<Uint8Array>;
  /**
   * The text that was sealed for the same context. Costs one call of KMS.
   * @throws EnvelopeError if it was sealed for another context or with another key, or was not made by `seal`.
   * @throws DomainError `store_unavailable` if KMS does not answer.
   */
  open(context: SealContext, sealed: Uint8Array): Promise<string>;
};

/** A sealed text cannot be opened. The error contains neither the text nor the reason. */
export class EnvelopeError extends Error {
  override name = "EnvelopeError";

  constructor() {
    super("The sealed text cannot be opened in this context.");
  }
}

const CIPHER = "aes-256-gcm";

/**
 * The format, whose first byte is its version:
 * `1 | length of the encrypted data key (2, big-endian) | encrypted data key | nonce (12) | ciphertext | tag (16)`
 */
const VERSION = 1;
const PREFIX_BYTES = 3;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The context that KMS binds a data key to. */
const boundTo = ({ organization, purpose }: SealContext): EncryptionContext => ({ organization, purpose });

/** The data that the tag authenticates in addition to the ciphertext: everything before it, and the context as JSON. */
const authenticated = (head: Uint8Array, { organization, purpose }: SealContext): Buffer =>
  Buffer.concat([head, Buffer.from(JSON.stringify(["organization", organization, "purpose", purpose]))]);

const encrypt = (dataKey: Uint8Array, head: Buffer, context: SealContext, plaintext: Uint8Array): Buffer => {
  const nonce = head.subarray(-NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, dataKey, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(authenticated(head, context));
  return Buffer.concat([head, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
};

type Parsed = { head: Buffer; encryptedKey: Buffer; ciphertext: Buffer; tag: Buffer };

/** @throws EnvelopeError for another version, or if a part is missing. */
const parse = (sealed: Uint8Array): Parsed => {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < PREFIX_BYTES || bytes[0] !== VERSION) throw new EnvelopeError();
  const keyEnd = PREFIX_BYTES + bytes.readUInt16BE(1);
  const headEnd = keyEnd + NONCE_BYTES;
  const tagStart = bytes.length - TAG_BYTES;
  if (keyEnd === PREFIX_BYTES || tagStart < headEnd) throw new EnvelopeError();
  return {
    head: bytes.subarray(0, headEnd),
    encryptedKey: bytes.subarray(PREFIX_BYTES, keyEnd),
    ciphertext: bytes.subarray(headEnd, tagStart),
    tag: bytes.subarray(tagStart),
  };
};

const decrypt = (dataKey: Uint8Array, { head, ciphertext, tag }: Parsed, context: SealContext): string => {
  const decipher = createDecipheriv(CIPHER, dataKey, head.subarray(-NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(authenticated(head, context)).setAuthTag(tag);
  const plaintext = decipher.update(ciphertext);
  try {
    decipher.final();
    return plaintext.toString("utf8");
  } finally {
    plaintext.fill(0);
  }
};

/**
 * Seals with data keys of the given KMS key. Data keys are overwritten in memory after use.
 * @param options.randomBytes for nonces; each data key is used with only one nonce.
 */
export const createEnvelope = (
  { generateDataKey, decryptDataKey }: Kms,
  keyId: string,
  { randomBytes = systemRandomBytes }: { randomBytes?: (size: number) => Uint8Array } = {},
): Envelope => ({
  async seal(context, plaintext) {
    const { dataKey, encrypted } = await generateDataKey(keyId, boundTo(context));
    const text = Buffer.from(plaintext, "utf8");
    try {
      const prefix = Buffer.alloc(PREFIX_BYTES);
      prefix.writeUInt8(VERSION);
      prefix.writeUInt16BE(encrypted.length, 1);
      return encrypt(dataKey, Buffer.concat([prefix, encrypted, randomBytes(NONCE_BYTES)]), context, text);
    } finally {
      dataKey.fill(0);
      text.fill(0);
    }
  },

  async open(context, sealed) {
    const parsed = parse(sealed);
    const dataKey = await decryptDataKey(keyId, boundTo(context), parsed.encryptedKey);
    if (dataKey === undefined) throw new EnvelopeError();
    try {
      return decrypt(dataKey, parsed, context);
    } catch {
      throw new EnvelopeError();
    } finally {
      dataKey.fill(0);
    }
  },
});

/** The envelope of a deployed function, from its environment. */
export const wireEnvelope = (): Envelope => createEnvelope(kms, readConfig(["CREDENTIALS_KEY_ID"]).CREDENTIALS_KEY_ID);
