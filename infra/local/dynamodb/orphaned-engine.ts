import { realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { openDataFile, writeDataFile } from "../core/data-file.ts";
import { commandLineOf, isRunning } from "../core/process-identity.ts";
import { databaseArguments } from "./embedded-engine.ts";

const Record = z.object({ content: z.object({ pid: z.number().int().positive() }) });

/** The engine's database; without symbolic links, because the command line of the engine is compared with it. */
export const databaseFileOf = (dataDirectory: string): string => join(realpathSync(dataDirectory), "dynamodb.sqlite");

const recordFile = (dataDirectory: string): string => join(dataDirectory, "engine.json");

/** Notes which process serves the data directory, for the start after one that was killed. */
export const recordEngine = (dataDirectory: string, pid: number): void =>
  writeDataFile(recordFile(dataDirectory), { pid });

export const forgetEngine = (dataDirectory: string): void => rmSync(recordFile(dataDirectory), { force: true });

const recordedEngine = (dataDirectory: string): number | undefined => {
  const file = recordFile(dataDirectory);
  const found = openDataFile(file);
  if (found === undefined) return undefined;
  const record = Record.safeParse(found);
  if (record.success) return record.data.content.pid;
  throw new Error(
    `${file} is damaged: end the process dynoxide if one is left from an earlier start, and delete the file`,
  );
};

/**
 * Stops the engine that a killed local cloud left behind. Call it holding the directory's lock.
 * Only a process whose command line serves this very database is touched: the id may be another's by now.
 * @throws Error naming the file with the engine's process id if that file is damaged.
 */
export const stopOrphanedEngine = async (dataDirectory: string): Promise<void> => {
  const pid = recordedEngine(dataDirectory);
  const databaseFile = databaseFileOf(dataDirectory);
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
