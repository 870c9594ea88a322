import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { reuseAssembly } from "../../infra/prepare-assembly.ts";
// Waits until the functions are built.
import "./assembly.ts";

const root = join(import.meta.dirname, "..", "..");
const guardedFunction = join(import.meta.dirname, "guarded-function");
const synthesiser = join(import.meta.dirname, "synthesise-stack.ts");

/** Runs a program of the CDK in another process, because the CDK loads ten times slower in jest. */
const run = (program: string, args: string[] = [], env: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, [program, ...args], { env: { ...process.env, ...env } });

/**
 * The service's assembly with other context keys, reused from earlier runs. Do not change it.
 * @returns the assembly's directory
 */
export const synthesiseWith = (name: string, context: Readonly<Record<string, string>>): Promise<string> =>
  reuseAssembly(join(root, ".build", `assembly-${name}`), { context }, (outputDirectory) =>
    run(join(root, "infra", "app.ts"), [], {
      CDK_OUTDIR: outputDirectory,
      CDK_CONTEXT_JSON: JSON.stringify(context),
    }),
  );

/**
 * The service's assembly with an extra function, `GET /guarded`, that makes a guarded call. Reused from earlier runs.
 * Do not change it. @returns the assembly's directory
 */
export const synthesiseGuarded = (): Promise<string> => {
  const files = globSync("*.ts", { cwd: guardedFunction }).sort();
  const sources = files.map((file) => readFileSync(join(guardedFunction, file), "utf8"));
  return reuseAssembly(join(root, ".build", "assembly-guarded"), { sources }, (outputDirectory) =>
    run(join(guardedFunction, "assembly.ts"), [outputDirectory]),
  );
};

/**
 * The assembly of a stack that a module's function `fill` adds constructs to. Reused from earlier runs. Do not change it.
 * @param module the module's path @returns the assembly's directory
 */
export const synthesiseStack = (module: string): Promise<string> => {
  const name = relative(join(root, "test"), module).replace(/\.ts$/, "").replaceAll("/", "-");
  const files = [module, join(import.meta.dirname, "add-function-with.ts"), synthesiser];
  const sources = files.map((file) => readFileSync(file, "utf8"));
  return reuseAssembly(join(root, ".build", `assembly-${name}`), { sources }, (outputDirectory) =>
    run(synthesiser, [module, outputDirectory]),
  );
};
