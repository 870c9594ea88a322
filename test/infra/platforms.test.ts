/** Checks docs/platforms.md for the platforms that are not this machine's. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { requireChromium } from "../support/chromium.ts";

type Locked = { optional?: boolean; os?: string[]; cpu?: string[]; integrity?: string };

const lock = JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "package-lock.json"), "utf8")) as {
  packages: Record<string, Locked>;
};

describe.each([
  ["linux", "x64"],
  ["linux", "arm64"],
  ["darwin", "x64"],
  ["darwin", "arm64"],
])("the lock file for %s on %s", (os, cpu) => {
  it.each([["@esbuild"], ["@biomejs"], ["@typescript"], ["@oxc-parser"], ["@oxc-resolver"]])(
    "has a native build of %s, which other platforms leave out",
    (scope) => {
      const builds = Object.entries(lock.packages).filter(
        ([path, entry]) =>
          path.startsWith(`node_modules/${scope}/`) && entry.os?.includes(os) && entry.cpu?.includes(cpu),
      );
      expect(builds.map(([, { optional, integrity }]) => [optional, integrity?.slice(0, 7)])).not.toHaveLength(0);
      for (const [, { optional, integrity }] of builds)
        expect([optional, integrity]).toEqual([true, expect.stringMatching(/^sha512-/)]);
    },
  );
});

describe("the browser of the tests", () => {
  it("comes with its package on Linux on x64, and must be named elsewhere", () => {
    delete process.env.CHROMIUM_PATH;
    expect(() => requireChromium("linux-x64")).not.toThrow();
    expect(() => requireChromium("darwin-arm64")).toThrow(
      /^the tests of web pages need a browser, and the package @sparticuz\/chromium has none for darwin-arm64: set the environment variable CHROMIUM_PATH/,
    );
  });
});
