import { readFileSync } from "node:fs";

/** Whether a process runs. A zombie does not run. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z");
  } catch {
    return false;
  }
};
