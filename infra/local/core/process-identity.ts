import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Tries each source in turn: Linux has /proc and may have no `ps`, other systems have `ps`. Undefined if none works. */
const firstOf = (...sources: (() => string)[]): string | undefined => {
  for (const source of sources) {
    try {
      return source();
    } catch {
      // The next source may know.
    }
  }
  return undefined;
};

const ps = (pid: number, column: string): string => {
  const output = execFileSync("ps", ["-ww", "-o", `${column}=`, "-p", String(pid)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return output.trim();
};

/** The command line of a running process; undefined if the process has ended or cannot be read. */
export const commandLineOf = (pid: number): string | undefined =>
  firstOf(
    () => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim(),
    () => ps(pid, "args"),
  );

/** The fields after the program's name, which stands in brackets and may hold spaces: the state, then 18 more, the start. */
const statOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\)\s/s, "")
    .split(" ");

/** Tells a process from a later one with the same id: when it started, counted from which boot. */
export const birthOf = (pid: number): string | undefined =>
  firstOf(
    () => `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${statOf(pid)[19]}`,
    () => ps(pid, "lstart"),
  );

const stateOf = (pid: number): string | undefined =>
  firstOf(
    () => statOf(pid)[0] ?? "",
    () => ps(pid, "stat"),
  );

/** Whether the process runs. A process of another user counts; a zombie does not. */
export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  return stateOf(pid)?.startsWith("Z") !== true;
};
