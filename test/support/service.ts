import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LocalCloudOptions } from "../../infra/local/cloud/local-cloud-options.ts";
import type { RunningStack } from "../../infra/local/commands/stack-file.ts";
import type { Firing } from "../../infra/local/control/advance-clock.ts";
import { assemblyDirectory } from "./assembly.ts";
import { requireContract } from "./contract.ts";
import { askShared } from "./shared-server.ts";

type RequestParts = {
  token?: string | undefined;
  body?: string | Uint8Array<ArrayBuffer> | undefined;
  contentType?: string;
  headers?: Record<string, string>;
};

/** Replacements for parts of the local cloud: another provider, another engine, another assembly, a smaller account. */
export type ServiceOptions = Pick<
  LocalCloudOptions,
  "providerApiUrl" | "providerOauth" | "dynamodbEndpoint" | "accountConcurrency"
> & {
  assembly?: string;
  /** A path of the assembly that the OpenAPI document does not describe. */
  foreignPath?: string;
};

/** Requests to a running service. Checks every answer against the OpenAPI document first. */
const clientOf = (stack: RunningStack, foreignPath?: string) => ({
  stack,
  async request(method: string, path: string, { token, body, contentType, headers }: RequestParts = {}) {
    const url = new URL(path, stack.apiUrl);
    const response = await fetch(url, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": contentType ?? "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const parsed: unknown = text === "" ? undefined : JSON.parse(text);
    if (url.pathname !== foreignPath) requireContract(method, url.pathname, response, parsed);
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
    return { status: response.status, headers: response.headers, text, body: parsed, next };
  },
  /** A token with these claims (see the development issuer). It has no organization unless the claims name one. */
  async mint(claims: object): Promise<string> {
    const response = await fetch(`${stack.issuerUrl}/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(claims),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  },
});

export type ServiceUnderTest = Awaited<ReturnType<typeof startService>>;

/** A service, shared or not: everything that a single organization needs. */
export type Service = Pick<ServiceUnderTest, "stack" | "request" | "mint" | "advances">;

/** Starts the whole service as it would be deployed, in a separate local cloud with empty tables. */
export const startService = async (options: ServiceOptions = {}) => {
  const { assembly = assemblyDirectory, foreignPath, ...others } = options;
  // Imported here: files that share a service need not load a local cloud.
  const { startTestedCloud } = await import("./tested-cloud.ts");
  const dataDirectory = mkdtempSync(join(tmpdir(), "local-data-"));
  const lines: string[] = [];
  let advances = 0;
  const cloud = await startTestedCloud({
    assemblyDirectory: assembly,
    dataDirectory,
    port: 0,
    ...others,
    log: (source, line) => lines.push(`${source} | ${line}`),
  });
  const stop = async (): Promise<void> => {
    await cloud.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  };
  return {
    ...clientOf(cloud.stack, foreignPath),
    /** Moves the clock that functions and tokens see. */
    advance: (ms: number, firing?: Firing) => {
      advances++;
      return cloud.advanceClock(ms, firing);
    },
    /** How often the clock was moved. Tokens of an earlier count may have expired. */
    advances: () => advances,
    /** Everything that functions and the local cloud have logged so far. */
    logged: () => lines.join("\n"),
    denials: cloud.denials,
    /** The simulator's account for the demo organization of `npm start`. */
    demo: cloud.demo,
    /** The directory of a function's code, in which its instances run. @param name part of the function's logical id */
    codeDirectoryOf(name: string): string {
      const [fn, ...others] = cloud.model.functions.filter(({ logicalId }) => logicalId.includes(name));
      if (fn === undefined || others.length > 0) throw new Error(`expected one function with ${name} in its name`);
      return fn.codeDirectory;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

/**
 * The service that all test files of a run share. For files that never advance the clock, break no shared part, and
 * use only organizations that no other file uses.
 */
export const shareService = async () => ({
  ...clientOf(await askShared<RunningStack>("stack")),
  advances: () => 0,
  /** Calls of functions that their roles do not allow, by all files. */
  denials: () => askShared<unknown[]>("denials"),
  /** Everything that functions and the local cloud have logged so far, for all files. */
  logged: () => askShared<string>("logged"),
});
