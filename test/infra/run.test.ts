import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "@jest/globals";
import { newDirectory } from "../support/temporary-directory.ts";

const infra = join(import.meta.dirname, "..", "..", "infra");

const LOCK = '{"packages":{"":{},"node_modules/zod":{"version":"4.6.7"}}}';

/** A checkout with a lock file, in which `installed` is the lock file of `node_modules`. */
const makeCheckout = (installed: string) => {
  const checkout = newDirectory("checkout-");
  for (const folder of ["infra", "node_modules/.bin"]) mkdirSync(join(checkout, folder), { recursive: true });
  for (const file of ["run.cjs", "check-node.cjs", "bootstrap.cjs"])
    copyFileSync(join(infra, file), join(checkout, "infra", file));
  writeFileSync(join(checkout, "package-lock.json"), LOCK);
  writeFileSync(join(checkout, "node_modules/.package-lock.json"), installed);
  return checkout;
};

/** Runs a command with an npm that fails as told. Returns what the bootstrap prints there. */
const bootstrapWith = (npmError: string) => {
  const checkout = makeCheckout("{}");
  const npm = join(checkout, "npm.cjs");
  writeFileSync(npm, `console.error(${JSON.stringify(npmError)}); process.exit(${npmError === "" ? 0 : 1});`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(checkout, "infra", "run.cjs"), "program.ts"], {
    encoding: "utf8",
    env: { npm_execpath: npm, npm_node_execpath: process.execPath },
  });
  return { status, stdout, lines: stderr.trim().split("\n"), checkout };
};

describe("the runner of commands", () => {
  /** A Node that cannot replace its process, as any before 22.15. */
  const OLDER = ["--import", "data:text/javascript,process.execve=undefined"];

  it.each([
    ["in its place", []],
    ["as a child of an older Node", OLDER],
  ])("starts the program %s, with its arguments, exit code and signals", async (_, options) => {
    const checkout = makeCheckout(LOCK);
    const program = join(checkout, "program.mjs");
    writeFileSync(
      program,
      `process.on("SIGINT", () => process.exit(3)); setInterval(() => {}, 1_000);
       console.log(process.argv.slice(2).join(), process.execArgv.join());`,
    );
    const start = async (signal: NodeJS.Signals) => {
      const args = [...options, join(checkout, "infra", "run.cjs"), "--no-warnings", program, "a b", "--help"];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      const [printed] = await once(child.stdout, "data");
      child.kill(signal);
      return [String(printed), ...(await once(child, "exit"))];
    };
    expect(await start("SIGINT")).toEqual(["a b,--help --no-warnings\n", 3, null]);
    expect((await start("SIGTERM")).slice(1)).toEqual([null, "SIGTERM"]);
  });

  it("prints the comment of a program as the command's help", () => {
    const program = join(makeCheckout("{}"), "program.ts");
    writeFileSync(program, "/**\n * `npm run x`: does it.\n *\n *   npm run x -- 1   once\n */\nimport x;");
    const args = [join(infra, "run.cjs"), "--comment-is-help", "--no-warnings", program, "--help"];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect([status, stdout]).toEqual([0, "`npm run x`: does it.\n\n  npm run x -- 1   once\n"]);
  });
});

describe("the installation before a command", () => {
  it("says in one sentence that the network is missing", () => {
    const { status, stdout, lines } = bootstrapWith(
      "npm error code ENOTFOUND\nnpm error request to https://r.example/",
    );
    expect([status, stdout]).toEqual([1, ""]);
    expect(lines).toEqual([
      "Installing 1 packages (npm ci), which takes about half a minute …",
      "npm cannot reach the package registry (ENOTFOUND): connect to the network, and run the command again",
    ]);
  });

  it("says in one sentence that files cannot be written", () => {
    const { status, lines, checkout } = bootstrapWith("npm error code EACCES\nnpm error syscall mkdir");
    expect(status).toBe(1);
    expect(lines.slice(1)).toEqual([
      `npm cannot write ${join(checkout, "node_modules")} or its cache (EACCES): allow it for this user, or free some space`,
    ]);
  });

  it("prints npm's own message of any other failure", () => {
    const { status, lines } = bootstrapWith("npm error code EINTEGRITY");
    expect(status).toBe(1);
    expect(lines.slice(1)).toEqual([
      "npm error code EINTEGRITY",
      "npm ci failed: its message stands above, and nothing was started",
    ]);
  });

  it("is refused in one sentence by a Node that is too old", () => {
    const printed: string[] = [];
    const check = (node: string) => {
      const exits: number[] = [];
      runInNewContext(readFileSync(join(infra, "check-node.cjs"), "utf8"), {
        process: { versions: { node }, exit: (code: number) => exits.push(code) },
        console: { error: (line: string) => printed.push(line) },
      });
      return exits;
    };
    expect([check("18.20.8"), check("6.17.1"), check("20.0.0"), check("24.21.0")]).toEqual([[1], [1], [], []]);
    expect(printed[0]).toBe(
      "Node 18.20.8 is too old: install Node 20 or newer (the newest LTS from nodejs.org), and run the command again",
    );
  });
});
