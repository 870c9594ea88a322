import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { hashInputs } from "../../infra/input-hash.ts";
import { reuseAssembly } from "../../infra/prepare-assembly.ts";
import { newDirectory } from "../support/temporary-directory.ts";

let directory: string;
beforeEach(() => {
  directory = newDirectory("inputs-");
});

describe("the hash of the inputs", () => {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  };
  const hash = (options?: unknown) => hashInputs(directory, options);
  beforeEach(() => {
    write("functions/plants/create-plant.ts", "export {};");
    write("shared/plants/plant.ts", "export {};");
    write("infra/build.ts", "export {};");
    write("infra/local/start/start.ts", "export {};");
    write("package-lock.json", "{}");
  });

  it("is the same for the same files and options", () => {
    expect(hash({ context: { stage: "dev" } })).toBe(hash({ context: { stage: "dev" } }));
  });

  it.each(["functions/plants/create-plant.ts", "shared/plants/plant.ts", "infra/build.ts", "package-lock.json"])(
    "changes with the contents of %s",
    (file) => {
      const before = hash();
      write(file, "export { };");
      expect(hash()).not.toBe(before);
    },
  );

  it("changes with a file that is added, moved or removed", () => {
    const hashes = [hash()];
    write("shared/plants/tag.ts", "export {};");
    hashes.push(hash());
    rmSync(join(directory, "shared/plants/tag.ts"));
    write("shared/plants/label.ts", "export {};");
    hashes.push(hash());
    expect(new Set(hashes).size).toBe(3);
    rmSync(join(directory, "shared/plants/label.ts"));
    expect(hash()).toBe(hashes[0]);
  });

  it("changes when text moves from one file to the next", () => {
    write("shared/a.ts", "ab");
    write("shared/b.ts", "c");
    const before = hash();
    write("shared/a.ts", "a");
    write("shared/b.ts", "bc");
    expect(hash()).not.toBe(before);
  });

  it("changes with the options", () => {
    expect(hash({ context: { RETENTION_DAYS: "30" } })).not.toBe(hash({ context: {} }));
  });

  it("ignores the local cloud's code, which only runs the assembly", () => {
    const before = hash();
    write("infra/local/start/start.ts", "changed");
    expect(hash()).toBe(before);
  });
});

describe("an assembly", () => {
  let synthesised = 0;
  /** Synthesises a template with this text, unless the directory has an assembly of the same inputs. */
  const reuse = (options: unknown, text: string) =>
    reuseAssembly(join(directory, "assembly"), options, async (outputDirectory) => {
      synthesised++;
      mkdirSync(outputDirectory);
      writeFileSync(join(outputDirectory, "stack.template.json"), text);
    });
  const template = () => join(directory, "assembly", "stack.template.json");
  beforeEach(() => {
    synthesised = 0;
  });

  it("is synthesised once for the same inputs", async () => {
    await reuse({}, "{}");
    expect(await reuse({}, "other")).toBe(join(directory, "assembly"));
    expect([synthesised, readFileSync(template(), "utf8")]).toEqual([1, "{}"]);
  });

  it("is replaced when the options change", async () => {
    await reuse({ stage: "dev" }, "{}");
    await reuse({ stage: "prod" }, "other");
    expect([synthesised, readFileSync(template(), "utf8")]).toEqual([2, "other"]);
  });

  it("stays in place when the new one is equal, because a local cloud may be running it", async () => {
    await reuse({ stage: "dev" }, "{}");
    const before = statSync(template()).ino;
    await reuse({ stage: "prod" }, "{}");
    await reuse({ stage: "prod" }, "{}");
    expect([synthesised, statSync(template()).ino]).toEqual([2, before]);
  });

  it("stays unchanged when the synthesis fails, and the next call synthesises again", async () => {
    await reuse({}, "{}");
    const fail = () => Promise.reject(new Error("bad context"));
    await expect(reuseAssembly(join(directory, "assembly"), { stage: "x" }, fail)).rejects.toThrow("bad context");
    expect(readFileSync(template(), "utf8")).toBe("{}");
    await reuse({ stage: "x" }, "other");
    expect(synthesised).toBe(2);
    expect(readdirSync(directory)).toEqual(["assembly"]);
  });
});
