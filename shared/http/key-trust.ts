/** Which of an issuer's public keys may verify tokens, and with which algorithms. Pure. */
import type { Jwk, Jwks } from "aws-jwt-verify/jwk";
import * as z from "zod/mini";

const RSA_MIN_BITS = 2_048;

/** The algorithms of each type of key: of RSA keys, and of the keys of each curve. */
const ALGORITHMS_OF = {
  RSA: ["RS256", "RS384", "RS512"],
  "P-256": ["ES256"],
  "P-384": ["ES384"],
  "P-521": ["ES512"],
  Ed25519: ["EdDSA"],
} as const;

/** The signature algorithms that are accepted: asymmetric ones only. */
export const ALGORITHMS: readonly string[] = Object.values(ALGORITHMS_OF).flat();

/** The accepted algorithms of a key's type (RFC 7518, section 3.1); none if the type is not accepted. */
export const algorithmsOf = ({ kty, crv }: Jwk): readonly string[] => {
  if (kty === "RSA") return ALGORITHMS_OF.RSA;
  if (kty === "EC" && (crv === "P-256" || crv === "P-384" || crv === "P-521")) return ALGORITHMS_OF[crv];
  return kty === "OKP" && crv === "Ed25519" ? ALGORITHMS_OF.Ed25519 : [];
};

const bitsOf = (modulus: string): number => {
  const bytes = Buffer.from(modulus, "base64url");
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (bytes.length - first) * 8 - (Math.clz32(bytes[first] ?? 0) - 24);
};

/** Whether a key is for signatures, of an accepted type and strong enough. Some issuers' keys have no `alg` (Entra ID). */
const isTrustworthyKey = (key: Jwk): boolean => {
  const algorithms = algorithmsOf(key);
  if (key.use !== undefined && key.use !== "sig") return false;
  if (algorithms.length === 0 || (key.alg !== undefined && !algorithms.includes(key.alg))) return false;
  return key.kty !== "RSA" || (typeof key.n === "string" && bitsOf(key.n) >= RSA_MIN_BITS);
};

/** @throws Error if the key must not verify a token with this header. */
export const requireTrustworthy = (key: Jwk, { alg = "" }: { alg?: string }): void => {
  if (!isTrustworthyKey(key)) throw new Error("The key is weak or not for signatures.");
  // The library accepts any algorithm for a key without `alg`, such as ES256 for an RSA key.
  if (!algorithmsOf(key).includes(alg)) throw new Error(`The key is not for the algorithm ${alg}.`);
};

const KeySetDocument = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/**
 * All keys, trustworthy ones first, because the cache takes the first key of an id. Other keys stay in the list: a token
 * that names one of them is invalid, whereas an unknown key would be fetched.
 * @throws ZodError if the document is not a key set.
 */
export const parseKeys = (document: unknown): Jwks => {
  const keys = KeySetDocument.parse(document).keys as Jwk[];
  return { keys: keys.toSorted((one, other) => Number(isTrustworthyKey(other)) - Number(isTrustworthyKey(one))) };
};
