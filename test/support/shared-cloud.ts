/** One local cloud for all HTTP test files that can share it (shared-server.ts). */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LocalCloud } from "../../infra/local/cloud/local-cloud.ts";
import { assemblyDirectory } from "./assembly.ts";

/** Instances of one function: enough for requests that race. Each start of a process costs CPU time. */
const MAX_INSTANCES = 2;

let cloud: Promise<LocalCloud> | undefined;
/** Everything that functions and the local cloud have logged so far. */
const lines: string[] = [];

const startCloud = async (): Promise<LocalCloud> => {
  const { startTestedCloud } = await import("./tested-cloud.ts");
  const dataDirectory = mkdtempSync(join(tmpdir(), "shared-data-"));
  const log = (source: string, line: string) => lines.push(`${source} | ${line}`);
  return startTestedCloud({ assemblyDirectory, dataDirectory, port: 0, maxInstances: MAX_INSTANCES, log });
};

const sharedCloud = (): Promise<LocalCloud> => {
  cloud ??= startCloud();
  return cloud;
};

/** In jest's main process: what test files may ask about the cloud. */
export const cloudAnswers = {
  stack: async () => (await sharedCloud()).stack,
  denials: async () => (await sharedCloud()).denials,
  logged: async () => {
    await sharedCloud();
    return lines.join("\n");
  },
};

/**
 * In jest's main process: stops the cloud, if a file asked for it. The data go with the run's temporary files.
 * @throws Error if items do not expire as documented.
 */
export const stopSharedCloud = async (): Promise<void> => {
  const started = await cloud;
  if (started === undefined) return;
  const { undocumentedLivesOf } = await import("./documented-lives.ts");
  const misfits = await undocumentedLivesOf(started);
  await started.stop();
  if (misfits.length > 0) throw new Error(`Items do not expire as documented:\n${misfits.join("\n")}`);
};
