import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { codeOf } from "../core/data-file.ts";
import { runningProcesses } from "../core/processes.ts";
import { findEngine } from "./engine-package.ts";

/** A running engine. `exited` resolves when it is gone, wanted or not. */
export type EmbeddedEngine = { endpoint: string; pid: number; exited: Promise<void>; stop(): Promise<void> };

const stopTimeoutMs = 5_000;
const startTimeoutMs = 10_000;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
};

/** Resolves when the engine listens; with its output if it ends before. */
const untilListening = (child: ChildProcess): Promise<{ output?: string }> =>
  new Promise((resolve) => {
    let output = "";
    const timer = setTimeout(() => child.kill("SIGKILL"), startTimeoutMs);
    const settle = (outcome: { output?: string }): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    const onOutput = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes("listening on")) settle({});
    };
    child.stdout?.on("data", onOutput);
    child.stderr?.on("data", onOutput);
    child.once("error", (error) => settle({ output: error.message }));
    child.once("exit", () => settle({ output }));
  });

/** The arguments that identify the engine of a data directory. Without symbolic links, because command lines are compared. */
const databaseArguments = (dataDirectory: string): string[] => [
  "--db-path",
  join(realpathSync(dataDirectory), "dynamodb.sqlite"),
];

/** Stops the engine that a killed local cloud left behind. Call it holding the lock of the data directory. */
export const stopOrphanedEngine = async (dataDirectory: string): Promise<void> => {
  const database = databaseArguments(dataDirectory).join(" ");
  const isOrphan = (commandLine: string) => commandLine.includes("dynoxide") && commandLine.endsWith(database);
  for (let attempt = 0; ; attempt++) {
    const orphans = runningProcesses().filter(([, commandLine]) => isOrphan(commandLine));
    if (orphans.length === 0) return;
    for (const [pid] of attempt % 50 === 0 ? orphans : []) {
      try {
        process.kill(pid, attempt === 0 ? "SIGTERM" : "SIGKILL");
      } catch (error) {
        if (codeOf(error) !== "ESRCH") throw error;
      }
    }
    await wait(100);
  }
};

/**
 * Starts the engine on a free port of loopback, over the data directory's database or in memory.
 * @throws Error with the engine's output if it does not start.
 */
export const startEmbeddedEngine = async (dataDirectory?: string): Promise<EmbeddedEngine> => {
  const program = findEngine();
  let output = "";
  // Another process may take the port before the engine uses it.
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = await freePort();
    const database = dataDirectory === undefined ? [] : databaseArguments(dataDirectory);
    // A separate process group: Ctrl+C in the terminal must not stop the engine while functions still use it.
    const child = spawn(program, ["--host", "127.0.0.1", "--port", String(port), ...database], {
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      env: {},
    });
    // After an uncaught error there is no time to wait for it.
    const kill = (): void => void child.kill("SIGKILL");
    process.once("exit", kill);
    child.once("exit", () => process.removeListener("exit", kill));
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
    const outcome = await untilListening(child);
    if (outcome.output === undefined && child.pid !== undefined) {
      const stop = async (): Promise<void> => {
        child.kill("SIGTERM");
        const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
        await exited;
        clearTimeout(timer);
      };
      return { endpoint: `http://127.0.0.1:${port}`, pid: child.pid, exited, stop };
    }
    output = outcome.output ?? "";
    if (!output.includes("already in use")) break;
  }
  throw new Error(`the embedded DynamoDB engine does not start: ${output.trim() || "it printed nothing"}`);
};
