/**
 * One local cloud for all HTTP test files that can share it. It runs in jest's main process and starts when the first
 * file asks for it; files run in jest's workers and ask over HTTP.
 */
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen } from "../../infra/local/http/listen.ts";
import type { LocalCloud } from "../../infra/local/local-cloud.ts";
import { assemblyDirectory } from "./assembly.ts";

type Question = "stack" | "denials" | "logged";

let cloud: Promise<LocalCloud> | undefined;
/** Everything that functions and the local cloud have logged so far. */
const lines: string[] = [];
let stopServer: (() => Promise<void>) | undefined;

const startCloud = async (): Promise<LocalCloud> => {
  const { startTestedCloud } = await import("./tested-cloud.ts");
  const dataDirectory = mkdtempSync(join(tmpdir(), "shared-data-"));
  const log = (source: string, line: string) => lines.push(`${source} | ${line}`);
  return startTestedCloud({ assemblyDirectory, dataDirectory, port: 0, log });
};

/** In jest's main process: answers the questions of test files. */
export const offerSharedCloud = async (): Promise<void> => {
  const server = createServer(async (request, response) => {
    try {
      cloud ??= startCloud();
      const { stack, denials } = await cloud;
      const answers: Record<Question, unknown> = { stack, denials, logged: lines.join("\n") };
      response.end(JSON.stringify(answers[request.url?.slice(1) as Question]));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  const { url, close } = await listen(server, 0);
  process.env.SHARED_CLOUD_URL = url;
  stopServer = close;
};

/** In jest's main process: stops the cloud, if a file asked for it. The data go with the run's temporary files. */
export const stopSharedCloud = async (): Promise<void> => {
  await stopServer?.();
  await (await cloud)?.stop();
};

/** In a test file. @throws Error if the cloud did not start. */
export const askSharedCloud = async <Answer>(question: Question): Promise<Answer> => {
  const response = await fetch(`${process.env.SHARED_CLOUD_URL}/${question}`);
  if (!response.ok) throw new Error(`The shared local cloud did not start: ${await response.text()}`);
  return (await response.json()) as Answer;
};
