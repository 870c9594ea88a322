import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Linux has /proc and may have no `ps`; other systems have `ps`. */
const hasProc = existsSync("/proc/self/cmdline");

const fromProc = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
};

const fromPs = (): [pid: number, commandLine: string][] => {
  const output = execFileSync("ps", ["-axww", "-o", "pid=,stat=,args="], { encoding: "utf8" });
  return [...output.matchAll(/^ *(\d+) +([^Z\s]\S*) +(.*)$/gm)].map(([, pid, , args = ""]) => [
    Number(pid),
    args.trim(),
  ]);
};

/** The running processes with their command lines. Zombies, which have ended, are not among them. */
export const runningProcesses = (): [pid: number, commandLine: string][] => {
  if (!hasProc) return fromPs();
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map((pid): [number, string] => [Number(pid), fromProc(Number(pid))]).filter(([, line]) => line !== "");
};

/** The command line of a running process; empty if the process has ended or cannot be read. */
export const commandLineOf = (pid: number): string =>
  hasProc ? fromProc(pid) : (fromPs().find(([one]) => one === pid)?.[1] ?? "");

/** Whether the process runs. A process of another user counts; a zombie does not. */
export const isRunning = (pid: number): boolean => commandLineOf(pid) !== "";
