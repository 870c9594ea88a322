import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import type { LocalCloud } from "../../infra/local/cloud/local-cloud.ts";
import type { LocalCloudOptions } from "../../infra/local/cloud/local-cloud-options.ts";
import { assemblyDirectory as serviceAssembly } from "./assembly.ts";
import { startTestedCloud } from "./tested-cloud.ts";

/** A local cloud for one test file, with helpers for requests. Stop it in `afterAll`. */
export type TestCloud = LocalCloud & {
  /** URL of the HTTP API, without a trailing slash. */
  apiUrl: string;
  /** Log lines of functions and of the local cloud, as `source: line`. */
  lines: readonly string[];
  /** Calls the API. @param target path and query; `token` becomes the bearer token */
  call(
    method: string,
    target: string,
    options?: { token?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Response>;
  /** A token of the development issuer. docs/local-cloud.md lists the fields of the request. */
  token(request?: Record<string, unknown>): Promise<string>;
  /** Posts JSON to the control server. */
  control(path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
};

type Options = Partial<Omit<LocalCloudOptions, "log">>;

/** Runs an assembly, by default the service's, on a free port with a temporary data directory, which `stop` removes. */
export const startTestCloud = async (options: Options = {}): Promise<TestCloud> => {
  const lines: string[] = [];
  const temporary = options.dataDirectory === undefined ? mkdtempSync(join(tmpdir(), "local-cloud-")) : undefined;
  const cloud = await startTestedCloud({
    assemblyDirectory: serviceAssembly,
    dataDirectory: temporary ?? "",
    port: 0,
    ...options,
    log: (source, line) => lines.push(`${source}: ${line}`),
  });
  const { apiUrl = "", issuerUrl, controlUrl } = cloud.stack;
  const post = async (url: string, body: unknown) => {
    const response = await fetch(url, { method: "POST", ...(body !== undefined && { body: JSON.stringify(body) }) });
    const answer: unknown = await response.json();
    return { status: response.status, body: answer };
  };
  return {
    ...cloud,
    apiUrl,
    lines,
    call(method, target, { token, body, headers } = {}) {
      const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
      return fetch(apiUrl + target, {
        method,
        ...(text !== undefined && { body: text }),
        headers: {
          ...(text !== undefined && { "content-type": "application/json" }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
      });
    },
    async token(request = {}) {
      const { status, body } = await post(`${issuerUrl}/token`, request);
      if (typeof body !== "object" || body === null || !("access_token" in body))
        throw new Error(`the issuer answered ${status}: ${JSON.stringify(body)}`);
      return String(body.access_token);
    },
    control: (path, body) => post(controlUrl + path, body),
    async stop() {
      await cloud.stop();
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    },
  };
};

/** Synthesises a stack of the test into a temporary directory. @returns the assembly's directory */
export const synthesiseTestStack = (fill: (stack: Stack) => void): string => {
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), "assembly-")), analyticsReporting: false });
  fill(new Stack(app, "test-stack"));
  return app.synth().directory;
};
