import { readFileSync } from "node:fs";

/** Whether a process runs; one that has ended and was not yet collected by its parent does not. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z");
  } catch {
    return false;
  }
};
