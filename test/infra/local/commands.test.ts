import { execFile } from "node:child_process";
import { truncateSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { openDataDirectory } from "../../../infra/local/data-directory/open-data-directory.ts";
import { listen } from "../../../infra/local/http/listen.ts";
import { makeUsedDirectory } from "./data-directory/used-directory.ts";

const run = promisify(execFile);
const directory = join(import.meta.dirname, "..", "..", "..", "infra", "local");

/** Runs a command of the local cloud to its end. `code` is 0 if it succeeds. */
const command = async (file: string, args: string[], env: Record<string, string> = {}) => {
  try {
    return { code: 0, ...(await run(process.execPath, [join(directory, file), ...args], { env })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
};

describe("npm start", () => {
  it.each([
    [{ PORT: "http" }, /^PORT is "http": expected a number from 1 to 65535\n$/],
    [{ PORT: "65536" }, /^PORT is "65536"/],
    [{ PORT: "1", DYNAMODB_ENDPOINT: "localhost:8000" }, /^DYNAMODB_ENDPOINT is "localhost:8000": expected a URL/],
  ])("refuses %j in one line", async (env, message) => {
    const { code, stderr } = await command("start.ts", [], env);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it("refuses malformed settings of the deployment before it builds", async () => {
    const { code, stdout, stderr } = await command("start.ts", [], { ROLE_MAPPING: "owner=admin" });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("roleMapping");
  });

  it("reports in one line that its port is in use, before it builds", async () => {
    const other = await listen(createServer(), 0);
    const { code, stdout, stderr } = await command("start.ts", [], { PORT: String(other.port) });
    await other.close();
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(`port ${other.port} is taken: stop what listens there, or choose another with PORT=…\n`);
  });

  it("names a damaged file of its data directory, or the process that uses it, before it builds", async () => {
    const directory = await makeUsedDirectory();
    const { port, close } = await listen(createServer(), 0);
    await close();
    const start = () => command("start.ts", [], { PORT: String(port), LOCAL_DATA_DIR: directory });
    const data = await openDataDirectory(directory);
    expect(await start()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(`is in use by another local cloud \\(process ${process.pid}\\): stop it`),
      ),
    });
    data.release();
    truncateSync(join(directory, "queues.sqlite"));
    expect(await start()).toEqual({
      code: 1,
      stdout: "",
      stderr:
        `${join(directory, "queues.sqlite")} is empty: restore the file from a backup, ` +
        `or delete the whole directory ${directory} to start anew\n`,
    });
  });

  it("prints its usage, and refuses unknown options", async () => {
    expect((await command("start.ts", ["--help"])).stdout).toContain("LOCAL_DATA_DIR");
    expect(await command("start.ts", ["--prot"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^.*--prot.*\n$/),
    });
  });
});

describe("npm run token", () => {
  it("prints its usage", async () => {
    expect(await command("token.ts", ["--help"])).toMatchObject({ code: 0, stdout: expect.stringContaining("--org") });
  });

  it.each([
    [["--claim", "novalue"], "expected NAME=VALUE"],
    [["--expires-in", "soon"], "expected whole seconds"],
    [["--orgs", "acme"], "--orgs"],
    [["acme"], "acme"],
  ])("refuses %j in one line", async (args, message) => {
    const { code, stdout, stderr } = await command("token.ts", args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(message);
  });
});
