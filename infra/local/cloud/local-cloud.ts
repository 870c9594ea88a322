import { explainStartError } from "../data-directory/open-data-directory.ts";
import type { LocalCloudOptions } from "./local-cloud-options.ts";
import { type RunningParts, startParts } from "./start-parts.ts";

export type LocalCloud = RunningParts & { stop(): Promise<void> };

/**
 * Runs an assembly on this machine, until `stop`. If a part does not start, the parts before it are stopped.
 * @throws Error that says what to do: taken port, data directory in use or damaged, full disk, unsupported template.
 */
export const startLocalCloud = async (options: LocalCloudOptions): Promise<LocalCloud> => {
  const stops: (() => unknown)[] = [];
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= (async () => {
      for (const one of stops.splice(0).reverse()) await one();
    })();
    return stopped;
  };
  try {
    return { ...(await startParts(options, (one) => stops.push(one))), stop };
  } catch (error) {
    await stop();
    throw explainStartError(error, options.dataDirectory);
  }
};
