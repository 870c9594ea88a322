import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "@jest/globals";
import { isRunning } from "../../../../infra/local/core/processes.ts";

/** A process like the local cloud: it guards child processes, prints their ids and waits to be killed. */
const PROGRAM = `
import { spawn } from "node:child_process";
import { startWatchdog } from ${JSON.stringify(`${import.meta.dirname}/../../../../infra/local/core/watchdog.ts`)};
const watchdog = startWatchdog();
const sleeper = () => spawn("/bin/sh", ["-c", "sleep 60 & wait"], { detached: true, stdio: "ignore" }).pid;
const [group, alone, released, stopped] = [sleeper(), sleeper(), sleeper(), sleeper()];
watchdog.guard(-group); watchdog.guard(alone); watchdog.guard(-released); watchdog.guard(-stopped);
watchdog.release(-released);
process.kill(stopped, "SIGSTOP");
console.log([group, alone, released, stopped].join());
setInterval(() => {}, 1000);
`;

describe("the watchdog", () => {
  it("kills all guarded processes, also suspended ones, when the local cloud is killed", async () => {
    const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", PROGRAM], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(child.stdout, "data");
    const [group = 0, alone = 0, released = 0, stopped = 0] = String(line).split(",").map(Number);
    expect([group, alone, released, stopped].every(isRunning)).toBe(true);
    child.kill("SIGKILL");
    while ([group, alone, stopped].some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(isRunning(released)).toBe(true);
    process.kill(-released, "SIGKILL");
  });
});
