import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, reasonOf } from "../core/data-file.ts";
import { birthOf, isRunning } from "../core/process-identity.ts";

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
  try {
    writeFileSync(draft, content);
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
};

const take = (directory: string, file: string, content: string): boolean => {
  try {
    return tryToTake(file, content);
  } catch (error) {
    throw new Error(
      `the data directory ${directory} cannot be written (${reasonOf(error)}): ` +
        "allow it, or set LOCAL_DATA_DIR to another directory",
    );
  }
};

/** After a release, another process may have the lock: a second call does nothing. */
const releaseOnce = (file: string): (() => void) => {
  let released = false;
  return () => {
    if (!released) rmSync(file, { force: true });
    released = true;
  };
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
 * Keeps other local clouds out of an existing data directory until released or until this process ends.
 * @throws Error that names the process that uses the directory, or says why the directory cannot be written.
 */
export const lockDataDirectory = (directory: string): Lock => {
  const file = join(directory, "lock");
  const content = `${process.pid} ${birthOf(process.pid) ?? ""}`;
  for (let attempt = 0; attempt < 3; attempt++) {
    if (take(directory, file, content)) return { release: releaseOnce(file) };
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
  throw new Error(`the data directory ${directory} cannot be locked: delete ${file}`);
};
