import { randomBytes } from "node:crypto";

/** Names one request to a store inside the item it writes: 12 characters, because every item pays for them. */
export const newRequestToken = (): string => randomBytes(9).toString("base64url");

/** 16 random bytes that make a hash untestable. */
export const newSalt = (): Uint8Array => randomBytes(16);
