import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { readDataFile, writeDataFile } from "../core/data-file.ts";
import { databaseArguments } from "./embedded-engine.ts";
import { commandLineOf, isRunning } from "./process-identity.ts";

const Record = z.object({ pid: z.number().int().positive() });

const recordFile = (dataDirectory: string): string => join(dataDirectory, "engine.json");

/** Notes which process serves the data directory, for the start after one that was killed. */
export const recordEngine = (dataDirectory: string, pid: number): void =>
  writeDataFile(recordFile(dataDirectory), { pid });

export const forgetEngine = (dataDirectory: string): void => rmSync(recordFile(dataDirectory), { force: true });

/**
 * Stops the engine that a killed local cloud left behind. Call it holding the directory's lock.
 * Only a process whose command line serves this very database is touched: the id may be another's by now.
 */
export const stopOrphanedEngine = async (dataDirectory: string, databaseFile: string): Promise<void> => {
  const pid = readDataFile(recordFile(dataDirectory), Record)?.pid;
  const servesDatabase = (id: number): boolean => {
    const commandLine = commandLineOf(id);
    return (
      commandLine?.includes("dynoxide") === true && commandLine.endsWith(databaseArguments(databaseFile).join(" "))
    );
  };
  if (pid !== undefined && servesDatabase(pid)) {
    process.kill(pid, "SIGTERM");
    for (let waited = 0; waited < 50 && servesDatabase(pid); waited++) await wait(100);
    if (isRunning(pid) && servesDatabase(pid)) process.kill(pid, "SIGKILL");
    while (servesDatabase(pid)) await wait(20);
  }
  forgetEngine(dataDirectory);
};
