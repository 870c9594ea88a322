import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Firing } from "../../infra/local/advance-clock.ts";
import { startLocalCloud } from "../../infra/local/local-cloud.ts";
import type { LocalCloudOptions } from "../../infra/local/local-cloud-options.ts";
import { assemblyDirectory } from "./assembly.ts";
import { requireContract } from "./contract.ts";

type RequestParts = {
  token?: string | undefined;
  body?: string | Uint8Array<ArrayBuffer> | undefined;
  contentType?: string;
  headers?: Record<string, string>;
};

/** Another provider in place of the simulator, another engine in place of its own, where they are named. */
type ServiceOptions = Pick<LocalCloudOptions, "providerApiUrl" | "providerOauth" | "dynamodbEndpoint"> & {
  assembly?: string;
  /** A path that the assembly has and the service has not, whose answers nothing describes. */
  foreignPath?: string;
};

export type ServiceUnderTest = Awaited<ReturnType<typeof startService>>;

/**
 * The whole service as it would be deployed, run by a local cloud of its own with empty tables. Every answer that a
 * test gets is held against the OpenAPI document first.
 */
export const startService = async (options: ServiceOptions = {}) => {
  const { assembly = assemblyDirectory, foreignPath, ...others } = options;
  const isOurs = (pathname: string) => pathname !== foreignPath;
  const dataDirectory = mkdtempSync(join(tmpdir(), "local-data-"));
  const lines: string[] = [];
  let advances = 0;
  const cloud = await startLocalCloud({
    assemblyDirectory: assembly,
    dataDirectory,
    port: 0,
    ...others,
    log: (source, line) => lines.push(`${source} | ${line}`),
  });
  const { stack } = cloud;

  const request = async (method: string, path: string, { token, body, contentType, headers }: RequestParts = {}) => {
    const response = await fetch(new URL(path, stack.apiUrl), {
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
    if (isOurs(new URL(path, stack.apiUrl).pathname)) {
      requireContract(method, new URL(path, stack.apiUrl).pathname, response, parsed);
    }
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
    return { status: response.status, headers: response.headers, text, body: parsed, next };
  };

  return {
    stack,
    request,
    /** A token with these claims (see the development issuer); without an organization unless one is named. */
    async mint(claims: object): Promise<string> {
      const response = await fetch(`${stack.issuerUrl}/token`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(claims),
      });
      return ((await response.json()) as { access_token: string }).access_token;
    },
    /** Moves the clock that functions and tokens see. */
    advance: (ms: number, firing?: Firing) => {
      advances++;
      return cloud.advanceClock(ms, firing);
    },
    /** How often the clock was moved: what was valid before may have expired. */
    advances: () => advances,
    /** Everything that functions and the local cloud have logged so far. */
    logged: () => lines.join("\n"),
    denials: cloud.denials,
    /** The folder of a function's code, in which its instances run; the name is part of its logical id. */
    codeDirectoryOf(name: string): string {
      const [fn, ...others] = cloud.model.functions.filter(({ logicalId }) => logicalId.includes(name));
      if (fn === undefined || others.length > 0) throw new Error(`not one function is called ${name}`);
      return fn.codeDirectory;
    },
    async stop(): Promise<void> {
      await cloud.stop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
};
