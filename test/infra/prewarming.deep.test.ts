/** The prewarming of a bundle before its first request, over TLS as in the cloud. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { functionsByRoute, readDeployedStack } from "../bench/deployed-function.ts";
import { startHttpsMocks } from "../bench/mocks/https-mocks.ts";
import { benchEnvironment, claims, plantRequest } from "../bench/plant-requests.ts";
import { runInstance } from "../bench/run-instance.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { newDirectory } from "../support/temporary-directory.ts";
import { usePerTest } from "../support/use-started.ts";

const stack = await readDeployedStack({
  assemblyDirectory,
  workDirectory: newDirectory("prewarming-"),
});
const createPlant = functionsByRoute(stack).get("POST /plants");
if (createPlant === undefined) throw new Error("POST /plants is not deployed");
const directory = createPlant.codeDirectory;
const run = promisify(execFile);

const mocks = usePerTest(startHttpsMocks);

const environment = ({ issuer = mocks.issuer, store = mocks.store } = {}) => ({
  ...benchEnvironment(createPlant, { issuer, endpoint: store }),
  NODE_EXTRA_CA_CERTS: mocks.certificateFile,
});

/** Runs a program to its end. @returns its output */
const execute = async (program: string, env: Record<string, string>) =>
  (await run(process.execPath, ["--input-type=module", "--eval", program], { env })).stdout.trim();

const INDEX = JSON.stringify(join(directory, "index.mjs"));
const BUNDLE = JSON.stringify(join(directory, "bundle.cjs"));

describe("a cold start", () => {
  it("fetches the keys and connects to the store, without a request that needs permission", async () => {
    await execute(`await import(${INDEX})`, environment());
    expect(mocks.seen.requests.toSorted()).toEqual([
      "unsigned GET issuer/.well-known/openid-configuration",
      "unsigned GET issuer/keys",
      "unsigned GET store/",
    ]);
  });

  it("spares the first request the key fetch and the connections", async () => {
    const token = await mocks.sign(claims);
    const events = [plantRequest("POST /plants", { token })];
    const { responses } = await runInstance({ file: join(directory, "index.mjs"), environment: environment(), events });
    expect(responses[0]?.statusCode).toBe(200);
    expect(mocks.seen.requests.slice(3)).toEqual(["signed POST store/"]);
    expect(mocks.seen.connections).toBe(2);
  });

  it("prewarms without failures", async () => {
    const program = `import bundle from ${BUNDLE}; console.log(JSON.stringify((await bundle.prewarm()).map(String)))`;
    expect(await execute(program, environment())).toBe("[]");
  });

  it("does nothing if the bundle is not loaded by its index", async () => {
    expect(await execute(`import bundle from ${BUNDLE}; console.log(typeof bundle.handler)`, environment())).toBe(
      "function",
    );
    expect(mocks.seen).toEqual({ requests: [], connections: 0 });
  });

  it("fetches no keys if the issuer's host is reserved as invalid", async () => {
    await execute(`await import(${INDEX})`, environment({ issuer: "https://issuer.invalid" }));
    expect(mocks.seen.requests).toEqual(["unsigned GET store/"]);
  });
});

describe("with unreachable servers", () => {
  const program = `const { handler } = await import(${INDEX}); console.log(typeof handler)`;

  it("a cold start still exports the handler, and the process can end", async () => {
    const gone = "https://127.0.0.1:1";
    expect(await execute(program, environment({ issuer: gone, store: gone }))).toBe("function");
  });

  it("a cold start does not wait indefinitely for servers that accept connections and never answer", async () => {
    const silent: Server = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    const url = `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    expect(await execute(program, environment({ issuer: url, store: url }))).toBe("function");
    silent.close();
  });

  it("the first request retries the failed fetch", async () => {
    const token = await mocks.sign(claims);
    mocks.failNext(1);
    const events = [plantRequest("POST /plants", { token })];
    const { responses } = await runInstance({ file: join(directory, "index.mjs"), environment: environment(), events });
    expect(responses[0]?.statusCode).toBe(200);
  });
});
