import { randomBytes } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { readDataFile, writeDataFile } from "../core/data-file.ts";
import type { KeyModel, StackModel } from "../core/model.ts";
import type { Check } from "../iam/authorizer.ts";
import { decrypt, encrypt, keyIdIn } from "./kms-ciphertext.ts";
import { publicKeyOf, signatureOf } from "./kms-signature.ts";
import { type AwsAnswer, type AwsService, errorAnswer, jsonAnswer } from "./service.ts";

const DATA_KEY_BYTES = 32;

const Blob = z.base64().transform((text) => Buffer.from(text, "base64"));
const EncryptionContext = z.record(z.string(), z.string()).default({});

const Kept = z.record(z.string(), z.object({ material: z.base64(), createdAt: z.int() }));

/**
 * The material of each key by its id. It is generated at the first start with the key and kept in the data directory,
 * because the directory also keeps the data that it encrypted. Only the owner can read the file.
 * @throws Error if the file is damaged.
 */
const openKeyMaterial = (options: {
  keys: readonly KeyModel[];
  dataDirectory: string;
  clock: Pick<Clock, "now">;
}): ReadonlyMap<string, Buffer> => {
  const file = join(options.dataDirectory, "kms-keys.json");
  const kept = readDataFile(file, Kept) ?? {};
  const missing = options.keys.filter(({ id }) => !Object.hasOwn(kept, id));
  for (const { id } of missing)
    kept[id] = { material: randomBytes(32).toString("base64"), createdAt: options.clock.now() };
  if (missing.length > 0) writeDataFile(file, kept, 0o600);
  return new Map(Object.entries(kept).map(([id, { material }]) => [id, Buffer.from(material, "base64")]));
};

/** The operations, strict: a parameter that is not supported (DryRun, Recipient) must not be ignored. */
const requests = {
  GenerateDataKey: z.strictObject({ KeyId: z.string(), KeySpec: z.literal("AES_256"), EncryptionContext }),
  Sign: z.strictObject({
    KeyId: z.string(),
    Message: Blob,
    MessageType: z.literal("RAW"),
    SigningAlgorithm: z.literal("ED25519_SHA_512"),
  }),
  GetPublicKey: z.strictObject({ KeyId: z.string() }),
  Decrypt: z.strictObject({
    KeyId: z.string().optional(),
    CiphertextBlob: Blob,
    EncryptionContext,
    EncryptionAlgorithm: z.literal("SYMMETRIC_DEFAULT").optional(),
  }),
} as const;

type Context = Record<string, string>;
type Request = {
  operation: keyof typeof requests;
  KeyId?: string | undefined;
  CiphertextBlob?: Buffer | undefined;
  EncryptionContext?: Context;
  Message?: Buffer;
};

const isOperation = (operation: string): operation is Request["operation"] => Object.hasOwn(requests, operation);

const parse = (operation: string, json: unknown): Request | undefined => {
  if (!isOperation(operation)) return undefined;
  const { data } = requests[operation].safeParse(json);
  return data && { ...data, operation };
};

/**
 * The condition keys of an encryption context. Condition keys ignore case: two context keys that differ only in case
 * become one condition key with two values, which no Allow for one value matches.
 * https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-encryption-context
 */
const conditionsOf = (context: Context): Check["context"] => {
  const byKey = Map.groupBy(Object.entries(context), ([key]) => `kms:EncryptionContext:${key.toLowerCase()}`);
  return {
    "kms:EncryptionContextKeys": Object.keys(context),
    ...Object.fromEntries([...byKey].map(([key, entries]) => [key, entries.map(([, value]) => value)])),
  };
};

const invalidCiphertext = (): AwsAnswer => errorAnswer(400, "InvalidCiphertextException", "");

/** Only GenerateDataKey and Decrypt take symmetric keys, and only the others keys that sign. */
const isOfSigningKey = (operation: Request["operation"]): boolean =>
  operation === "Sign" || operation === "GetPublicKey";

/**
 * KMS for the keys of the template: GenerateDataKey and Decrypt for symmetric ones, Sign and GetPublicKey for Ed25519. Every
 * other operation is denied.
 * @throws Error if the file with the keys' material is damaged.
 */
export const createKmsService = (options: {
  model: Pick<StackModel, "region" | "accountId" | "keys">;
  dataDirectory: string;
  clock: Pick<Clock, "now">;
}): AwsService => {
  const { region, accountId, keys } = options.model;
  const material = openKeyMaterial({ ...options, keys });
  const arnOf = (name: string): string =>
    name.startsWith("arn:") ? name : `arn:aws:kms:${region}:${accountId}:key/${name}`;

  const answer = ({
    operation,
    KeyId,
    CiphertextBlob,
    EncryptionContext: context = {},
    Message,
  }: Request): AwsAnswer => {
    const encryptedBy = CiphertextBlob && keyIdIn(CiphertextBlob);
    if (CiphertextBlob !== undefined && encryptedBy === undefined) return invalidCiphertext();
    const arn = arnOf(KeyId ?? encryptedBy ?? "");
    const key = keys.find((one) => one.arn === arn);
    const bytes = key && material.get(key.id);
    if (key === undefined || bytes === undefined)
      return errorAnswer(400, "NotFoundException", `Key '${arn}' does not exist`);
    if (isOfSigningKey(operation) !== (key.spec === "ECC_NIST_EDWARDS25519"))
      return errorAnswer(400, "UnsupportedOperationException", `${key.arn} does not support ${operation}`);
    if (operation === "GetPublicKey") return jsonAnswer(200, { KeyId: key.arn, PublicKey: publicKeyOf(bytes) });
    if (Message !== undefined) return jsonAnswer(200, { KeyId: key.arn, Signature: signatureOf(bytes, Message) });
    if (operation === "GenerateDataKey") {
      const dataKey = randomBytes(DATA_KEY_BYTES);
      const sealed = encrypt(key.id, bytes, context, dataKey);
      const Plaintext = dataKey.toString("base64");
      return jsonAnswer(200, { KeyId: key.arn, Plaintext, CiphertextBlob: sealed.toString("base64") });
    }
    if (encryptedBy !== key.id)
      return errorAnswer(
        400,
        "IncorrectKeyException",
        "The key ID in the request does not identify a CMK that can perform this operation.",
      );
    const plaintext = CiphertextBlob && decrypt(bytes, context, CiphertextBlob);
    if (plaintext === undefined) return invalidCiphertext();
    const EncryptionAlgorithm = "SYMMETRIC_DEFAULT";
    return jsonAnswer(200, { KeyId: key.arn, Plaintext: plaintext.toString("base64"), EncryptionAlgorithm });
  };

  return {
    checks: ({ operation, json }) => {
      const request = parse(operation, json);
      if (request === undefined) return undefined;
      const name = request.KeyId ?? (request.CiphertextBlob && keyIdIn(request.CiphertextBlob));
      // A ciphertext of another KMS names no key of this stack, so it can be neither authorized nor decrypted.
      if (name === undefined) return [];
      const context = { "kms:CallerAccount": [accountId], ...conditionsOf(request.EncryptionContext ?? {}) };
      return [{ action: `kms:${operation}`, resource: arnOf(name), context }];
    },
    answer: async ({ operation, json }) => {
      const request = parse(operation, json);
      return request === undefined ? errorAnswer(400, "ValidationException", "malformed request") : answer(request);
    },
    close: () => {},
  };
};
