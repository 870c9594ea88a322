import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { writeJsonFile } from "../core/data-file.ts";
import { isRunning } from "../core/processes.ts";

/** Always in the checkout, wherever the data are. */
const STACK_FILE = join(import.meta.dirname, "..", "..", "..", ".local", "stack.json");

/** The addresses of a running local cloud; URLs without a trailing slash. Parts that the stack does not have are absent. */
export type RunningStack = z.infer<typeof RunningStack>;
const RunningStack = z.object({
  apiUrl: z.string().optional(),
  /** The page where people sign in and see an organization's integration. */
  consoleUrl: z.string().optional(),
  /** The base of the URL that takes webhooks; an organization is named behind it. */
  webhookUrl: z.string().optional(),
  issuerUrl: z.string(),
  jwksUrl: z.string(),
  audience: z.string(),
  /** The payment provider's API: the simulator's, or another server's. */
  providerUrl: z.string(),
  dynamodbUrl: z.string(),
  controlUrl: z.string(),
  /** Names of the template's tables. */
  tables: z.array(z.string()),
  pid: z.number(),
});

export const writeStackFile = (stack: RunningStack): void => writeJsonFile(STACK_FILE, stack);

/** Undefined if the file does not exist or cannot be read. */
export const readStackFile = (): RunningStack | undefined => {
  try {
    return RunningStack.parse(JSON.parse(readFileSync(STACK_FILE, "utf8")));
  } catch {
    return undefined;
  }
};

/** The local cloud of the stack file. @throws Error in one line if none runs, or if it has ended without a stop. */
export const requireRunning = (stack: RunningStack | undefined): RunningStack => {
  if (stack === undefined) throw new Error("the local cloud does not run: start it with npm start in another terminal");
  if (!isRunning(stack.pid))
    throw new Error(`.local/stack.json is of a local cloud that has ended (process ${stack.pid}): run npm start again`);
  return stack;
};

/** @throws Error in one line if the local cloud of the stack file runs and has this port. */
export const requireNotRunning = (stack: RunningStack | undefined, port: number): void => {
  if (stack?.apiUrl === undefined || !isRunning(stack.pid) || new URL(stack.apiUrl).port !== String(port)) return;
  throw new Error(
    `the service already runs here, at ${stack.consoleUrl ?? stack.apiUrl} (process ${stack.pid}): ` +
      "use it, or stop it with Ctrl+C in its terminal",
  );
};

/** Removes it if it is this process's: another local cloud of the same checkout may have written its own. */
export const removeStackFile = (): void => {
  if (readStackFile()?.pid === process.pid) rmSync(STACK_FILE, { force: true });
};
