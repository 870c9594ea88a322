import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import * as z from "zod";

const PROGRAM = join(import.meta.dirname, "instance.mjs");

export type InstanceRun = {
  /** What Lambda would load: an ES module (.mjs) or a CommonJS one (.cjs). */
  file: string;
  environment: Readonly<Record<string, string>>;
  events: readonly APIGatewayProxyEventV2[];
  /** How often the last event is repeated for the warm time; 0 leaves it out. */
  warmRequests?: number;
};

const Output = z.object({
  responses: z.array(z.custom<APIGatewayProxyStructuredResultV2>()),
  init: z.number(),
  first: z.number(),
  warm: z.number(),
});

/** CPU times in ms: `init` up to the handler, `first` the first request, `warm` one request of many. */
export type InstanceResult = z.infer<typeof Output> & {
  /** What the function wrote to its log. */
  log: string;
};

/** @throws Error with what the process said where it failed. */
export const runInstance = async ({ environment, ...run }: InstanceRun): Promise<InstanceResult> => {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(run)], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const [log, errors, output] = await Promise.all(
    child.stdio.slice(1).map((stream) => text(stream as NodeJS.ReadableStream)),
  );
  if (!output) throw new Error(`${run.file} failed: ${errors || log}`);
  return { ...Output.parse(JSON.parse(output)), log: log ?? "" };
};

/** @throws Error where a response is not a success, too: failures have other costs. */
export const runSuccessfully = async (run: InstanceRun): Promise<InstanceResult> => {
  const result = await runInstance(run);
  const refused = result.responses.find(({ statusCode = 500 }) => statusCode >= 300);
  if (refused !== undefined) throw new Error(`${run.file} answered ${JSON.stringify(refused)}; its log: ${result.log}`);
  return result;
};
