import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { KeyModel } from "../core/model.ts";
import { decrypt, encrypt } from "./kms-ciphertext.ts";
import { KmsError } from "./kms-error.ts";
import type { KeyMaterial } from "./kms-key-material.ts";

/** A key with what it encrypts with, of that account. */
export type Key = KeyModel & { material: KeyMaterial; accountId: string };

/** `accepts` says whether the body is the operation's; only then may `run` be called. */
type Operation = { accepts(body: unknown): boolean; run(key: Key, body: unknown): object };

const operation = <Request>(request: z.ZodType<Request>, run: (key: Key, request: Request) => object): Operation => ({
  accepts: (body) => request.safeParse(body).success,
  run: (key, body) => run(key, request.parse(body)),
});

/** https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html */
const MAX_PLAINTEXT_BYTES = 4_096;
/** https://docs.aws.amazon.com/kms/latest/APIReference/API_GenerateDataKey.html */
const MAX_DATA_KEY_BYTES = 1_024;

const dataKeyBytes = { AES_128: 16, AES_256: 32 } as const;

export const Blob = z.base64().transform((text) => Buffer.from(text, "base64"));
export const EncryptionContext = z.record(z.string(), z.string()).default({});

const EncryptionAlgorithm = z.literal("SYMMETRIC_DEFAULT").default("SYMMETRIC_DEFAULT");
/** There are no grants here; a token of one changes nothing. */
const GrantTokens = z.array(z.string()).optional();

// Strict, since what is not understood (DryRun, Recipient) must not be passed over.
const Describe = z.strictObject({ KeyId: z.string(), GrantTokens });
const Encrypt = z.strictObject({
  KeyId: z.string(),
  Plaintext: Blob,
  EncryptionContext,
  EncryptionAlgorithm,
  GrantTokens,
});
const Decrypt = z.strictObject({
  KeyId: z.string().optional(),
  CiphertextBlob: Blob,
  EncryptionContext,
  EncryptionAlgorithm,
  GrantTokens,
});
const GenerateDataKey = z.strictObject({
  KeyId: z.string(),
  KeySpec: z.enum(["AES_128", "AES_256"]).optional(),
  NumberOfBytes: z.int().optional(),
  EncryptionContext,
  GrantTokens,
});

const outOfBounds = (member: string, what: string, max: number): KmsError =>
  new KmsError(
    "ValidationException",
    `1 validation error detected: Value at '${member}' failed to satisfy constraint: Member must have ${what} between 1 and ${max}`,
  );

const encryptWith = ({ id, material }: Key, context: Record<string, string>, plaintext: Buffer): string =>
  encrypt(id, material.bytes, context, plaintext).toString("base64");

/** What can be asked of KMS here. */
export const operations: Record<string, Operation> = {
  DescribeKey: operation(Describe, ({ id, arn, accountId, isEnabled, material }) => ({
    KeyMetadata: {
      AWSAccountId: accountId,
      KeyId: id,
      Arn: arn,
      CreationDate: material.createdAt / 1000,
      Description: "",
      Enabled: isEnabled,
      KeyState: isEnabled ? "Enabled" : "Disabled",
      KeyUsage: "ENCRYPT_DECRYPT",
      KeySpec: "SYMMETRIC_DEFAULT",
      CustomerMasterKeySpec: "SYMMETRIC_DEFAULT",
      EncryptionAlgorithms: ["SYMMETRIC_DEFAULT"],
      KeyManager: "CUSTOMER",
      Origin: "AWS_KMS",
      MultiRegion: false,
    },
  })),

  Encrypt: operation(Encrypt, (key, { Plaintext, EncryptionContext: context, EncryptionAlgorithm }) => {
    if (Plaintext.length < 1 || Plaintext.length > MAX_PLAINTEXT_BYTES)
      throw outOfBounds("plaintext", "length", MAX_PLAINTEXT_BYTES);
    return { KeyId: key.arn, CiphertextBlob: encryptWith(key, context, Plaintext), EncryptionAlgorithm };
  }),

  Decrypt: operation(Decrypt, ({ arn, material }, { CiphertextBlob, EncryptionContext: context, ...request }) => {
    const plaintext = decrypt(material.bytes, context, CiphertextBlob);
    if (plaintext === undefined) throw new KmsError("InvalidCiphertextException", "");
    const { EncryptionAlgorithm } = request;
    return { KeyId: arn, Plaintext: plaintext.toString("base64"), EncryptionAlgorithm };
  }),

  GenerateDataKey: operation(GenerateDataKey, (key, { KeySpec, NumberOfBytes, EncryptionContext: context }) => {
    if ((KeySpec === undefined) === (NumberOfBytes === undefined))
      throw new KmsError("ValidationException", "Please specify either number of bytes or key spec.");
    const size = KeySpec === undefined ? (NumberOfBytes ?? 0) : dataKeyBytes[KeySpec];
    if (size < 1 || size > MAX_DATA_KEY_BYTES) throw outOfBounds("numberOfBytes", "value", MAX_DATA_KEY_BYTES);
    const dataKey = randomBytes(size);
    return {
      KeyId: key.arn,
      Plaintext: dataKey.toString("base64"),
      CiphertextBlob: encryptWith(key, context, dataKey),
    };
  }),
};
