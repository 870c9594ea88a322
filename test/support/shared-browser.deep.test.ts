import { execFile } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";

/** Starts the shared browser as jest's main process does. Prints the browser's process id. */
const OFFER = `
  const { browserAnswers } = await import(${JSON.stringify(join(import.meta.dirname, "shared-browser.ts"))});
  console.log(await browserAnswers.processId());
  setInterval(() => undefined, 1_000);
`;

const isRunning = (processId: number): boolean => {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
};

describe("the shared browser", () => {
  it.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("ends if jest's main process is ended by %s", async (signal) => {
    const main = execFile(process.execPath, ["--input-type=module", "--eval", OFFER]);
    const [printed] = (await once(main.stdout ?? main, "data")) as [string];
    const processId = Number(printed);
    expect(isRunning(processId)).toBe(true);
    main.kill(signal);
    await once(main, "exit");
    while (isRunning(processId)) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});
