import { join } from "node:path";
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import * as z from "zod";
import { readDataFile, writeDataFile } from "../core/data-file.ts";

const Jwk = z.looseObject({ kty: z.literal("RSA"), kid: z.string(), n: z.string(), e: z.string() });
/** The first key signs; the others are public keys that it replaced. */
const KeysFile = z.object({ keys: z.tuple([Jwk], Jwk) });

export type SigningKeys = {
  /** The key that signs from now on. */
  current(): Promise<{ kid: string; privateKey: CryptoKey }>;
  /** The key set that verifiers fetch: public members only. */
  publicKeys(): JWK[];
  /** Makes a new signing key; the old public key stays in the key set unless the caller drops it. */
  rotate(forget: boolean): Promise<string>;
};

const createKey = async () => {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = await exportJWK(privateKey);
  return Jwk.parse({ ...jwk, kid: await calculateJwkThumbprint(jwk), alg: "RS256", use: "sig" });
};

const publicPart = ({ kty, kid, n, e }: z.infer<typeof Jwk>) => ({ kty, kid, n, e, alg: "RS256", use: "sig" });

/** The development issuer's RS256 keys, generated once and kept in the data directory, readable by their owner alone. */
export const openSigningKeys = async (dataDirectory: string): Promise<SigningKeys> => {
  const file = join(dataDirectory, "issuer-keys.json");
  const save = (content: z.infer<typeof KeysFile>) => {
    writeDataFile(file, content, 0o600);
    return content;
  };
  let { keys } = readDataFile(file, KeysFile) ?? save({ keys: [await createKey()] });
  return {
    async current() {
      const key = await importJWK(keys[0], "RS256");
      if (key instanceof Uint8Array) throw new Error(`${file} holds no RSA key`);
      return { kid: keys[0].kid, privateKey: key };
    },
    publicKeys: () => keys.map(publicPart),
    async rotate(forget) {
      const fresh = await createKey();
      keys = save({ keys: [fresh, ...(forget ? [] : keys.map(publicPart))] }).keys;
      return fresh.kid;
    },
  };
};
