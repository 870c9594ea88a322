/** The setting of a case: a bench, a lane with the world's state, and the world. */
import type { FaultBench, Lane, LaneAnswer, RequestParts } from "./lanes.ts";

/** The state of a lane's tables: one organization that has used everything (world.ts). */
export type World = {
  token: string;
  accountId: string;
  apiKey: string;
  webhookSecret: string;
  alertId: string;
  eventIds: readonly string[];
  reportId: string;
  exportId: string;
  previewId: string;
  drillId: string;
};

export type Setting = { bench: FaultBench; lane: Lane; world: World };

/** A request of the organization's administrator; `webhook` goes to the webhook URL, without a token. */
export type CaseRequest = RequestParts & { method: string; target: string; webhook?: true };

export const send = (
  { lane, world }: Setting,
  { method, target, webhook, ...parts }: CaseRequest,
): Promise<LaneAnswer> =>
  webhook ? lane.webhook(target, parts) : lane.request(method, target, { token: world.token, ...parts });

const ATTEMPTS = 5;

/** Sends a request that must succeed. */
export const succeed = async (setting: Setting, request: CaseRequest): Promise<LaneAnswer> => {
  let answer = await send(setting, request);
  // A machine that is too busy exceeds time-outs.
  for (let attempt = 1; answer.status === 503 && attempt < ATTEMPTS; attempt++) answer = await send(setting, request);
  if (answer.status >= 300) throw new Error(`${request.method} ${request.target}: ${answer.status} ${answer.text}`);
  return answer;
};
