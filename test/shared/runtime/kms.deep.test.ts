/** The functions' client and envelope against the local KMS, under roles as the stack grants them. */
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { createEnvelope, EnvelopeError } from "../../../shared/runtime/envelope.ts";
import { createKms } from "../../../shared/runtime/kms.ts";
import { startKmsGateway } from "../../support/kms-gateway.ts";
import { type Attempt, attempts, startScriptedStore } from "../../support/scripted-store.ts";
import { usePerFile } from "../../support/use-started.ts";

const gateway = usePerFile(() => startKmsGateway(join(import.meta.dirname, "kms-stack.ts")));

const keyArn = (logicalId: string): string =>
  gateway.model.keys.find((key) => key.logicalId.startsWith(logicalId))?.arn ?? "";
const envelopeOf = (name: string, key = "Key") => createEnvelope(createKms(gateway.placeOf(name)), keyArn(key));

const credentials = { organization: "org#acme%20%C3%A9", purpose: "provider-credentials" };
const unavailable = { name: "DomainError", code: "store_unavailable" };

describe("an envelope with a key of KMS", () => {
  it("opens for the role that sealed it", async () => {
    const sealed = await envelopeOf("connects").seal(credentials, "sk_live_é");
    await expect(envelopeOf("connects").open(credentials, sealed)).resolves.toBe("sk_live_é");
    expect(sealed.length).toBeLessThan(300);
  });

  it("does not open for another organization: KMS refuses the context", async () => {
    const sealed = await envelopeOf("connects").seal(credentials, "secret");
    const other = { ...credentials, organization: "org#other" };
    await expect(envelopeOf("connects").open(other, sealed)).rejects.toThrow(EnvelopeError);
  });

  it("does not open with another key", async () => {
    const sealed = await envelopeOf("connects").seal(credentials, "secret");
    await expect(envelopeOf("connects", "Other").open(credentials, sealed)).rejects.toMatchObject(unavailable);
    expect(gateway.denials.at(-1)).toMatchObject({ action: "kms:Decrypt", resource: keyArn("Other") });
  });

  it("does not open for a role with another purpose, whichever purpose the role names", async () => {
    const sealed = await envelopeOf("connects").seal(credentials, "secret");
    await expect(envelopeOf("receives").open(credentials, sealed)).rejects.toMatchObject(unavailable);
    const asItsOwn = { ...credentials, purpose: "webhook-secrets" };
    await expect(envelopeOf("receives").open(asItsOwn, sealed)).rejects.toThrow(EnvelopeError);
    await expect(envelopeOf("receives").seal(asItsOwn, "secret")).rejects.toMatchObject(unavailable);
  });
});

describe("the client", () => {
  const place = (endpoint: string) => ({
    region: "eu-central-1",
    endpoint,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const answers = { Plaintext: Buffer.alloc(32, 1).toString("base64"), CiphertextBlob: "QUJD", KeyId: "key" };
  const asked = { organization: "org#a", purpose: "p" };

  /** Runs a client against a scripted KMS. @returns the result or error, and the requests */
  const against = async <Output>(
    script: readonly Attempt[],
    call: (kms: ReturnType<typeof createKms>) => Promise<Output>,
  ) => {
    const store = await startScriptedStore(script);
    const result = await call(createKms(place(store.endpoint))).catch((error: unknown) => error);
    await store.stop();
    return { result, requests: store.requests };
  };

  it.each<[string, Attempt]>([
    ["answers HTML", attempts.speakHtml()],
    ["denies", attempts.refuse("AccessDeniedException")],
    ["does not know the key", attempts.refuse("NotFoundException")],
    ["fails", attempts.fail()],
    ["drops connections", attempts.reset()],
    ["answers half of the JSON", (response) => void response.writeHead(200).end('{"Plaintext":"c2VjcmV0LWtl')],
    ["answers without a key", attempts.succeed({ KeyId: "key" })],
  ])("throws store_unavailable, without quoting KMS, if KMS %s", async (_what, attempt) => {
    const { result } = await against([attempt], (kms) => kms.generateDataKey("key", asked));
    expect(result).toMatchObject(unavailable);
    expect(inspect(result, { depth: 10, showHidden: true })).not.toMatch(/c2Vj|HTML|Bad Gateway/i);
  });

  it("retries after a temporary failure", async () => {
    const script = [attempts.fail(), attempts.throttle(), attempts.succeed(answers)];
    const { result, requests } = await against(script, (kms) => kms.decryptDataKey("key", asked, Buffer.from("ABC")));
    expect(result).toEqual(new Uint8Array(32).fill(1));
    expect(requests).toHaveLength(3);
    expect(requests[0]).toMatchObject({
      headers: { "x-amz-target": "TrentService.Decrypt" },
      body: { KeyId: "key", EncryptionContext: asked, CiphertextBlob: "QUJD" },
    });
  });

  it.each(["InvalidCiphertextException", "IncorrectKeyException"])("returns no key if KMS answers %s", async (name) => {
    const { result, requests } = await against([attempts.refuse(name)], (kms) =>
      kms.decryptDataKey("key", asked, Buffer.from("ABC")),
    );
    expect(result).toBeUndefined();
    expect(requests).toHaveLength(1);
  });
});
