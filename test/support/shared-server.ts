/**
 * What all test files of a run share: it lives in jest's main process and starts when the first file asks for it. Files
 * run in jest's workers and ask over HTTP.
 */
import { createServer } from "node:http";
import { type Listening, listen } from "../../infra/local/http/listen.ts";

let server: Listening | undefined;

/** In jest's main process: answers the questions of test files. @param answers by the name of the question */
export const offerShared = async (answers: Record<string, () => unknown>): Promise<void> => {
  const listening = createServer(async (request, response) => {
    try {
      response.end(JSON.stringify(await answers[request.url?.slice(1) ?? ""]?.()));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  // A worker that loads the next test file would find its connection closed when it asks.
  listening.keepAliveTimeout = 0;
  server = await listen(listening, 0);
  process.env.SHARED_SERVER_URL = server.url;
};

/** In jest's main process. */
export const stopShared = async (): Promise<void> => server?.close();

/** Whether this module runs in a test file of jest, which may ask; programs that use a test's helpers may not. */
export const isShared = (): boolean => server === undefined && process.env.SHARED_SERVER_URL !== undefined;

/** In a test file. @throws Error if what the question is about did not start. */
export const askShared = async <Answer>(question: string): Promise<Answer> => {
  const response = await fetch(`${process.env.SHARED_SERVER_URL}/${question}`);
  if (!response.ok) throw new Error(`"${question}" of this run did not start: ${await response.text()}`);
  return (await response.json()) as Answer;
};
