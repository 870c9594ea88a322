import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { birthOf, isRunning } from "./process-identity.ts";

export type Lock = { release(): void };

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
};

/** A lock is `pid birth`; an id alone may belong to another process by now. */
const holderOf = (content: string): number | undefined => {
  const [, pid, birth] = /^(\d+) (.*)$/.exec(content.trim()) ?? [];
  const holder = Number(pid);
  return pid !== undefined && isRunning(holder) && (birth === "" || birthOf(holder) === birth) ? holder : undefined;
};

/** @returns whether this process has the lock now. A link is atomic, so no process reads half a lock. */
const tryToTake = (file: string, content: string): boolean => {
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, content);
  try {
    linkSync(draft, file);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
};

/** Removes the lock of an ended process. If another process has taken the lock meanwhile, restores it. */
const removeStale = (file: string, stale: string): void => {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
    if (read(aside) !== stale) linkSync(aside, file);
  } catch {
    // Gone or taken already: the next try decides.
  } finally {
    rmSync(aside, { force: true });
  }
};

/**
 * Keeps other local clouds out of a data directory until released or until this process ends.
 * @throws Error naming the process that uses it.
 */
export const lockDataDirectory = (directory: string): Lock => {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "lock");
  const content = `${process.pid} ${birthOf(process.pid) ?? ""}`;
  for (let attempt = 0; attempt < 3; attempt++) {
    if (tryToTake(file, content)) return { release: () => rmSync(file, { force: true }) };
    const found = read(file);
    const holder = found === undefined ? undefined : holderOf(found);
    if (holder !== undefined) {
      throw new Error(
        `the data directory ${directory} is in use by another local cloud (process ${holder}): ` +
          "stop it, or choose another one with LOCAL_DATA_DIR",
      );
    }
    if (found !== undefined) removeStale(file, found);
  }
  throw new Error(`the data directory ${directory} cannot be locked: ${file} cannot be written`);
};
