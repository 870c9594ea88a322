import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";

/** Of an Ed25519 key in PKCS #8, before its 32 bytes. https://www.rfc-editor.org/rfc/rfc8410#section-7 */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

const privateKeyOf = (material: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, material]), format: "der", type: "pkcs8" });

/** The public key of a key's material as KMS returns it: SPKI, base64. */
export const publicKeyOf = (material: Buffer): string =>
  createPublicKey(privateKeyOf(material)).export({ format: "der", type: "spki" }).toString("base64");

/** The signature ED25519_SHA_512 of a raw message, base64. */
export const signatureOf = (material: Buffer, message: Buffer): string =>
  sign(null, message, privateKeyOf(material)).toString("base64");
