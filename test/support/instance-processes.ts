import { readdirSync, readlinkSync, realpathSync } from "node:fs";

const folderOf = (pid: number): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // It has ended, or it is another user's.
    return undefined;
  }
};

/** The processes of a function's instances, known by the folder of its code, in which nothing else runs. */
export const instanceProcesses = (codeDirectory: string): number[] => {
  const folder = realpathSync(codeDirectory);
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && folderOf(pid) === folder);
};

/** Kills instances with all that they started, wherever they are. @returns whether there was one. */
export const killInstances = (codeDirectory: string): boolean => {
  const killed = instanceProcesses(codeDirectory).filter((pid) => {
    try {
      return process.kill(-pid, "SIGKILL");
    } catch {
      return false;
    }
  });
  return killed.length > 0;
};
