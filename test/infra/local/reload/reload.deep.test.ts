import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { listen } from "../../../../infra/local/http/listen.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

/** `npm start` in a copy of the checkout, whose files the tests change. */
const root = join(import.meta.dirname, "..", "..", "..", "..");
const copy = newDirectory("checkout-");
const lines: string[] = [];
let service: ChildProcess;
let apiUrl = "";
let authorization = "";

/** A JSON line of the output as `source | message`, with its cause. */
const readable = (line: string): string => {
  if (!line.startsWith("{")) return line;
  const { source, message, cause = "" } = JSON.parse(line);
  return `${source} | ${message}${cause}`;
};

/** Waits for a line of the output, from a line on. */
const printed = async (pattern: RegExp, from = 0): Promise<string> => {
  for (;;) {
    const found = lines.slice(from).find((line) => pattern.test(line));
    if (found !== undefined) return found;
    if (service.exitCode !== null) throw new Error(`npm start has ended:\n${lines.join("\n")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** Saves a changed file as many editors do, by rename, and waits for a line of reload. */
const change = async (path: string, from: string | RegExp, to: string, expected: RegExp): Promise<void> => {
  const before = lines.length;
  const text = readFileSync(join(copy, path), "utf8");
  writeFileSync(join(copy, `${path}.tmp`), text.replace(from, to));
  renameSync(join(copy, `${path}.tmp`), join(copy, path));
  await printed(expected, before);
};

const plants = async (parts: RequestInit = {}, query = "") => {
  const response = await fetch(`${apiUrl}/plants${query}`, {
    ...parts,
    headers: { authorization, "content-type": "application/json" },
  });
  return { status: response.status, body: await response.json() };
};

beforeAll(async () => {
  for (const path of ["functions", "shared", "infra", "package.json", "package-lock.json", "cdk.json", "tsconfig.json"])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const { port, close } = await listen(createServer(), 0);
  await close();
  service = spawn(process.execPath, ["infra/local/start/start.ts"], {
    cwd: copy,
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [service.stdout, service.stderr])
    if (stream) createInterface({ input: stream }).on("line", (line) => lines.push(readable(line)));
  await printed(/is ready/);
  while (!existsSync(join(copy, ".local", "stack.json"))) await new Promise((resolve) => setTimeout(resolve, 50));
  apiUrl = `http://127.0.0.1:${port}`;
  const { issuerUrl } = JSON.parse(readFileSync(join(copy, ".local", "stack.json"), "utf8"));
  const answer = await fetch(`${issuerUrl}/token`, {
    method: "POST",
    body: JSON.stringify({ organizationId: "acme" }),
  });
  authorization = `Bearer ${((await answer.json()) as { access_token: string }).access_token}`;
});
afterAll(async () => {
  service.kill("SIGINT");
  await once(service, "exit");
});

const LIST = "functions/plants/list-plants.ts";
const STORE = "shared/plants/plant-store.ts";
const LIVE = /^reload \| live after [\d.]+ s: .*list-plants/;

describe("a changed file, while npm start runs", () => {
  it("is live after it is saved, and the data stay", async () => {
    const created = await plants({ method: "POST", body: '{"id":1,"name":"Fern"}' });
    expect(created).toEqual({ status: 200, body: { name: "Fern" } });
    const tagged = "return { items: items.map((one) => ({ ...one, tag: 'new' })), next:";
    await change(STORE, "return { items, next:", tagged, LIVE);
    expect(await plants()).toEqual({ status: 200, body: [{ name: "Fern", tag: "new" }] });
  });

  it("keeps the old code live while it has a syntax error or imports a missing file, and says where", async () => {
    const unexpected =
      /^reload \| shared\/plants\/plant-store\.ts:\d+:\d+: Unexpected "="\. The old code stays live\.$/;
    await change(STORE, "const page = await", "const page = = await", unexpected);
    expect((await plants()).body).toEqual([{ name: "Fern", tag: "new" }]);
    await change(STORE, "const page = = await", "const page = await missing() ?? await", LIVE);
    const unresolved =
      /^reload \| functions\/plants\/list-plants\.ts:\d+:\d+: Could not resolve "\.\.\/\S+missing\.ts"\. The old/;
    await change(LIST, "shared/plants/plant-store.ts", "shared/plants/missing.ts", unresolved);
    await change(LIST, "shared/plants/missing.ts", "shared/plants/plant-store.ts", /no function has other code/);
  });

  it("shows the source lines of a failure in the terminal, but not in the answer", async () => {
    const before = lines.length;
    const { status, body } = await plants();
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringMatching(/missing|\.ts/)]);
    await printed(/missing is not defined/, before);
    await printed(/at (async )?shared\/plants\/plant-store\.ts:\d+:\d+/, before);
  });

  it("is live with a type error", async () => {
    await change(STORE, "await missing() ?? await", "await", LIVE);
    const mistyped = 'const wrong: number = "text";\nif (wrong === 1) throw wrong;\nconst plants =';
    await change(LIST, "const plants =", mistyped, LIVE);
    expect((await plants()).body).toEqual([{ name: "Fern", tag: "new" }]);
  });

  it("asks for a restart if it belongs to the infrastructure, or changes it", async () => {
    const restart =
      /^reload \| infra\/service-stack\.ts changed, which only the next start reads\. Stop \(Ctrl\+C\) and start again\.$/;
    await change("infra/service-stack.ts", "/** The whole", "/** All of the whole", restart);
    const other =
      /another infrastructure: it adds DELETE \/plant\/\{id\}, removes DELETE \/plants\/\{id\}.*start again\.$/;
    await change("shared/api/plant-routes.ts", 'path: "/plants/{id}"', 'path: "/plant/{id}"', other);
  });

  it("asks for a restart if a new endpoint has its function, rights and route", async () => {
    copyFileSync(join(copy, LIST), join(copy, "functions/plants/get-plant.ts"));
    await printed(/get-plant\.ts becomes part of the service at the next start/);
    const right = '    getPlant: plants.may("Query"),\n    deletePlant:';
    await change("infra/constructs/grants.ts", "    deletePlant:", right, /grants\.ts changed/);
    const route = `  getPlant: {
    method: "GET",
    path: "/one/{id}",
    permission: "plants:read",
    summary: "Get a plant",
    description: "Returns a plant.",
    request: { params: z.object({ id: Int64Parameter }) },
    success: { status: 200, description: "The plant.", body: Plant },
  },
  deletePlant:`;
    await change(
      "shared/api/plant-routes.ts",
      "  deletePlant:",
      route,
      /another infrastructure: it adds .*GET \/one\/\{id\}/,
    );
  });
});
