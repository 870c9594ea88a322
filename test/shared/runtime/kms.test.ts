/** The client of KMS; kms.deep.test.ts has its other failures, and the local KMS under roles. */
import { expect, it } from "@jest/globals";
import { createKms } from "../../../shared/runtime/kms.ts";
import { attempts, startScriptedStore } from "../../support/scripted-store.ts";

const generate = async (answer: object) => {
  const store = await startScriptedStore([attempts.succeed(answer)]);
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const kms = createKms({ region: "eu-central-1", endpoint: store.endpoint, credentials });
  return kms.generateDataKey("key", { organization: "org#a", purpose: "p" }).finally(store.stop);
};
const Plaintext = Buffer.from("data key").toString("base64");
const CiphertextBlob = Buffer.from("encrypted").toString("base64");

it("returns a data key as it is and encrypted", async () => {
  const { dataKey, encrypted } = await generate({ Plaintext, CiphertextBlob });
  expect([dataKey, encrypted].map((bytes) => Buffer.from(bytes).toString())).toEqual(["data key", "encrypted"]);
});

it.each([
  ["the data key", { CiphertextBlob }],
  ["the encrypted one", { Plaintext }],
])("throws store_unavailable if the answer lacks %s", async (_, answer) => {
  await expect(generate(answer)).rejects.toMatchObject({ code: "store_unavailable" });
});
