/** The flags that Lambda's runtime starts Node with, as the functions of a deployment report them. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as z from "zod";
import { DAY_MS } from "../../shared/terms/hours.ts";
import { Mismatch } from "./deployment.ts";

/** The AWS CLI prints all cold starts of the last day, at about 400 bytes each. */
const MAX_LOG_BYTES = 100_000_000;

const ColdStarts = z.object({ events: z.array(z.object({ message: z.string() })) });
const ColdStart = z.object({ nodeFlags: z.array(z.string()) });

/** The flags in the log of the latest cold start that is found, by the AWS CLI with the caller's credentials. @throws Mismatch */
export const readNodeFlags = async ({ logGroup }: { logGroup: string }): Promise<string> => {
  const pattern = '{ $.message = "cold start" }';
  const command = ["logs", "filter-log-events", "--log-group-name", logGroup, "--filter-pattern", pattern];
  const since = String(Date.now() - DAY_MS);
  const options = [...command, "--start-time", since, "--output", "json"];
  const { stdout } = await promisify(execFile)("aws", options, { maxBuffer: MAX_LOG_BYTES }).catch((error: unknown) => {
    throw new Mismatch(`the AWS CLI read no log: ${error instanceof Error ? error.message.trim() : String(error)}`);
  });
  const latest = ColdStarts.parse(JSON.parse(stdout)).events.at(-1);
  if (latest === undefined)
    throw new Mismatch("no cold start of the last day reported its flags: deploy with nodeFlags=report");
  const { nodeFlags } = ColdStart.parse(JSON.parse(latest.message));
  return nodeFlags.length === 0 ? "none" : nodeFlags.join(" ");
};
