import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "@jest/globals";
import esbuild from "esbuild";
import * as z from "zod";
import { metafilePath } from "../../infra/build.ts";
import { lambdaAliases } from "../../infra/bundling/bundle-aliases.ts";
import { apiTypesPath, bundleDirectory } from "../../infra/bundling/bundle-directory.ts";
import { bundleFunctions, bundleOptions, deferredParts, functionFiles } from "../../infra/bundling/bundle-functions.ts";
import { allRoutes } from "../../shared/api/routes.ts";
import { newDirectory } from "../support/temporary-directory.ts";
// Waits until the functions are built.
import "../support/assembly.ts";

const Metafile = z.object({
  outputs: z.record(
    z.string(),
    z.object({
      inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })),
      imports: z.array(z.object({ path: z.string(), external: z.boolean().optional() })),
    }),
  ),
});

const { outputs } = Metafile.parse(JSON.parse(readFileSync(metafilePath, "utf8")));
const bundles = Object.entries(outputs);
const root = join(import.meta.dirname, "..", "..");
const plantBundles = ["create-plant", "list-plants", "delete-plant"];
const providerBundles = ["connect-provider", "disconnect-provider", "process-webhook", "run-sync"];

describe("a bundle", () => {
  it.each(bundles)("%s contains no code that functions never use", (_file, { inputs, imports }) => {
    const files = Object.keys(inputs).filter((file) => (inputs[file]?.bytesInOutput ?? 0) > 0);
    const unwanted = [
      "@smithy/credential-provider-imds",
      "@aws-sdk/credential-provider-",
      "@aws-sdk/endpoint-cache",
      "/event-streams/",
      "/dist-es/endpoint/bdd",
      "/aws/partitions",
      "zod/v4/locales/",
      "zod/v4/classic/",
    ];
    for (const file of files.filter((one) => one.endsWith("/package.json"))) {
      expect(inputs[file]?.bytesInOutput).toBeLessThan(100);
    }
    // zod-openapi adds zod's whole API to the one function that renders the document.
    const isDocument = files.some((file) => file.includes("/zod-openapi/"));
    const found = files.filter((file) => unwanted.some((part) => file.includes(part)));
    expect(isDocument ? found.filter((file) => !file.includes("/zod/v4/")) : found).toEqual([]);
    expect(imports.map(({ path }) => path)).not.toContain("node:child_process");
    expect(imports.map(({ path }) => path)).not.toContain("child_process");
  });

  it.each(bundles)("%s requires only Node and the files in its directory", (file, { imports }) => {
    const others = imports.map(({ path }) => path).filter((path) => !isBuiltin(path));
    expect(others.filter((path) => !existsSync(join(root, dirname(file), path)))).toEqual([]);
  });

  it.each(plantBundles)("%s loads the code that records refusals at the first refusal only", (name) => {
    const bundle = bundles.find(([file]) => file.endsWith(`${name}/bundle.cjs`))?.[1];
    const files = Object.keys(bundle?.inputs ?? {});
    expect(bundle?.imports.map(({ path }) => path)).toContain("./refusals.cjs");
    expect(files.filter((file) => /client-eventbridge|security\/(alerts|recorder\.ts|redaction)/.test(file))).toEqual(
      [],
    );
  });

  it.each(plantBundles)("%s loads the client of Secrets Manager at the first use of the sealing key only", (name) => {
    const [, bundle] = bundles.find(([file]) => file.endsWith(`${name}/bundle.cjs`)) ?? [];
    expect(Object.keys(bundle?.inputs ?? {}).filter((file) => file.includes("client-secrets-manager"))).toEqual([]);
    expect(bundle?.imports.map(({ path }) => path)).toContain("./sealing-key.cjs");
  });

  it.each(plantBundles)("%s is at most 310 KB, and at most 100 KB gzipped", (name) => {
    const file = join(bundleDirectory(name), "bundle.cjs");
    expect(statSync(file).size).toBeLessThanOrEqual(310_000);
    expect(gzipSync(readFileSync(file), { level: 9 }).length).toBeLessThanOrEqual(100_000);
  });

  it.each(providerBundles)("%s, with the provider's SDK, is at most 552 KB", (name) => {
    expect(statSync(join(bundleDirectory(name), "bundle.cjs")).size).toBeLessThanOrEqual(552_000);
  });
});

describe("the console", () => {
  const directory = bundleDirectory("get-console-asset");
  const assets = readdirSync(directory).filter((file) => file.endsWith(".gz"));

  it("is at most 150 KB gzipped, with all its views", () => {
    const bytes = assets.reduce((sum, file) => sum + statSync(join(directory, file)).size, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(150_000);
  });

  it("has a hash in the name of each asset, Brotli beside gzip, and the licences of its packages", () => {
    expect(assets.filter((file) => !/\.[A-Z0-9]{8}\.(?:js|css|svg)\.gz$/.test(file))).toEqual([]);
    expect(assets.filter((file) => !existsSync(join(directory, file.replace(/gz$/, "br"))))).toEqual([]);
    expect(readFileSync(join(directory, "LICENSE.txt"), "utf8")).toMatch(/^preact\n/m);
  });

  const html = readFileSync(join(bundleDirectory("get-console"), "index.html"), "utf8");
  const bytesOf = (...names: string[]) =>
    assets
      .filter((file) => names.includes(file.split(".")[0] ?? ""))
      .reduce((sum, file) => sum + statSync(join(directory, file.replace(/gz$/, "br"))).size, 0);

  it("starts with two scripts and one style, of at most 36 KB, and nothing inline", () => {
    expect(html).toMatch(/<link rel="stylesheet" href="\/console\/assets\/main\.\w+\.css" \/>/);
    expect(html).toMatch(/<script type="module" async \S+ src="\/console\/assets\/first\.\w+\.js"><\/script>/);
    expect(html).toMatch(/<script type="module" src="\/console\/assets\/main\.\w+\.js"><\/script>/);
    const files = [...html.matchAll(/\/console\/assets\/([^"]+)"/g)].map(([, file]) => `${file}.gz`);
    expect(files).toHaveLength(3);
    expect(assets).toEqual(expect.arrayContaining(files));
    expect(html.indexOf("Loading the console")).toBeLessThan(html.indexOf('<link rel="stylesheet"'));
    expect(bytesOf("first", "main")).toBeLessThanOrEqual(36_000);
    expect(html).not.toMatch(/<script>|<style|\sstyle=|\son\w+=/);
  });

  it("asks the issuer in the first script, which is at most 8 KB and imports no other at once", () => {
    const [first = ""] = assets.filter((file) => file.startsWith("first."));
    expect(bytesOf("first")).toBeLessThanOrEqual(8_000);
    expect(gunzipSync(readFileSync(join(directory, first))).toString()).not.toMatch(/from"\.\//);
  });

  it("loads two files more for a view: its own and the one that views share, 36 KB for Events", () => {
    const text = (file: string) => gunzipSync(readFileSync(join(directory, file))).toString();
    const [shared] = assets.filter((file) => file.startsWith("shared."));
    for (const file of assets.filter((one) => one.endsWith(".js.gz"))) {
      const imported = [...text(file).matchAll(/from"\.\/([^"]+)"/g)].map(([, name = ""]) => name.replace(/\..*/, ""));
      const others = imported.filter((name) => !["first", "main", "shared"].includes(name));
      expect([file, others]).toEqual([file, []]);
      if (file === shared || file.startsWith("main.")) expect(imported).not.toContain("shared");
    }
    expect(bytesOf("shared", "events-events")).toBeLessThanOrEqual(36_000);
  });

  it("has the types of the whole API's client", () => {
    const types = readFileSync(apiTypesPath, "utf8");
    const paths = allRoutes.map(([, { path }]) => path);
    expect(paths.filter((path) => !types.includes(`"${path}": {`))).toEqual([]);
    // It has a default, so requests may leave it out.
    expect(types).toMatch(/ exceptCritical\?: boolean/);
  });
});

describe("a function file", () => {
  it.each([
    [
      "without exports",
      "console.log(1);",
      "functions/sample/sample.ts must export its handler: export const handler = …",
    ],
    ["with a syntax error", "export const = 1;", 'functions/sample/sample.ts:1:14: Expected identifier but found "="'],
    [
      "that imports a missing file",
      'export { handler } from "./missing.ts";',
      'functions/sample/sample.ts:1:25: Could not resolve "./missing.ts"',
    ],
  ])("%s fails the build with one sentence that names it", async (_, contents, message) => {
    const checkout = newDirectory("checkout-");
    for (const [file, text] of [
      ["functions/sample/sample.ts", contents],
      ["shared/runtime/prewarm.ts", "export const prewarm = async () => {};"],
      ...Object.values(deferredParts).map((part) => [part, "export {};"] as const),
    ] as const) {
      mkdirSync(dirname(join(checkout, file)), { recursive: true });
      writeFileSync(join(checkout, file), text);
    }
    const bundled = bundleFunctions(checkout, functionFiles(checkout), { isComplete: false });
    await expect(bundled).rejects.toThrow(new Error(message));
  });
});

describe("an alias", () => {
  const problemsOf = async (contents: string): Promise<string> => {
    const built = esbuild.build({
      ...bundleOptions,
      stdin: { contents, resolveDir: root },
      write: false,
      logLevel: "silent",
      plugins: [lambdaAliases()],
    });
    return built.then(() => "", String);
  };

  it("that matches no import fails the build, and the error names it", async () => {
    expect(await problemsOf("export {};")).toMatch(
      /The alias of @aws-sdk\/credential-provider-node matches no import\./,
    );
  });

  it("of a package's own file must match an import only if the bundle contains the package", async () => {
    const ownFile = "The alias of @aws-sdk/client-kms/dist-es/endpoint/endpointResolver matches no import";
    expect(await problemsOf("export {};")).not.toContain(ownFile);
    const part = join(root, "node_modules/@aws-sdk/client-kms/dist-es/models/errors.js");
    expect(await problemsOf(`export * from ${JSON.stringify(part)};`)).toContain(ownFile);
    expect(await problemsOf('export * from "@aws-sdk/client-kms";')).not.toContain(ownFile);
  });
});
