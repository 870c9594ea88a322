import { createHmac } from "node:crypto";

/**
 * The header by which a receiver tells that a payload is the provider's: one `v1` for each secret, and a `v0` that
 * test accounts get beside them and nobody must trust. `seconds` is when it is sent, in epoch seconds.
 */
export const signPayload = (payload: string, secrets: readonly string[], seconds: number): string => {
  const signed = (secret: string) => createHmac("sha256", secret).update(`${seconds}.${payload}`).digest("hex");
  return [`t=${seconds}`, ...secrets.map((secret) => `v1=${signed(secret)}`), `v0=${signed("v0")}`].join(",");
};
