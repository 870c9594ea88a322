/** The KMS keys that sign checkpoints, Ed25519. The client is created at the first call (kms.ts). */
import { GetPublicKeyCommand, type KMSClient, SignCommand } from "@aws-sdk/client-kms";
import { readAwsPlace } from "./aws-client.ts";
import { callStore } from "./call-store.ts";
import { createKmsClient } from "./kms.ts";

let made: KMSClient | undefined;

/** The client of a deployed function, from its environment. */
const shared = (): KMSClient => {
  made ??= createKmsClient(readAwsPlace("kms"));
  return made;
};

export type SigningKeys = ReturnType<typeof createSigningKeys>;

/**
 * All calls throw DomainError `store_unavailable` if KMS fails or denies.
 * @param keyIds of the keys; while one replaces another, both sign.
 */
export const createSigningKeys = (keyIds: readonly string[], client: () => KMSClient = shared) => {
  let known: Promise<Uint8Array[]> | undefined;

  const readPublicKey = (KeyId: string): Promise<Uint8Array> =>
    callStore(async (options) => {
      const { PublicKey } = await client().send(new GetPublicKeyCommand({ KeyId }), options);
      if (PublicKey === undefined) throw new Error("KMS: an answer without a public key");
      return PublicKey;
    });

  const signWith = (KeyId: string, Message: Uint8Array): Promise<Uint8Array> =>
    callStore(async (options) => {
      const command = new SignCommand({ KeyId, Message, MessageType: "RAW", SigningAlgorithm: "ED25519_SHA_512" });
      const { Signature } = await client().send(command, options);
      if (Signature === undefined) throw new Error("KMS: an answer without a signature");
      return Signature;
    });

  return {
    /** The public keys as SPKI, DER, in the order of the keys. They never change, so they are read once. */
    publicKeys(): Promise<Uint8Array[]> {
      known ??= Promise.all(keyIds.map(readPublicKey)).catch((error: unknown) => {
        known = undefined;
        throw error;
      });
      return known;
    },

    /** A signature of each key. Ed25519 gives the same signature for the same message. */
    sign: (message: Uint8Array): Promise<Uint8Array[]> => Promise.all(keyIds.map((keyId) => signWith(keyId, message))),
  };
};
