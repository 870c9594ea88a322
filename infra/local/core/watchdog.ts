import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Reads lines `+ target` and `- target`. Its input ends when this process ends; then it kills the remaining targets.
 * A shell costs one megabyte and one millisecond. A target is an argument of kill(1) (negative: a process group).
 */
const SCRIPT = `
trap '' HUP INT TERM
left=
while read -r sign target; do
  rest=
  for one in $left; do [ "$one" = "$target" ] || rest="$rest $one"; done
  left=$rest
  [ "$sign" = - ] || left="$left $target"
done
for one in $left; do kill -9 "$one"; done
`;

export type Watchdog = {
  /** @param target a process id, or a negative one for its whole group */
  guard(target: number): void;
  release(target: number): void;
  stop(): Promise<void>;
};

/** Starts a small process. If this process is killed before it could stop its children, it kills them. */
export const startWatchdog = (): Watchdog => {
  // Detached, so that Ctrl+C in the terminal does not reach it.
  const child = spawn("/bin/sh", ["-c", SCRIPT], { stdio: ["pipe", "ignore", "ignore"], detached: true, env: {} });
  const exited = once(child, "exit");
  child.stdin.on("error", () => {});
  return {
    guard: (target) => child.stdin.write(`+ ${target}\n`),
    release: (target) => child.stdin.write(`- ${target}\n`),
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
};
