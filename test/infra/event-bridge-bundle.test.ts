/** The EventBridge client as the bundles have it sends what the whole SDK sends. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import esbuild from "esbuild";
import { bundleOptions } from "../../infra/build.ts";
import { lambdaAliases } from "../../infra/bundle-aliases.ts";
import { runInstance } from "../bench/run-instance.ts";
import { httpEvent } from "../support/http-event.ts";
import { attempts, startScriptedStore } from "../support/scripted-store.ts";

const root = join(import.meta.dirname, "../..");

/** A handler that publishes one event, in a file of its own. */
const publisher = `
  import { eventBridge } from ${JSON.stringify(join(root, "shared/runtime/event-bridge.ts"))};
  export const handler = async () => {
    const entry = { EventBusName: "bus", Source: "test", DetailType: "Tested", Detail: "{}" };
    return { statusCode: 200, body: JSON.stringify(await eventBridge().putEvents([entry], AbortSignal.timeout(5_000))) };
  };
`;

const publishWith = async (file: string) => {
  const bus = await startScriptedStore([attempts.succeed({ Entries: [{ EventId: "1" }], FailedEntryCount: 0 })]);
  try {
    const environment = {
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "key",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_ENDPOINT_URL: bus.endpoint,
    };
    const { responses } = await runInstance({ file, environment, events: [httpEvent()] });
    const requests = bus.requests.map(({ headers, body }) => ({
      target: headers["x-amz-target"],
      scope: /Credential=key\/\d+\/([^,]+)/.exec(headers.authorization ?? "")?.[1],
      signedHeaders: /SignedHeaders=([^,]+)/.exec(headers.authorization ?? "")?.[1],
      body,
    }));
    return { responses, requests };
  } finally {
    await bus.stop();
  }
};

describe("the bundled EventBridge client", () => {
  it("publishes as the whole one does", async () => {
    const directory = mkdtempSync(join(tmpdir(), "publisher-"));
    const source = join(directory, "publisher.mjs");
    writeFileSync(source, publisher);
    const bundled = join(directory, "publisher.cjs");
    await esbuild.build({
      ...bundleOptions,
      stdin: { contents: publisher, resolveDir: root },
      outfile: bundled,
      logLevel: "silent",
      plugins: [lambdaAliases({ mustAllMeet: false })],
    });
    const [whole, replaced] = await Promise.all([publishWith(source), publishWith(bundled)]);
    expect(replaced.requests).toHaveLength(1);
    expect(replaced.requests[0]?.scope).toBe("eu-central-1/events/aws4_request");
    expect(replaced).toEqual(whole);
  });
});
