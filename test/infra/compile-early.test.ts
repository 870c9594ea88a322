import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "@jest/globals";
import esbuild from "esbuild";
import { bundleDirectory, sourceMapPath } from "../../infra/bundling/bundle-directory.ts";
import calledAtStart from "../../infra/bundling/called-at-start.json" with { type: "json" };
import { compileEarly, type MappedBundle, packageFunctions } from "../../infra/bundling/compile-early.ts";
// Waits until the functions are built.
import "../support/assembly.ts";

const minify = async (source: string, sourcefile = "../../node_modules/pack/index.js"): Promise<MappedBundle> =>
  esbuild.transform(source, { minify: true, sourcemap: "external", sourcefile });

const PACKAGE = `
const one = () => 1;
const two = function () { return 2; };
const list = [() => 3, (x) => (y) => x + y, async () => 5];
const methods = { four() { return 4; }, get six() { return 6; } };
function seven() { return 7; }
result = [one(), two(), list[0](), list[1](2)(3), methods.four(), methods.six, seven(), one.name, list.length];
`;

const resultOf = (code: string): unknown => {
  const context: { result?: unknown } = {};
  runInNewContext(code, context);
  return JSON.stringify(context.result);
};

describe("functions in parentheses", () => {
  it("are expressions of packages; methods and declarations stay", async () => {
    const bundle = await minify(PACKAGE);
    const positions = [...packageFunctions(bundle).keys()].map((name) => name.replace("pack/index.js ", ""));
    expect(positions).toEqual(["1:12", "2:12", "3:14", "3:24", "3:31", "3:44"]);
    const { code } = compileEarly(bundle, { "pack/index.js": positions });
    expect(code).toContain("[(()=>3),(");
    expect(code).toContain("(function(){return 2})");
    expect(resultOf(code)).toBe(resultOf(bundle.code));
  });

  it("keep their places in the source map", async () => {
    const bundle = await minify(PACKAGE);
    const before = [...packageFunctions(bundle).keys()];
    const early = compileEarly(bundle, { "pack/index.js": ["1:12", "3:14", "3:24", "3:31"] });
    expect([...packageFunctions(early).keys()]).toEqual(before);
  });

  it("are none where the list names other functions, and none of the service's own", async () => {
    const bundle = await minify(PACKAGE);
    expect(compileEarly(bundle, { "pack/index.js": ["9:9"], "other.js": ["1:12"] }).code).toBe(bundle.code);
    expect(packageFunctions(await minify(PACKAGE, "../../shared/own.ts"))).toEqual(new Map());
  });
});

const plantBundles = ["create-plant", "list-plants", "delete-plant"].map((name): MappedBundle => {
  const code = readFileSync(join(bundleDirectory(name), "bundle.cjs"));
  return { code: code.toString(), map: readFileSync(sourceMapPath(code), "utf8") };
});

describe("the plant endpoints' bundles", () => {
  const spans = plantBundles.flatMap((bundle) =>
    [...packageFunctions(bundle)].map(([name, { start, end }]) => {
      const isEarly = bundle.code[start - 1] === "(" && bundle.code[end] === ")";
      return [name, isEarly] as const;
    }),
  );
  const early = new Set(spans.flatMap(([name, isEarly]) => (isEarly ? name : [])));
  const listed = Object.entries(calledAtStart).flatMap(([file, ofFile]) => ofFile.map((at) => `${file} ${at}`));

  // A package was upgraded: run `npm run called-at-start`.
  it("have every listed function in parentheses", () => {
    expect(listed.filter((name) => !early.has(name))).toEqual([]);
    expect(listed.length).toBeGreaterThan(300);
  });
});
