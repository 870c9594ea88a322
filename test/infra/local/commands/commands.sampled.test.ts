import { execFile } from "node:child_process";
import { truncateSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { openDataDirectory } from "../../../../infra/local/data-directory/open-data-directory.ts";
import { listen } from "../../../../infra/local/http/listen.ts";
import { deepIt } from "../../../support/deep-it.ts";
import { sampleOf } from "../../../support/depth.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";
import { makeUsedDirectory } from "../data-directory/used-directory.ts";

const run = promisify(execFile);
const directory = join(import.meta.dirname, "..", "..", "..", "..", "infra", "local");

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
  const mistakes = [
    [{ PORT: "http" }, 'the environment variable PORT is "http": expected a whole number from 1 to 65535'],
    [{ PORT: "65536" }, 'the environment variable PORT is "65536": expected a whole number from 1 to 65535'],
    [
      { DYNAMODB_ENDPOINT: "localhost:8000" },
      'the environment variable DYNAMODB_ENDPOINT is "localhost:8000": expected a URL such as http://127.0.0.1:8000',
    ],
    [
      { SECURITY_LOG_LEVEL: "loud" },
      'the environment variable SECURITY_LOG_LEVEL is "loud": expected low, medium, high or critical',
    ],
  ] as const;
  it.each(sampleOf(mistakes, 1))("refuses %j in one line, before it builds", async (env, message) => {
    expect(await command("start/start.ts", [], env)).toEqual({ code: 1, stdout: "", stderr: `${message}\n` });
  });

  it("reports in one line which process uses its port and which port is free, before it builds", async () => {
    const other = await listen(createServer(), 0);
    const result = await command("start/start.ts", [], { PORT: String(other.port) });
    await other.close();
    expect(result).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        new RegExp(
          `^port ${other.port} is taken by process ${process.pid} \\(node\\): stop it, ` +
            "or choose another with the environment variable PORT, such as PORT=\\d+\n$",
        ),
      ),
    });
  });

  deepIt(
    "names in one line the package of the engine that the platform misses, or an endpoint that does not answer",
    async () => {
      const { port, close } = await listen(createServer(), 0);
      await close();
      const start = (env: Record<string, string>) =>
        command("start/start.ts", [], {
          PORT: String(port),
          LOCAL_DATA_DIR: newDirectory("data-"),
          ...env,
        });
      const onMips = "--import=data:text/javascript,Object.defineProperty(process,'arch',{value:'mips'})";
      const onArm = onMips.replace("mips", process.arch === "arm64" ? "x64" : "arm64");
      const refused = (message: RegExp) => ({ code: 1, stdout: "", stderr: expect.stringMatching(message) });
      expect(await start({ NODE_OPTIONS: onMips })).toEqual(
        refused(/^the embedded DynamoDB engine does not exist for [^\n]+\n$/),
      );
      expect(await start({ NODE_OPTIONS: onArm })).toEqual(
        refused(
          /^the embedded DynamoDB engine for \S+ \(package @dynoxide\/\S+\) is not installed: run `npm [^\n]+\n$/,
        ),
      );
      expect(await start({ DYNAMODB_ENDPOINT: "http://127.0.0.1:9" })).toEqual(
        refused(
          /^the environment variable DYNAMODB_ENDPOINT is "http:\/\/127.0.0.1:9", which does not answer: [^\n]+\n$/,
        ),
      );
    },
  );

  it("names a damaged file of its data directory, or the process that uses it, before it builds", async () => {
    const directory = await makeUsedDirectory();
    const { port, close } = await listen(createServer(), 0);
    await close();
    const start = () => command("start/start.ts", [], { PORT: String(port), LOCAL_DATA_DIR: directory });
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
        `or delete the whole directory ${directory} to start over\n`,
    });
  });

  it("prints its usage, and refuses unknown options", async () => {
    expect((await command("start/start.ts", ["--help"])).stdout).toContain("LOCAL_DATA_DIR");
    expect(await command("start/start.ts", ["--prot"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^.*--prot.*\n$/),
    });
  });
});

describe("npm run token", () => {
  it("prints its usage", async () => {
    expect(await command("commands/token.ts", ["--help"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("--org"),
    });
  });

  const mistakes: readonly [string[], string][] = [
    [["--claim", "novalue"], "expected NAME=VALUE"],
    [["--expires-in", "soon"], "expected whole seconds"],
    [["--orgs", "acme"], "Unknown option '--orgs': --help lists the options\n"],
    [["acme"], "acme"],
  ];
  it.each(sampleOf(mistakes, 1))("refuses %j in one line", async (args, message) => {
    const { code, stdout, stderr } = await command("commands/token.ts", args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(message);
  });
});
