import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { runAsk } from "../../../../infra/local/commands/run-ask.ts";
import type { RunningStack } from "../../../../infra/local/commands/stack-file.ts";
import { startJsonServer } from "../../../../infra/local/http/json-server.ts";
import type { Listening } from "../../../../infra/local/http/listen.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

const NOW = Date.parse("2026-11-22T14:00:00Z");
const unknownPath = () => ({ status: 404, body: { error: 40402, message: "No." } });
const PATHS = { "/plants": {}, "/api/integrations/provider/records/{type}": {} };
const REFUSAL = { error: 40301, message: "The role guest does not have the permission security:read." };

/** One server with the routes of the API, the issuer and the control server. */
let server: Listening;
let stack: RunningStack;
beforeAll(async () => {
  server = await startJsonServer({
    onError: (error) => {
      throw error;
    },
    routes: {
      "POST /token": ({ body }) => ({ status: 200, body: { access_token: JSON.stringify(body) } }),
      "GET /": () => ({ status: 200, body: { now: NOW } }),
      "GET /plants": () => ({ status: 200, body: [{ id: 1, createdAt: NOW - 60_000 }] }),
      "POST /plants": ({ body }) => ({ status: 200, body }),
      "GET /api/integrations/provider/security": () => ({ status: 403, body: REFUSAL }),
      "GET /api/integrations/provider/plants": unknownPath,
      "GET /plant": unknownPath,
      "GET /api/integrations/provider/record/invoices": unknownPath,
      "GET /api/integrations/provider/weather": unknownPath,
      "GET /openapi.json": () => ({ status: 200, body: { errors: [40402], paths: PATHS } }),
      "GET /exact": () => ({ status: 200, body: { id: JSON.rawJSON("9007199254740993") } }),
      "GET /broken": () => ({ status: 500, body: {} }),
    },
  });
  const { url } = server;
  const urls = { apiUrl: url, issuerUrl: url, controlUrl: url, providerUrl: url, dynamodbUrl: url };
  stack = { ...urls, jwksUrl: url, audience: "a", tables: [], pid: process.pid };
});
afterAll(() => server.close());

const ask = async (args: string[], options: { isTerminal?: boolean; stack?: RunningStack | undefined } = {}) => {
  const written = { out: "", error: "" };
  const code = await runAsk(args, {
    stack: "stack" in options ? options.stack : stack,
    isTerminal: options.isTerminal ?? false,
    paint: (_format, text) => text,
    writeOut: (text) => {
      written.out += text;
    },
    writeError: (text) => {
      written.error += text;
    },
  });
  return { code, ...written };
};

describe("npm run ask", () => {
  it("shows status, caller and indented JSON with readable times on a terminal", async () => {
    const { code, out, error } = await ask(["/plants"], { isTerminal: true });
    expect([code, error]).toEqual([0, ""]);
    expect(out).toMatch(/^200 OK {2}GET \/plants {2}as demo\/admin\/ada {2}\d+ ms\n/);
    expect(out).toContain(`"createdAt": ${NOW - 60_000}  // 2026-11-22T13:59:00.000Z, 1 min ago`);
  });

  it("prints only the body to a pipe, and to a terminal with --raw", async () => {
    const body = `${JSON.stringify([{ id: 1, createdAt: NOW - 60_000 }])}\n`;
    expect(await ask(["/plants"])).toEqual({ code: 0, out: body, error: "" });
    expect(await ask(["/plants", "--raw"], { isTerminal: true })).toEqual({ code: 0, out: body, error: "" });
    expect((await ask(["/plants", "--pretty"])).out).toContain("200 OK");
  });

  it("shows an answer without a body, and 64-bit integers with all digits", async () => {
    expect((await ask(["HEAD", "/plants"], { isTerminal: true })).out).toMatch(/^200 OK {2}HEAD \/plants .* ms\n$/);
    expect((await ask(["/exact"], { isTerminal: true })).out).toContain('{ "id": 9007199254740993 }');
  });

  it("sends the body as it was given", async () => {
    expect((await ask(["/plants", '{"a":1.0}'])).out).toBe('{"a":1}\n');
  });

  it("ends with the class of a failure, whose body and status both stay", async () => {
    const refused = await ask(["security", "--as", "acme/guest"]);
    expect([refused.code, JSON.parse(refused.out)]).toEqual([4, REFUSAL]);
    expect(refused.error).toMatch(
      /^403 Forbidden {2}GET \/api\/integrations\/provider\/security {2}as acme\/guest\/ada/,
    );
    expect((await ask(["/broken"])).code).toBe(5);
  });

  it.each([
    ["plants", "Did you mean /plants?"],
    ["/plant?limit=1", "Did you mean /plants?"],
    ["record/invoices", "Did you mean records/invoices?"],
    ["weather", "/docs shows all paths; one without a slash in front is below /api/integrations/provider/."],
  ])("names the path of the API that is like the unknown path %s", async (path, hint) => {
    const { code, error } = await ask([path]);
    expect([code, error]).toEqual([4, expect.stringContaining(`${hint}\n`)]);
  });

  it("gives no hint for an answer that is no failure", async () => {
    expect((await ask(["/openapi.json"])).error).toBe("");
  });

  it("picks one value, and names the fields that exist if it is missing", async () => {
    expect(await ask(["/plants", "--pick", "0.createdAt"])).toEqual({ code: 0, out: `${NOW - 60_000}\n`, error: "" });
    expect((await ask(["/plants", "--pick", "last.id"])).out).toBe("1\n");
    expect((await ask(["/exact", "--pick", "id"])).out).toBe("9007199254740993\n");
    await expect(ask(["HEAD", "/plants", "--pick", "id"])).rejects.toThrow("--pick id: the answer is not JSON");
    await expect(ask(["/plants", "--pick", "0.name"])).rejects.toThrow(
      "--pick 0.name: the answer has no name; there is: id, createdAt",
    );
  });

  it("saves the body to a file", async () => {
    const file = join(newDirectory("ask-"), "plants.json");
    const { code, out, error } = await ask(["/plants", "-o", file]);
    expect([code, out, error]).toEqual([0, "", expect.stringMatching(/^\d+ bytes are in file:\/\/.*plants\.json\n$/)]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toHaveLength(1);
  });

  it("shows all headers on demand", async () => {
    expect((await ask(["/plants", "--headers"])).error).toMatch(/^200 OK .*\n(?:.*\n)*cache-control: no-store\n/);
  });

  it("says in one line that no local cloud runs, or that it has ended", async () => {
    const { pid: _pid, ...rest } = stack;
    await expect(ask(["/plants"], { stack: undefined })).rejects.toThrow(
      "the local cloud does not run: start it with npm start in another terminal",
    );
    // Above the largest process id of Linux, so that no process has it.
    await expect(ask(["/plants"], { stack: { ...rest, pid: 2 ** 22 + 1 } })).rejects.toThrow(
      /^\.local\/stack\.json is of a local cloud that has ended \(process 4194305\): run npm start again$/,
    );
  });
});
