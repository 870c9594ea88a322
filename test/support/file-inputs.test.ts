import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { extract } from "./file-inputs.ts";

const root = join(import.meta.dirname, "..", "..");
const inputsOf = (file: string, code = "") => [...extract(code, join(root, file), () => new Set(["imported"]))];

describe("the inputs of a file", () => {
  it("are its imports, and for a test the locked packages", () => {
    expect(inputsOf("shared/json/text.ts")).toEqual(["imported"]);
    expect(inputsOf("test/docs.test.ts")).toEqual(["imported", "../package-lock.json", "../jest.config.js"]);
  });

  it("are the sources of all functions if it runs the assembly", () => {
    for (const file of ["test/support/assembly.ts", "infra/build.ts"])
      expect(inputsOf(file).filter((input) => /functions\/plants\/create-plant\.ts$/.test(input))).toHaveLength(1);
  });

  it("are the files that it joins to its own folder, and those of a folder", () => {
    const page = 'readFileSync(join(import.meta.dirname, "..", "docs", "api.md"))';
    expect(inputsOf("test/page.ts", page)).toEqual(["imported", "../docs/api.md"]);
    const folder = 'const all = join(import.meta.dirname, "../../shared/json");';
    expect(inputsOf("test/infra/all.ts", folder)).toContain("../../shared/json/text.ts");
    expect(inputsOf("test/infra/all.ts", 'join(import.meta.dirname, "../../.build/assembly")')).toEqual(["imported"]);
  });

  it("are the service and every page if it is a test that joins the checkout", () => {
    const code = 'const root = join(import.meta.dirname, "..", "..");';
    expect(inputsOf("test/infra/one.test.ts", code)).toEqual(
      expect.arrayContaining(["../../docs/api.md", "../../infra/app.ts"]),
    );
    expect(inputsOf("test/support/one.ts", code)).toEqual(["imported"]);
  });
});
