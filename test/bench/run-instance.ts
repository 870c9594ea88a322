import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import * as z from "zod";

const PROGRAM = join(import.meta.dirname, "instance.mjs");

export type InstanceRun = {
  /** The file that Lambda loads: an ES module (.mjs) or a CommonJS module (.cjs). */
  file: string;
  environment: Readonly<Record<string, string>>;
  events: readonly APIGatewayProxyEventV2[];
  /** Of Node; none by default. */
  flags?: readonly string[];
  /** The number of repetitions of the last event for the warm time; 0 skips the measurement. */
  warmRequests?: number;
};

const Output = z.object({
  responses: z.array(z.custom<APIGatewayProxyStructuredResultV2>()),
  init: z.number(),
  first: z.number(),
  warm: z.number(),
});

/** CPU times in ms: `init` for loading the handler, `first` for the first request, `warm` for a later one. */
export type InstanceResult = z.infer<typeof Output> & {
  /** The function's log. */
  log: string;
};

/** @throws Error with the process's output if it failed. */
export const runInstance = async ({ environment, flags = [], ...run }: InstanceRun): Promise<InstanceResult> => {
  const child = spawn(process.execPath, [...flags, PROGRAM, JSON.stringify(run)], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const [log, errors, output] = await Promise.all(
    child.stdio.slice(1).map((stream) => text(stream as NodeJS.ReadableStream)),
  );
  if (!output) throw new Error(`${run.file} failed: ${errors || log}`);
  return { ...Output.parse(JSON.parse(output)), log: log ?? "" };
};

/** @throws Error even if a response is a failure, because failures have other costs. */
export const runSuccessfully = async (run: InstanceRun): Promise<InstanceResult> => {
  const result = await runInstance(run);
  const refused = result.responses.find(({ statusCode = 500 }) => statusCode >= 300);
  if (refused !== undefined) throw new Error(`${run.file} answered ${JSON.stringify(refused)}; its log: ${result.log}`);
  return result;
};
