import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "@jest/globals";

const infra = join(import.meta.dirname, "..", "..", "infra");

/** A checkout with a lock file, and an npm that fails as told. Returns what the bootstrap prints there. */
const bootstrapWith = (npmError: string) => {
  const checkout = mkdtempSync(join(tmpdir(), "checkout-"));
  mkdirSync(join(checkout, "infra"));
  copyFileSync(join(infra, "bootstrap.mjs"), join(checkout, "infra", "bootstrap.mjs"));
  writeFileSync(join(checkout, "package-lock.json"), '{"packages":{"":{},"node_modules/zod":{"version":"4.6.7"}}}');
  const npm = join(checkout, "npm.cjs");
  writeFileSync(npm, `console.error(${JSON.stringify(npmError)}); process.exit(${npmError === "" ? 0 : 1});`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(checkout, "infra", "bootstrap.mjs")], {
    encoding: "utf8",
    env: { npm_execpath: npm, npm_node_execpath: process.execPath },
  });
  return { status, stdout, lines: stderr.trim().split("\n"), checkout };
};

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
