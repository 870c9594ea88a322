import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import type { KeyModel, StackModel } from "../core/model.ts";
import type { Check } from "../iam/authorizer.ts";
import { keyIdIn } from "./kms-ciphertext.ts";
import { KmsError } from "./kms-error.ts";
import { openKeyMaterial } from "./kms-key-material.ts";
import { Blob, EncryptionContext, operations } from "./kms-operations.ts";
import { type AwsService, errorAnswer, jsonAnswer } from "./service.ts";

/** Which key a request of any operation means, by a name of it or by what it encrypted, and in which context. */
const Asked = z.object({ KeyId: z.string().optional(), CiphertextBlob: Blob.optional(), EncryptionContext });

/**
 * The condition keys of a context, whose own keys lose their case in them: two that differ in nothing else become one
 * of two values, which no Allow for one value lets through.
 * https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-encryption-context
 */
const conditionsOf = (context: Record<string, string>): Check["context"] => {
  const byKey = Map.groupBy(Object.entries(context), ([key]) => `kms:EncryptionContext:${key.toLowerCase()}`);
  return {
    "kms:EncryptionContextKeys": Object.keys(context),
    ...Object.fromEntries([...byKey].map(([key, entries]) => [key, entries.map(([, value]) => value)])),
  };
};

/**
 * KMS, for symmetric keys that the template declares; every other operation is denied.
 * @throws Error when the file with the keys' material is damaged.
 */
export const createKmsService = (options: {
  model: Pick<StackModel, "region" | "accountId" | "keys">;
  dataDirectory: string;
  clock: Pick<Clock, "now">;
}): AwsService => {
  const { region, accountId, keys } = options.model;
  const material = openKeyMaterial({ ...options, keys });
  const arnOf = (name: string): string => {
    if (name.startsWith("arn:")) return name;
    return `arn:aws:kms:${region}:${accountId}:${name.startsWith("alias/") ? name : `key/${name}`}`;
  };
  const find = (name: string): KeyModel | undefined =>
    keys.find(({ arn, aliases }) => [arn, ...aliases.map(arnOf)].includes(arnOf(name)));

  const run = (operation: string, json: unknown): object => {
    const { KeyId, CiphertextBlob } = Asked.parse(json);
    const encryptedBy = CiphertextBlob && keyIdIn(CiphertextBlob);
    if (CiphertextBlob !== undefined && encryptedBy === undefined) throw new KmsError("InvalidCiphertextException", "");
    const name = KeyId ?? encryptedBy ?? "";
    const key = find(name);
    const bytes = key && material.get(key.id);
    if (key === undefined || bytes === undefined)
      throw new KmsError("NotFoundException", `Key '${arnOf(name)}' does not exist`);
    if (encryptedBy !== undefined && encryptedBy !== key.id)
      throw new KmsError(
        "IncorrectKeyException",
        "The key ID in the request does not identify a CMK that can perform this operation.",
      );
    if (!key.isEnabled && operation !== "DescribeKey")
      throw new KmsError("DisabledException", `${key.arn} is disabled.`);
    return operations[operation]?.run({ ...key, material: bytes, accountId }, json) ?? {};
  };

  return {
    checks: ({ operation, json }) => {
      if (!Object.hasOwn(operations, operation) || operations[operation]?.accepts(json) !== true) return undefined;
      const { KeyId, CiphertextBlob, EncryptionContext: context } = Asked.parse(json);
      const name = KeyId ?? (CiphertextBlob && keyIdIn(CiphertextBlob));
      // Nobody's ciphertext: there is no key to judge by, and nothing to be had.
      if (name === undefined) return [];
      const resource = find(name)?.arn ?? arnOf(name);
      const conditions = { "kms:CallerAccount": [accountId], ...conditionsOf(context) };
      return [{ action: `kms:${operation}`, resource, context: conditions }];
    },
    answer: async ({ operation, json }) => {
      try {
        return jsonAnswer(200, run(operation, json));
      } catch (error) {
        if (error instanceof KmsError) return errorAnswer(400, error.type, error.message);
        throw error;
      }
    },
    close: () => {},
  };
};
