/** The real SDK against the keys of a synthesised stack, judged by key policies and roles. */
import { createPublicKey, verify } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  DecryptCommand,
  GenerateDataKeyCommand,
  GetPublicKeyCommand,
  KMSClient,
  ListKeysCommand,
  SignCommand,
} from "@aws-sdk/client-kms";
import { afterAll, beforeEach, describe, expect, it } from "@jest/globals";
import { createKmsService } from "../../../../infra/local/gateway/kms-service.ts";
import { startKmsGateway } from "../../../support/kms-gateway.ts";
import { usePerFile } from "../../../support/use-started.ts";

const kms = usePerFile(() => startKmsGateway(join(import.meta.dirname, "kms-stack.ts")));
const clients: KMSClient[] = [];
afterAll(() => {
  for (const client of clients) client.destroy();
});
beforeEach(() => void kms.denials.splice(0));

const as = (name: string): KMSClient => {
  const client = new KMSClient({ ...kms.placeOf(name), maxAttempts: 1 });
  clients.push(client);
  return client;
};
const keyOf = (logicalId: string) => {
  const found = kms.model.keys.find((key) => key.logicalId.startsWith(logicalId));
  if (found === undefined) throw new Error(`no key ${logicalId}`);
  return found;
};

const context = { purpose: "credentials", organization: "org#acme" };
const dataKey = (EncryptionContext: Record<string, string> = context, KeyId = keyOf("Key").arn) =>
  new GenerateDataKeyCommand({ KeyId, KeySpec: "AES_256", EncryptionContext });
const decrypt = (CiphertextBlob: Uint8Array | undefined, EncryptionContext: Record<string, string> = context) =>
  new DecryptCommand({ CiphertextBlob, EncryptionContext });
const sign = (Message: Uint8Array, KeyId = keyOf("Signing").arn) =>
  new SignCommand({ KeyId, Message, MessageType: "RAW", SigningAlgorithm: "ED25519_SHA_512" });
const refusal = (name: string) => ({ name, $metadata: { httpStatusCode: 400 } });

describe("a signing key", () => {
  it("signs like Ed25519: always the same, for a role with the right, and as its public key verifies", async () => {
    const message = Buffer.from("message");
    const { Signature, KeyId } = await as("signs").send(sign(message));
    expect(KeyId).toBe(keyOf("Signing").arn);
    expect((await as("doesAll").send(sign(message))).Signature).toEqual(Signature);
    const { PublicKey } = await as("doesAll").send(new GetPublicKeyCommand({ KeyId }));
    const key = createPublicKey({ key: Buffer.from(PublicKey ?? []), format: "der", type: "spki" });
    expect(verify(null, message, key, Signature ?? Buffer.of())).toBe(true);
    const denied = refusal("AccessDeniedException");
    await expect(as("seals").send(sign(message))).rejects.toMatchObject(denied);
    await expect(as("signs").send(new GetPublicKeyCommand({ KeyId }))).rejects.toMatchObject(denied);
  });

  it("encrypts nothing, and a symmetric key signs nothing", async () => {
    const unsupported = refusal("UnsupportedOperationException");
    await expect(as("doesAll").send(dataKey(context, keyOf("Signing").arn))).rejects.toMatchObject(unsupported);
    await expect(as("doesAll").send(sign(Buffer.of(1), keyOf("Key").arn))).rejects.toMatchObject(unsupported);
  });
});

describe("a data key", () => {
  it("is decrypted for its context, in any order of keys, for a role with the right", async () => {
    const { Plaintext, CiphertextBlob, KeyId } = await as("seals").send(dataKey());
    expect(KeyId).toBe(keyOf("Key").arn);
    expect(Plaintext).toHaveLength(32);
    expect(Buffer.from(CiphertextBlob ?? []).includes(Buffer.from(Plaintext ?? []))).toBe(false);
    const reordered = { organization: "org#acme", purpose: "credentials" };
    const opened = await as("opens").send(decrypt(CiphertextBlob, reordered));
    expect(opened).toMatchObject({ Plaintext, KeyId, EncryptionAlgorithm: "SYMMETRIC_DEFAULT" });
  });

  it("differs each time", async () => {
    const [one, other] = await Promise.all([as("seals").send(dataKey()), as("seals").send(dataKey())]);
    expect(one.Plaintext).not.toEqual(other.Plaintext);
  });

  it.each<[string, Record<string, string> | undefined]>([
    ["another organization", { ...context, organization: "org#other" }],
    ["an additional key", { ...context, more: "x" }],
    ["a missing key", { purpose: "credentials" }],
    ["keys in another case", { Purpose: "credentials", organization: "org#acme" }],
    ["none", {}],
  ])("is not decrypted for a context with %s", async (_what, other) => {
    const { CiphertextBlob } = await as("seals").send(dataKey());
    const opening = as("doesAll").send(decrypt(CiphertextBlob, other));
    await expect(opening).rejects.toMatchObject(refusal("InvalidCiphertextException"));
    expect(kms.denials).toEqual([]);
  });

  it("is not decrypted from changed bytes, or from bytes that are no ciphertext", async () => {
    const { CiphertextBlob = new Uint8Array() } = await as("seals").send(dataKey());
    const changed = Uint8Array.from(CiphertextBlob);
    changed[changed.length - 20] = (changed[changed.length - 20] ?? 0) ^ 1;
    for (const wrong of [changed, Buffer.from("nonsense"), Buffer.alloc(0), Uint8Array.of(1, 200, 3)])
      await expect(as("opens").send(decrypt(wrong))).rejects.toMatchObject(refusal("InvalidCiphertextException"));
  });

  it("is not decrypted with another key", async () => {
    const { CiphertextBlob } = await as("seals").send(dataKey());
    const withOther = new DecryptCommand({
      KeyId: keyOf("Other").arn,
      CiphertextBlob,
      EncryptionContext: context,
    });
    await expect(as("doesAll").send(withOther)).rejects.toMatchObject(refusal("IncorrectKeyException"));
  });
});

describe("rights", () => {
  it.each<[string, string, Record<string, string>, boolean]>([
    ["seals", "its purpose", context, true],
    ["seals", "another purpose", { ...context, purpose: "webhooks" }, false],
    ["seals", "no context", {}, false],
    ["seals", "the purpose under a key of another case", { Purpose: "credentials" }, true],
    ["seals", "two purposes", { purpose: "credentials", Purpose: "webhooks" }, false],
    ["isCareful", "all that it must name", context, true],
    ["isCareful", "one key more", { ...context, more: "x" }, false],
    ["isCareful", "one key less", { purpose: "credentials" }, false],
    ["doesAll", "no context", {}, true],
    ["opens", "its purpose, but it may not", context, false],
    ["doesNothing", "anything", context, false],
  ])("%s asks for a data key with %s", async (name, _what, asked, allowed) => {
    const asking = as(name).send(dataKey(asked));
    if (allowed) await expect(asking).resolves.toMatchObject({ KeyId: keyOf("Key").arn });
    else {
      await expect(asking).rejects.toMatchObject(refusal("AccessDeniedException"));
      await expect(asking).rejects.toThrow("because no identity-based policy allows the kms:GenerateDataKey action");
      expect(kms.denials).toMatchObject([{ action: "kms:GenerateDataKey", resource: keyOf("Key").arn }]);
    }
  });

  it("are checked for the encrypting key if the request names no key", async () => {
    const { CiphertextBlob } = await as("seals").send(dataKey());
    await expect(as("seals").send(decrypt(CiphertextBlob))).rejects.toThrow("not authorized to perform: kms:Decrypt");
    await expect(as("opens").send(decrypt(CiphertextBlob, { ...context, purpose: "other" }))).rejects.toMatchObject(
      refusal("AccessDeniedException"),
    );
    expect(kms.denials.map(({ resource }) => resource)).toEqual([keyOf("Key").arn, keyOf("Key").arn]);
  });

  it("hold for a condition that requires any context", async () => {
    await expect(as("needsContext").send(dataKey({ a: "b" }))).resolves.toHaveProperty("CiphertextBlob");
    await expect(as("needsContext").send(dataKey({}))).rejects.toMatchObject(refusal("AccessDeniedException"));
  });

  it("to a key whose policy names no account come only from that policy", async () => {
    const closed = dataKey({}, keyOf("Closed").arn);
    await expect(as("doesAll").send(closed)).rejects.toThrow(
      "because no resource-based policy allows the kms:GenerateDataKey action",
    );
    await expect(as("isNamed").send(closed)).resolves.toMatchObject({ KeyId: keyOf("Closed").arn });
    await expect(as("isNamed").send(dataKey())).rejects.toMatchObject(refusal("AccessDeniedException"));
  });

  it("do not allow operations that the local cloud does not support", async () => {
    await expect(as("doesAll").send(new ListKeysCommand({}))).rejects.toMatchObject(refusal("AccessDeniedException"));
    const dryRun = new GenerateDataKeyCommand({ KeyId: keyOf("Key").arn, KeySpec: "AES_256", DryRun: true });
    await expect(as("doesAll").send(dryRun)).rejects.toThrow("does not know such a request");
  });
});

describe("a key", () => {
  it("is found by its id and its ARN, and judged by its ARN", async () => {
    const { id, arn } = keyOf("Key");
    for (const KeyId of [id, arn])
      await expect(as("seals").send(dataKey(context, KeyId))).resolves.toMatchObject({ KeyId: arn });
  });

  it("that does not exist causes NotFound for a caller with rights to all keys, and AccessDenied for all others", async () => {
    const missing = dataKey(context, "00000000-0000-4000-8000-000000000000");
    await expect(as("doesAll").send(missing)).rejects.toMatchObject(refusal("NotFoundException"));
    await expect(as("seals").send(missing)).rejects.toMatchObject(refusal("AccessDeniedException"));
  });

  it("has no ignored property in the report at the start", () => {
    expect(kms.model.notRun).toEqual([]);
  });
});

describe("key material", () => {
  const file = () => join(kms.dataDirectory, "kms-keys.json");

  it("is kept over a restart, and readable only by its owner", async () => {
    const { Plaintext, CiphertextBlob } = await as("seals").send(dataKey());
    await kms.restart();
    await expect(as("opens").send(decrypt(CiphertextBlob))).resolves.toMatchObject({ Plaintext });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it("is kept for a key that is no longer in the template", () => {
    const before = readFileSync(file(), "utf8");
    createKmsService({
      model: { ...kms.model, keys: [] },
      dataDirectory: kms.dataDirectory,
      clock: { now: () => 0 },
    }).close();
    expect(readFileSync(file(), "utf8")).toBe(before);
  });

  it("that is damaged makes the start fail", async () => {
    const before = readFileSync(file(), "utf8");
    writeFileSync(file(), "{}}");
    await expect(kms.restart()).rejects.toThrow(/kms-keys\.json is damaged/);
    writeFileSync(file(), before);
    await kms.restart();
  });
});
