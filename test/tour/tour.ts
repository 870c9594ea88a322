/**
 * `npm run tour`: starts the service as a stranger would, with `npm start` and an empty data directory, and runs the
 * README's tour from top to bottom in one shell. A line fails if its command fails, or if an answer has another status
 * than a success or the status in the line's comment.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { failWith } from "../../infra/local/commands/fail-with.ts";
import { mintToken } from "../../infra/local/commands/mint-token.ts";
import { type RunningStack, readStackFile } from "../../infra/local/commands/stack-file.ts";
import { isRunning } from "../../infra/local/core/processes.ts";
import { listen } from "../../infra/local/http/listen.ts";
import { readTour } from "./read-tour.ts";
import { runLines } from "./run-lines.ts";

const START_MS = 300_000;
const POLL_MS = 100;
/** The address in the README; the tour's own start takes any port. */
const README_URL = "http://127.0.0.1:3000";

const root = join(import.meta.dirname, "..", "..");

const freePort = async (): Promise<number> => {
  const { port, close } = await listen(createServer(), 0);
  await close();
  return port;
};

/** Starts the service. @throws Error with its output if it is not ready in time. */
const startService = async (dataDirectory: string): Promise<{ npm: ChildProcess; stack: RunningStack }> => {
  const env = { ...process.env, PORT: String(await freePort()), LOCAL_DATA_DIR: dataDirectory };
  const npm = spawn("npm", ["start"], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (text) => (output += text));
  for (const end = performance.now() + START_MS; performance.now() < end && npm.exitCode === null; ) {
    const stack = readStackFile();
    if (stack !== undefined && isRunning(stack.pid)) return { npm, stack };
    await sleep(POLL_MS);
  }
  npm.kill();
  throw new Error(`npm start did not become ready:\n${output.slice(-2_000)}`);
};

/** The first sync of the demo organization takes a few seconds, as long as a stranger needs to read. */
const waitForRecords = async ({ issuerUrl, apiUrl }: RunningStack): Promise<void> => {
  const token = await mintToken(issuerUrl, { organizationId: "demo" });
  for (const end = performance.now() + START_MS; performance.now() < end; await sleep(POLL_MS)) {
    const url = `${apiUrl}/api/integrations/provider/sync?limit=1`;
    const runs = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    if ((await runs.text()).includes('"succeeded"')) return;
  }
  throw new Error("the first sync of the demo organization did not end");
};

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** Runs the tour. @returns whether all lines succeeded */
const runTour = async (dataDirectory: string): Promise<boolean> => {
  const startedAt = performance.now();
  const { npm, stack } = await startService(dataDirectory);
  try {
    await waitForRecords(stack);
    console.log(`ready after ${seconds(performance.now() - startedAt)}`);
    const readme = readFileSync(join(root, "README.md"), "utf8").replaceAll(README_URL, stack.apiUrl ?? README_URL);
    const lines = await runLines(readTour(readme), root);
    for (const { command, elapsedMs, problem, output } of lines)
      console.log(
        `${problem === undefined ? "ok" : "FAILED"}  ${seconds(elapsedMs).padStart(6)}  ${command}` +
          (problem === undefined ? "" : `\n    ${problem}:\n${output}`),
      );
    const failed = lines.filter(({ problem }) => problem !== undefined).length;
    const total = lines.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0);
    console.log(`${lines.length - failed} of ${lines.length} lines of the tour succeed, in ${seconds(total)}`);
    return failed === 0;
  } finally {
    const ended = once(npm, "exit");
    process.kill(stack.pid, "SIGTERM");
    await ended;
  }
};

const dataDirectory = mkdtempSync(join(tmpdir(), "tour-"));
try {
  const running = readStackFile();
  if (running !== undefined && isRunning(running.pid))
    throw new Error(`a local cloud of this checkout runs already (process ${running.pid}): stop it first`);
  process.exitCode = (await runTour(dataDirectory)) ? 0 : 1;
} catch (error) {
  failWith(error);
} finally {
  rmSync(dataDirectory, { recursive: true, force: true });
}
