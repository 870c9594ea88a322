import { beforeEach, describe, expect, it } from "@jest/globals";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { createEnvelope, EnvelopeError, type SealContext } from "../../../shared/runtime/envelope.ts";
import type { EncryptionContext, Kms } from "../../../shared/runtime/kms.ts";
import { fc } from "../../support/fixed-seed.ts";

const KEY_ID = "arn:aws:kms:eu-central-1:000000000000:key/1";
const credentials: SealContext = { organization: "org#acme", purpose: "provider-credentials" };

/** Computed independently: AES-256-GCM of "secret" with the header and `["organization",…]` as its AAD. */
const FIXED_CIPHERTEXT_AND_TAG = "54e0e7e6db84dc3746a5a85cb7c7cc7f64e139d8e279";

/** A fake KMS: an encrypted data key is a number, bound to key and context. */
const keys = new Map<string, { keyId: string; context: EncryptionContext; dataKey: Buffer }>();
/** The same array objects that the envelope received. */
let handedOut: Uint8Array[] = [];
/** If false, KMS ignores key and context, so that only the cipher protects the text. */
let isHonest = true;

const handOut = (dataKey: Uint8Array): Uint8Array => {
  handedOut.push(dataKey);
  return dataKey;
};

const kms: Kms = {
  async generateDataKey(keyId, context) {
    const encrypted = Buffer.from(`key ${keys.size}`);
    const dataKey = Buffer.alloc(32, 1 + (keys.size % 250));
    keys.set(encrypted.toString("hex"), { keyId, context, dataKey });
    return { dataKey: handOut(new Uint8Array(dataKey)), encrypted };
  },
  async decryptDataKey(keyId, context, encrypted) {
    const found = keys.get(Buffer.from(encrypted).toString("hex"));
    if (!isHonest) return handOut(new Uint8Array(found?.dataKey ?? Buffer.alloc(32)));
    const isBound = found?.keyId === keyId && JSON.stringify(found.context) === JSON.stringify(context);
    return isBound ? handOut(new Uint8Array(found.dataKey)) : undefined;
  },
};

const envelope = createEnvelope(kms, KEY_ID);

beforeEach(() => {
  handedOut = [];
  isHonest = true;
});

describe("an envelope", () => {
  it("opens any text that it sealed", async () => {
    const text = fc.string({ unit: "binary" }).filter((one) => one.isWellFormed());
    await fc.assert(
      fc.asyncProperty(text, fc.string(), fc.string(), async (plaintext, organization, purpose) => {
        const sealed = await envelope.seal({ organization, purpose }, plaintext);
        expect(await envelope.open({ organization, purpose }, sealed)).toBe(plaintext);
      }),
      { seed: 20261121, numRuns: 200 },
    );
  });

  it("contains no part of the text, and differs each time", async () => {
    const secret = "sk_live_0123456789abcdef";
    const sealed = await Promise.all(Array.from({ length: 20 }, () => envelope.seal(credentials, secret)));
    const bytes = sealed.map((one) => Buffer.from(one));
    expect(bytes.some((one) => one.includes(secret.slice(0, 6)))).toBe(false);
    expect(new Set(bytes.map((one) => one.toString("hex"))).size).toBe(20);
    expect(new Set([...keys.values()].slice(-20).map(({ dataKey }) => dataKey.toString("hex"))).size).toBe(20);
  });

  it("has the documented format, so that stored envelopes stay readable", async () => {
    const fixed = createEnvelope(
      {
        generateDataKey: async () => ({ dataKey: Buffer.alloc(32, 7), encrypted: Buffer.from("EDK") }),
        decryptDataKey: async () => Buffer.alloc(32, 7),
      },
      KEY_ID,
      { randomBytes: (size) => Buffer.alloc(size, 9) },
    );
    const sealed = Buffer.from(await fixed.seal(credentials, "secret")).toString("hex");
    const head = ["01", "0003", Buffer.from("EDK").toString("hex"), "09".repeat(12)].join("");
    expect(sealed).toBe(`${head}${FIXED_CIPHERTEXT_AND_TAG}`);
    await expect(fixed.open(credentials, Buffer.from(sealed, "hex"))).resolves.toBe("secret");
  });

  it.each<[string, SealContext]>([
    ["another organization's", { ...credentials, organization: "org#other" }],
    ["another purpose's", { ...credentials, purpose: "webhook-secrets" }],
    ["a context whose parts join to the same text", { organization: "org#acmeprovider", purpose: "-credentials" }],
  ])("does not open as %s, even if KMS allows it", async (_whose, context) => {
    const sealed = await envelope.seal(credentials, "secret");
    await expect(envelope.open(context, sealed)).rejects.toThrow(EnvelopeError);
    isHonest = false;
    await expect(envelope.open(context, sealed)).rejects.toThrow(EnvelopeError);
    await expect(envelope.open(credentials, sealed)).resolves.toBe("secret");
  });

  it("sends KMS only organization and purpose", async () => {
    const more = { ...credentials, apiKey: "secret" };
    const sealed = await envelope.seal(more, "text");
    expect([...keys.values()].at(-1)).toMatchObject({ keyId: KEY_ID, context: credentials });
    expect([...keys.values()].at(-1)?.context).not.toHaveProperty("apiKey");
    await expect(envelope.open(credentials, sealed)).resolves.toBe("text");
  });

  it("does not open if any bit is changed, and reveals no details", async () => {
    const sealed = await envelope.seal(credentials, "secret");
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Uint8Array.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const error: unknown = await envelope.open(credentials, changed).catch((caught) => caught);
      expect(error).toBeInstanceOf(EnvelopeError);
      expect(error).toMatchObject({ message: "The sealed text cannot be opened in this context." });
      expect(error).not.toHaveProperty("cause");
    }
  });

  it("does not open if it is cut anywhere, and reads no bytes outside it", async () => {
    const sealed = await envelope.seal(credentials, "secret");
    for (let length = 0; length < sealed.length; length++)
      await expect(envelope.open(credentials, sealed.slice(0, length))).rejects.toThrow(EnvelopeError);
    const within = new Uint8Array(sealed.length + 20).fill(1);
    within.set(sealed, 10);
    await expect(envelope.open(credentials, within.subarray(10, -10))).resolves.toBe("secret");
  });

  it("overwrites every data key after use, even if it fails", async () => {
    const sealed = await envelope.seal(credentials, "secret");
    await envelope.open(credentials, sealed);
    isHonest = false;
    await expect(envelope.open({ ...credentials, purpose: "other" }, sealed)).rejects.toThrow();
    const randomBytes = () => {
      throw new Error("no randomness");
    };
    await expect(createEnvelope(kms, KEY_ID, { randomBytes }).seal(credentials, "secret")).rejects.toThrow();
    expect(handedOut).toHaveLength(4);
    expect(handedOut.every((dataKey) => dataKey.every((byte) => byte === 0))).toBe(true);
  });

  it("passes on failures of KMS", async () => {
    const unavailable = new DomainError("store_unavailable", "no answer");
    const fails = () => Promise.reject(unavailable);
    const broken = createEnvelope({ generateDataKey: fails, decryptDataKey: fails }, KEY_ID);
    await expect(broken.seal(credentials, "secret")).rejects.toBe(unavailable);
    await expect(broken.open(credentials, await envelope.seal(credentials, "secret"))).rejects.toBe(unavailable);
  });
});
