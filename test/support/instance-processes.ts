import { readdirSync, readlinkSync, realpathSync } from "node:fs";

const folderOf = (pid: number): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // The process has ended or belongs to another user.
    return undefined;
  }
};

/** The process ids of a function's instances. Their working directory is the function's code directory. */
const instanceProcesses = (codeDirectory: string): number[] => {
  const folder = realpathSync(codeDirectory);
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && folderOf(pid) === folder);
};

/** Kills a function's instances with all their child processes. @returns whether there was an instance */
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
