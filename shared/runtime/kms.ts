/**
 * The KMS client. It is created at the first call, but imported statically, for the reasons in event-bridge.ts.
 */
import { Agent } from "node:https";
import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { type AwsPlace, boundedRequests, fixedSettings, readAwsPlace } from "./aws-client.ts";
import { callStore } from "./call-store.ts";

/** The encryption context: KMS decrypts a data key only for the same context. KMS logs it, so it must not be secret. */
export type EncryptionContext = Readonly<Record<string, string>>;

/** Both throw DomainError `store_unavailable` if KMS fails: no answer, no permission, no such key. */
export type Kms = {
  /** A new AES key of 256 bits, in clear and encrypted with the key of that id. */
  generateDataKey(keyId: string, context: EncryptionContext): Promise<{ dataKey: Uint8Array; encrypted: Uint8Array }>;
  /** The decrypted data key; undefined if it was encrypted with another key or context. */
  decryptDataKey(keyId: string, context: EncryptionContext, encrypted: Uint8Array): Promise<Uint8Array | undefined>;
};

const REQUEST_TIMEOUT_MS = 1_500;

/** The errors of KMS for a text that it did not encrypt with this key and context. */
const MISMATCHES = ["InvalidCiphertextException", "IncorrectKeyException"];

/** Only the name of an SDK error leaves this file: its message may quote an answer, and so a data key. */
const nameOnly = (error: unknown): Error => {
  const { name } = error instanceof Error ? error : { name: typeof error };
  return Object.assign(new Error(`KMS: ${name}`), { name });
};

export const createKmsClient = (place: AwsPlace): KMSClient =>
  new KMSClient({
    ...place,
    ...fixedSettings,
    maxAttempts: 3,
    requestHandler: boundedRequests(new Agent({ keepAlive: true, maxSockets: 50 }), REQUEST_TIMEOUT_MS),
  });

/** A client of one endpoint. */
export const createKms = (place: AwsPlace): Kms => {
  const client = createKmsClient(place);

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
