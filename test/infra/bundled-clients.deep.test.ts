/** The bundled clients of AWS services send the same requests as the whole SDK. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import esbuild from "esbuild";
import { lambdaAliases } from "../../infra/bundling/bundle-aliases.ts";
import { bundleOptions } from "../../infra/bundling/bundle-functions.ts";
import { runInstance } from "../bench/run-instance.ts";
import { httpEvent } from "../support/http-event.ts";
import { attempts, startScriptedStore } from "../support/scripted-store.ts";
import { newDirectory } from "../support/temporary-directory.ts";

const root = join(import.meta.dirname, "../..");

/** `name` is all that the handler imports of the file. */
type Call = {
  service: string;
  file: string;
  name: string;
  call: string;
  answer: object;
  headers?: Readonly<Record<string, string>>;
};

const calls: Call[] = [
  {
    service: "events",
    file: "event-bridge.ts",
    name: "eventBridge",
    call: `eventBridge().putEvents(
      [{ EventBusName: "bus", Source: "test", DetailType: "Tested", Detail: "{}" }],
      AbortSignal.timeout(60_000),
    )`,
    answer: { Entries: [{ EventId: "1" }], FailedEntryCount: 0 },
  },
  {
    service: "kms",
    file: "kms.ts",
    name: "kms",
    call: 'kms.generateDataKey("alias/key", { organization: "org#a", purpose: "é" })',
    answer: { KeyId: "key", Plaintext: "AAEC", CiphertextBlob: "AwQF" },
  },
  {
    service: "secretsmanager",
    file: "secrets-manager.ts",
    name: "secretsManager",
    call: 'secretsManager.readSecret("arn:aws:secretsmanager:eu-central-1:000000000000:secret:name-AbCdEf")',
    answer: { SecretString: "value" },
  },
  {
    service: "sqs",
    file: "queue.ts",
    name: "createQueue, sqs",
    call: 'createQueue(sqs, "https://sqs.eu-central-1.amazonaws.com/1/queue").send([{ body: { text: "é" } }])',
    answer: { Successful: [{ Id: "0", MessageId: "1", MD5OfMessageBody: "d7163011f6e125b5d9214028416d7cf7" }] },
  },
  {
    service: "ses",
    file: "mail.ts",
    name: "createMailer, ses",
    call: `createMailer(ses, { sender: "alerts@example.com" }).send({
      to: "ada@example.com", subject: "é", html: "<p>é</p>", text: "é",
      headers: { "List-Unsubscribe": "<https://example.com/u>" },
    })`,
    answer: { MessageId: "1" },
  },
  {
    service: "s3",
    file: "object-store.ts",
    name: "createObjectStore, s3",
    // The link's time changes, and with it the signature.
    call: `(async () => {
      const store = createObjectStore(s3, "bucket");
      await store.put("a b/é", '{"text":"é"}', { contentType: "application/json" });
      const link = await store.linkTo("a b/é", 900, { fileName: "file.csv" });
      return link.replace(/(127.0.0.1:|X-Amz-Date=|X-Amz-Signature=)\\w+/g, "$1");
    })()`,
    answer: {},
    headers: { etag: '"1"' },
  },
];

/** The source of a handler that makes the call and answers with its result. */
const handlerOf = ({ file, name, call }: Call) => `
  import { ${name} } from ${JSON.stringify(join(root, "shared/runtime", file))};
  export const handler = async () => ({ statusCode: 200, body: JSON.stringify(await ${call}) });
`;

const callWith = async (file: string, { answer, headers }: Call) => {
  const service = await startScriptedStore([attempts.succeed(answer, headers)]);
  try {
    const environment = {
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "key",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_ENDPOINT_URL: service.endpoint,
      URL_SUFFIX: "amazonaws.com",
    };
    const { responses } = await runInstance({ file, environment, events: [httpEvent()] });
    const requests = service.requests.map(({ path, headers, body }) => ({
      path,
      target: headers["x-amz-target"],
      scope: /Credential=key\/\d+\/([^,]+)/.exec(headers.authorization ?? "")?.[1],
      signedHeaders: /SignedHeaders=([^,]+)/.exec(headers.authorization ?? "")?.[1],
      body,
    }));
    return { responses, requests };
  } finally {
    await service.stop();
  }
};

describe("the bundled client", () => {
  it.each(calls)("of $service makes the same call as the client of the whole SDK", async (call) => {
    const directory = newDirectory("client-");
    const source = join(directory, "handler.mjs");
    writeFileSync(source, handlerOf(call));
    const bundled = join(directory, "handler.cjs");
    await esbuild.build({
      ...bundleOptions,
      stdin: { contents: handlerOf(call), resolveDir: root },
      outfile: bundled,
      logLevel: "silent",
      plugins: [lambdaAliases({ mustAllMeet: false })],
    });
    const [whole, replaced] = await Promise.all([source, bundled].map((file) => callWith(file, call)));
    expect(replaced?.requests).toHaveLength(1);
    expect(replaced?.requests[0]?.scope).toBe(`eu-central-1/${call.service}/aws4_request`);
    expect(replaced?.responses[0]?.body).not.toBe(undefined);
    expect(replaced).toEqual(whole);
  });
});
