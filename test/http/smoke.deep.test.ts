/** Tests `npm run smoke` against the local cloud, and against a proxy that breaks one promise of it at a time. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { checks } from "../../infra/smoke/checks.ts";
import { newDirectory } from "../support/temporary-directory.ts";
import { useSharedService } from "../support/use-service.ts";

const run = promisify(execFile);
const COMMAND = join(import.meta.dirname, "..", "..", "infra", "smoke", "smoke.ts");

const service = await useSharedService();
const token = await service.mint({ organizationId: "smoke", userId: "smoke" });

const smoke = async (args: readonly string[], env: Record<string, string> = {}) => {
  const finished = run(process.execPath, [COMMAND, ...args], { env });
  return finished.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
};

describe("the command", () => {
  it("reports that the local cloud holds all checks", async () => {
    const { apiUrl = "", issuerUrl, audience, webhookUrl = "" } = service.stack;
    const args = [apiUrl, "--issuer", issuerUrl, "--audience", audience, "--webhook-url", webhookUrl];
    const { code, stdout } = await smoke(args, { SMOKE_TOKEN: token });
    expect(stdout).not.toContain("FAIL");
    expect(stdout).toContain("user smoke, organization smoke, role admin");
    expect(stdout).toMatch(/11 hold, 0 do not, 3 skipped\n$/);
    expect(code).toBe(0);
  });

  it("skips what needs a token or an issuer that were not given", async () => {
    const { code, stdout } = await smoke([service.stack.apiUrl ?? ""]);
    expect(stdout).toContain("skip  the token is accepted: needs SMOKE_TOKEN");
    expect(stdout).toMatch(/5 hold, 0 do not, 9 skipped\n$/);
    expect(code).toBe(0);
  });

  it("stops at an address without an answer", async () => {
    const { code, stdout } = await smoke(["http://127.0.0.1:1"]);
    expect(stdout).toMatch(/^FAIL {2}the OpenAPI document is served: GET .* got no answer/);
    expect(stdout.split("\n")).toHaveLength(3);
    expect(code).toBe(1);
  });

  /** Runs the command with a program `aws` that prints this. */
  const smokeWithAws = async (printed: unknown) => {
    const directory = newDirectory("aws-");
    const program = `#!${process.execPath}\nconsole.log(process.argv[2] === "logs" ? ${JSON.stringify(JSON.stringify(printed))} : "")\n`;
    writeFileSync(join(directory, "aws"), program, { mode: 0o755 });
    return smoke([service.stack.apiUrl ?? "", "--log-group", "/aws/lambda/x"], { PATH: directory });
  };

  it("reports the flags of Node from the log of a function", async () => {
    const message = JSON.stringify({ level: "debug", message: "cold start", nodeFlags: ["--expose-gc", "--a=1"] });
    const { code, stdout } = await smokeWithAws({ events: [{ message }] });
    expect(stdout).toContain("ok    a cold start reports the flags of Node: --expose-gc --a=1, ");
    expect(code).toBe(0);
  });

  it("says what is missing if no function reported its flags, or there is no AWS CLI", async () => {
    expect((await smokeWithAws({ events: [] })).stdout).toContain("deploy with nodeFlags=report");
    const { code, stdout } = await smoke([service.stack.apiUrl ?? "", "--log-group", "x"], { PATH: "/nowhere" });
    expect(stdout).toContain("the AWS CLI read no log: spawn aws ENOENT");
    expect(code).toBe(1);
  });

  it.each([
    [["ftp://api.example.com"], "expected an https address"],
    [["http://api.example.com"], "expected an https address"],
    [["plants"], "expected an address such as"],
    [["https://a.example", "https://b.example"], "expected one address"],
    [["--isuer", "https://a.example"], "Unknown option '--isuer'"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await smoke(args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

const ORIGIN = "https://console.example.com";
type Reply = { status: number; headers: Record<string, string>; body: string };
type Break = (reply: Reply, request: { method: string; path: string; authorized: boolean }) => Partial<Reply>;

describe("a broken promise is found by its check", () => {
  let broken: Break;
  let anyOrigin = false;
  let server: Server;
  let target: Parameters<(typeof checks)[number]["run"]>[0];

  beforeAll(async () => {
    const { apiUrl = "", webhookUrl = "", issuerUrl, audience } = service.stack;
    server = createServer(async (incoming, outgoing) => {
      const { method = "GET", url: path = "/" } = incoming;
      if (method === "OPTIONS") {
        const allowed = incoming.headers.origin === ORIGIN || anyOrigin;
        outgoing.writeHead(204, allowed ? { "access-control-allow-origin": incoming.headers.origin } : {}).end();
        return;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const { host: _host, connection: _connection, ...headers } = incoming.headers as Record<string, string>;
      const base = path.startsWith("/hooks/") ? webhookUrl : apiUrl;
      const response = await fetch(`${base}${path.replace("/hooks", "")}`, {
        method,
        headers,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      const { "content-length": _length, ...answered } = Object.fromEntries(response.headers);
      const reply = { status: response.status, headers: answered, body: await response.text() };
      const authorized = (headers.authorization ?? "") === `Bearer ${token}`;
      const changed = { ...reply, ...broken(reply, { method, path, authorized }) };
      outgoing.writeHead(changed.status, changed.headers).end(changed.status === 204 ? undefined : changed.body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    target = {
      apiUrl: url,
      webhookUrl: `${url}/hooks`,
      issuer: issuerUrl,
      audience,
      token,
      origin: ORIGIN,
      logGroup: "",
    };
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const failing = async (): Promise<string[]> => {
    const failures: string[] = [];
    for (const { title, overTls, needs, run: check } of checks) {
      if (overTls || needs?.includes("logGroup")) continue;
      await check(target).catch(({ name }: Error) => failures.push(`${title}: ${name}`));
    }
    return failures;
  };

  it.each<[string, Break, string[]]>([
    ["nothing", () => ({}), []],
    [
      "a page in place of the document",
      (reply, { path }) => (path === "/openapi.json" ? { body: "<html>" } : reply),
      ["the OpenAPI document is served", "the integration's lists answer"],
    ],
    [
      "answers that may be cached",
      ({ headers }) => ({ headers: { ...headers, "cache-control": "max-age=60" } }),
      ["answers are not cached, not sniffed, and carry a request id"],
    ],
    [
      "unknown paths answered by another service",
      (reply, { path }) => (path === "/no-such-path" ? { body: '{"message":"Not Found"}' } : reply),
      ["an unknown path is 404, another method 405"],
    ],
    [
      "requests without a token that are let in",
      (reply, { authorized, path, method }) =>
        method === "GET" && path === "/plants" && !authorized ? { status: 200, body: "[]" } : reply,
      ["a request without a token, or with a malformed one, is 401", "a token that is signed by another key is 401"],
    ],
    [
      "a clock that is late",
      ({ headers }) => ({ headers: { ...headers, date: new Date(Date.now() - 60_000).toUTCString() } }),
      ["the clocks agree"],
    ],
    [
      "a caller without permissions",
      (reply, { path }) => (path.endsWith("/me") ? { body: "{}" } : reply),
      ["the token is accepted"],
    ],
    [
      "a plant that can be created twice",
      (reply, { method }) => (method === "POST" && reply.status === 409 ? { status: 200, body: "{}" } : reply),
      ["a plant is created once, listed and deleted"],
    ],
    [
      "a list that misses plants",
      (reply, { method, path }) => (method === "GET" && path.startsWith("/plants?") ? { body: "[]" } : reply),
      ["a plant is created once, listed and deleted"],
    ],
    [
      "a list that fails",
      (reply, { path }) => (path.endsWith("/erasure") ? { status: 500 } : reply),
      ["the integration's lists answer"],
    ],
    [
      "forged webhooks that are taken",
      (reply, { path }) => (path.startsWith("/hooks/") ? { status: 200, body: '{"received":true}' } : reply),
      ["a webhook with a forged signature is 400"],
    ],
  ])("%s", async (_name, change, expected) => {
    broken = change;
    expect(await failing()).toEqual(expected.map((title) => `${title}: Mismatch`));
  });

  it("browsers of any origin", async () => {
    broken = (reply) => reply;
    anyOrigin = true;
    expect(await failing()).toEqual(["browsers of the origin may call the API, others may not: Mismatch"]);
  });
});
