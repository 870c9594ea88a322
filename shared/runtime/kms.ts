/**
 * The KMS client. As with EventBridge's (event-bridge.ts), it is made when it is called for the first time, but not
 * imported then.
 */
import { Agent } from "node:https";
import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { type AwsPlace, boundedRequests, fixedSettings, readAwsPlace } from "./aws-client.ts";
import { callStore } from "./call-store.ts";

/** What a data key is bound to: KMS gives it out for exactly this context again. It is in KMS's log, so no secret. */
export type EncryptionContext = Readonly<Record<string, string>>;

/** Both throw DomainError `store_unavailable` where KMS does not do its work: no answer, no right, no such key. */
export type Kms = {
  /** A new AES key of 256 bits, in clear and encrypted with the key of that id. */
  generateDataKey(keyId: string, context: EncryptionContext): Promise<{ dataKey: Uint8Array; encrypted: Uint8Array }>;
  /** The data key in clear; undefined where it is none of this key's, or is bound to another context. */
  decryptDataKey(keyId: string, context: EncryptionContext, encrypted: Uint8Array): Promise<Uint8Array | undefined>;
};

const REQUEST_TIMEOUT_MS = 1_500;

/** What KMS answers where a text is not what it encrypted with this key for this context. */
const MISMATCHES = ["InvalidCiphertextException", "IncorrectKeyException"];

/** All that leaves here of the SDK's errors: the rest may quote an answer, and so a data key. */
const nameOnly = (error: unknown): Error => {
  const { name } = error instanceof Error ? error : { name: typeof error };
  return Object.assign(new Error(`KMS: ${name}`), { name });
};

/** A client of one endpoint. */
export const createKms = (place: AwsPlace): Kms => {
  const client = new KMSClient({
    ...place,
    ...fixedSettings,
    maxAttempts: 3,
    requestHandler: boundedRequests(new Agent({ keepAlive: true, maxSockets: 50 }), REQUEST_TIMEOUT_MS),
  });

  return {
    generateDataKey: (KeyId, EncryptionContext) =>
      callStore(async (options) => {
        const command = new GenerateDataKeyCommand({ KeyId, EncryptionContext, KeySpec: "AES_256" });
        const { Plaintext: dataKey, CiphertextBlob: encrypted } = await client.send(command, options).catch((error) => {
          throw nameOnly(error);
        });
        if (dataKey === undefined || encrypted === undefined) throw new Error("KMS: an answer without a data key");
        return { dataKey, encrypted };
      }),

    decryptDataKey: (KeyId, EncryptionContext, CiphertextBlob) =>
      callStore(async (options) => {
        try {
          const command = new DecryptCommand({ KeyId, EncryptionContext, CiphertextBlob });
          return (await client.send(command, options)).Plaintext;
        } catch (error) {
          const reported = nameOnly(error);
          if (MISMATCHES.includes(reported.name)) return undefined;
          throw reported;
        }
      }),
  };
};

let made: Kms | undefined;

const shared = (): Kms => {
  made ??= createKms(readAwsPlace("kms"));
  return made;
};

/** The KMS of a deployed function, from its environment. */
export const kms: Kms = {
  generateDataKey: (...request) => shared().generateDataKey(...request),
  decryptDataKey: (...request) => shared().decryptDataKey(...request),
};
