/** The flags that the runtime starts Node with, as the deployment reports and trims them (context key `nodeFlags`). */
import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { bundleDirectory, START_RUNTIME } from "../../infra/bundling/bundle-directory.ts";
// Waits until the functions are built.
import "../support/assembly.ts";

const directory = bundleDirectory("list-plants");
const wrapper = join(directory, START_RUNTIME);
const PRINT_FLAGS = ["--eval", "console.log(JSON.stringify([process.execArgv, process.argv.slice(1)]))"];

const flagsOf = async (...flags: string[]): Promise<[string[], string[]]> => {
  const command = [process.execPath, ...flags, ...PRINT_FLAGS, "one two", "--expose-gc=", ""];
  return JSON.parse((await promisify(execFile)(wrapper, command)).stdout);
};

describe("the program that starts the runtime", () => {
  it("is in a function's folder and may be executed", () => {
    expect(statSync(wrapper).mode & 0o111).toBe(0o111);
  });

  it("removes the one flag, and keeps all others and their order", async () => {
    const [flags, rest] = await flagsOf("--expose-gc", "--max-http-header-size", "81920", "--max-old-space-size=900");
    expect(flags).toEqual(["--max-http-header-size", "81920", "--max-old-space-size=900", ...PRINT_FLAGS.slice(0, 2)]);
    expect(rest).toEqual(["one two", "--expose-gc=", ""]);
  });
});

describe("a cold start", () => {
  // Without the rest of its environment the function cannot start, but the flags are reported first.
  const reportOf = async (environment: Record<string, string>): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", join(directory, "index.mjs")], {
      env: environment,
    }).catch((error: { stdout: string }) => error);
    return stdout;
  };

  it("reports its flags in one line of the log where the deployment asks for it", async () => {
    const line = JSON.parse(await reportOf({ REPORT_NODE_FLAGS: "true" }));
    expect(line).toEqual({ level: "debug", message: "cold start", nodeFlags: ["--expose-gc"] });
    expect(await reportOf({})).toBe("");
  });
});
