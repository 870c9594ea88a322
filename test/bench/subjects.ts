import { join } from "node:path";
import esbuild, { type BuildOptions } from "esbuild";
import { lambdaAliases } from "../../infra/bundling/bundle-aliases.ts";
import { bundleOptions } from "../../infra/bundling/bundle-functions.ts";

const subject = (file: string) => join(import.meta.dirname, "subjects", file);
const functions = join(import.meta.dirname, "..", "..", "functions", "plants");

const bundle = async (entry: string, outfile: string, options: BuildOptions): Promise<string> => {
  await esbuild.build({ entryPoints: [entry], outfile, logLevel: "error", ...options });
  return outfile;
};

/** esbuild's defaults for an ES module on Node. CommonJS packages need the banner. */
const naiveOptions: BuildOptions = {
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
};

/** Builds the subjects that the product is compared with into a directory. Each is a file to load. */
export const buildSubjects = async (directory: string) => {
  const naive = (name: string) =>
    bundle(join(functions, `${name}.ts`), join(directory, "naive", `${name}.mjs`), naiveOptions);
  return {
    bare: subject("bare.mjs"),
    floor: await bundle(subject("floor.mjs"), join(directory, "floor.cjs"), bundleOptions),
    floorWithSdk: await bundle(subject("floor-with-sdk.mjs"), join(directory, "floor-with-sdk.cjs"), {
      ...bundleOptions,
      plugins: [lambdaAliases({ mustAllMeet: false })],
    }),
    naive: {
      "POST /plants": await naive("create-plant"),
      "GET /plants": await naive("list-plants"),
      "DELETE /plants/{id}": await naive("delete-plant"),
    },
  };
};
