/**
 * Replaces the code of running functions when their source files change. Functions are bundled as for a deployment; data,
 * clock, queues and schedules stay. The infrastructure is read at the start only, so a change of it is reported.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { metafilePath } from "../../build.ts";
import { bundleDirectory, sourceMapPath } from "../../bundling/bundle-directory.ts";
import { bundleFunctions, functionFiles } from "../../bundling/bundle-functions.ts";
import type { FunctionFolder } from "../../bundling/page.ts";
import type { FunctionModel } from "../core/model.ts";
import type { Functions } from "../lambda/functions.ts";
import { createBuildQueue } from "./build-queue.ts";
import { createImportGraph } from "./import-graph.ts";
import { compareInfrastructure, synthesisInputs } from "./infrastructure.ts";
import type { SourceFiles } from "./source-files.ts";
import { watchSources } from "./watch-sources.ts";

export type ReloadOptions = {
  /** The checkout. */
  root: string;
  /** The files that the running code was made from. */
  since: SourceFiles;
  functions: Pick<Functions, "list" | "replaceCode">;
  models: readonly FunctionModel[];
  assemblyDirectory: string;
  /** The deployment's context of the assembly. */
  context: Readonly<Record<string, string>>;
  /** Where the new code is kept until the stop. Its contents are deleted. */
  codeDirectory: string;
  log: (level: "info" | "warn" | "error", message: string) => void;
};

const RESTART = "Stop (Ctrl+C) and start again.";

const hashOf = (folder: FunctionFolder): string => {
  const hash = createHash("sha256");
  for (const [file, contents] of [...folder].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`\0${file}\0`).update(contents);
  return hash.digest("hex");
};

const readFolder = (directory: string): FunctionFolder =>
  new Map(readdirSync(directory).map((file) => [file, readFileSync(join(directory, file))]));

/** The first names, and how many follow: `create-plant, list-plants and 3 more`. */
const listed = (names: readonly string[]): string =>
  names.length <= 4 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;

/** The running functions by the names of their files, found by their code. */
const runningFunctions = (root: string, models: readonly FunctionModel[]) => {
  const byHash = new Map(models.map((model) => [hashOf(readFolder(model.codeDirectory)), model]));
  const running = new Map<string, { arn: string; hash: string; directory?: string }>();
  for (const name of functionFiles(root).keys()) {
    const hash = hashOf(readFolder(bundleDirectory(name)));
    const model = byHash.get(hash);
    if (model !== undefined) running.set(name, { arn: model.arn, hash });
  }
  return running;
};

/** Watches the checkout until the stop. */
export const startReload = (options: ReloadOptions): { stop(): void } => {
  const { root, functions, assemblyDirectory, context, codeDirectory, log } = options;
  const running = runningFunctions(root, options.models);
  const graph = createImportGraph(JSON.parse(readFileSync(metafilePath, "utf8")));
  let builds = 0;
  if (running.size < options.models.length)
    log(
      "warn",
      `the code of ${options.models.length - running.size} functions is not that of .build/: they are not reloaded`,
    );
  rmSync(codeDirectory, { recursive: true, force: true });

  const makeLive = (name: string, folder: FunctionFolder): void => {
    const fn = running.get(name);
    if (fn === undefined) return;
    const directory = join(codeDirectory, `${name}-${builds}`);
    mkdirSync(directory, { recursive: true });
    for (const [file, contents] of folder) writeFileSync(join(directory, file), contents);
    const { directory: replaced } = fn;
    Object.assign(fn, { hash: hashOf(folder), directory });
    void functions.replaceCode(fn.arn, directory).then(() => {
      if (replaced !== undefined) rmSync(replaced, { recursive: true, force: true });
    });
  };

  /** Bundles functions, and replaces those that have other code than before. Returns the names of the replaced. */
  const replace = async (files: ReadonlyMap<string, string>): Promise<string[]> => {
    const { folders, maps, metafile } = await bundleFunctions(root, files, { isComplete: false });
    graph.add(metafile);
    builds++;
    for (const [bundle, map] of maps) writeFileSync(sourceMapPath(bundle), map);
    const changed = [...folders].filter(([name, folder]) => running.get(name)?.hash !== hashOf(folder));
    for (const [name, folder] of changed) makeLive(name, folder);
    return changed.map(([name]) => name).sort();
  };

  /** Replaces the functions that contain changed files: first those that have run, because they are being tried. */
  const rebuild = async (changed: readonly string[]): Promise<void> => {
    const startedAt = performance.now();
    const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    const files = functionFiles(root);
    const importers = graph.importersOf(changed);
    const affected = [...files].filter(([name]) => running.has(name) && importers.has(name));
    const used = new Set(functions.list().flatMap(({ arn, coldStarts }) => (coldStarts > 0 ? [arn] : [])));
    const isUsed = ([name]: readonly [string, string]) => used.has(running.get(name)?.arn ?? "");
    const batches = [affected.filter(isUsed), affected.filter((one) => !isUsed(one))].filter(
      ({ length }) => length > 0,
    );
    let replaced = 0;
    for (const batch of batches) {
      const names = await replace(new Map(batch));
      replaced += names.length;
      if (names.length > 0) log("info", `live after ${seconds()}: ${listed(names)}`);
    }
    if (affected.length > 0 && replaced === 0)
      log("info", `${listed(changed)}: no function has other code than before (${seconds()})`);
  };

  /** Functions come and go with their infrastructure. */
  const reportFunctions = (paths: readonly string[]): void => {
    const files = new Set(functionFiles(root).values());
    for (const path of paths.filter((one) => one.startsWith("functions/"))) {
      const isRunning = running.has(basename(path, ".ts"));
      if (files.has(path) && !isRunning)
        log("warn", `${path} becomes part of the service at the next start, if shared/api/ has its route or trigger.`);
      if (!files.has(path) && isRunning) log("warn", `${path} was removed: its code stays live. ${RESTART}`);
    }
  };

  let comparing: AbortController | undefined;
  let inputs: ReadonlySet<string> | undefined;
  let isSynthesised = true;
  let reported: string | undefined;
  /** Says once that the running infrastructure differs from that of the files, or why the files make none. */
  const compare = async (paths: readonly string[]): Promise<void> => {
    inputs ??= await synthesisInputs(root);
    if (isSynthesised && !paths.some((path) => inputs?.has(path))) return;
    comparing?.abort();
    comparing = new AbortController();
    const { signal } = comparing;
    const finding = await compareInfrastructure(assemblyDirectory, context, signal).then(
      (difference) => {
        isSynthesised = true;
        return difference === undefined
          ? undefined
          : `the changed files make another infrastructure: it ${difference}. ${RESTART}`;
      },
      (error: unknown) => {
        isSynthesised = false;
        return `the changed files make no infrastructure yet: ${error instanceof Error ? error.message : error}`;
      },
    );
    if (signal.aborted) return;
    inputs = await synthesisInputs(root);
    if (finding !== undefined && finding !== reported) log("warn", finding);
    reported = finding;
  };

  const queue = createBuildQueue(
    async (paths) => {
      reportFunctions(paths);
      await rebuild(paths);
    },
    (error) => {
      const [first, ...more] = (error instanceof Error ? error.message : String(error)).split("\n");
      log("error", `${first}${more.length > 0 ? ` (and ${more.length} more)` : ""}. The old code stays live.`);
    },
  );
  const onChange = (paths: readonly string[]): void => {
    const code = paths.filter((path) => path.startsWith("functions/") || path.startsWith("shared/"));
    const others = paths.filter((path) => !code.includes(path));
    if (others.length > 0) log("warn", `${listed(others)} changed, which only the next start reads. ${RESTART}`);
    if (code.length === 0 && isSynthesised) return;
    void queue
      .add(code)
      .then(() => compare(code))
      .catch(() => undefined);
  };
  const watching = watchSources(root, options.since, onChange);
  return {
    stop() {
      watching.stop();
      comparing?.abort();
      rmSync(codeDirectory, { recursive: true, force: true });
    },
  };
};
