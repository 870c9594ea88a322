import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Reads lines `+ target` and `- target`; at the end of its input, which is our death however we die, it kills what is left.
 * A shell, since it costs a megabyte and a millisecond; a target is what kill(1) takes (negative: a process group).
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

/** Starts the small process that kills what it guards if this process is killed before it could stop its children. */
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
