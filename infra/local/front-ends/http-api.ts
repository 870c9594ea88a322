import { randomBytes } from "node:crypto";
import type { Activity } from "../core/activity.ts";
import type { Clock } from "../core/clock.ts";
import type { HttpApiModel } from "../core/model.ts";
import { answerPreflight, withCors } from "../http/cors.ts";
import { createFrontEnd, ownAnswer, type WireRequest, type WireResponse } from "../http/front-end.ts";
import { type Listening, listen } from "../http/listen.ts";
import { createRouter } from "../http/router.ts";
import type { Authorizer } from "../iam/authorizer.ts";
import type { InvocationResult } from "../lambda/function-error.ts";
import type { Functions } from "../lambda/functions.ts";
import { createHttpEvent } from "./http-event.ts";
import { respond } from "./http-response.ts";
import { type Answering, type ObserveAnswers, unobserved } from "./observe-requests.ts";

/** Quotas of an HTTP API. Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const MAX_BODY_BYTES = 10 * 1_048_576;
const MAX_HEADER_BYTES = 10_240;
const INTEGRATION_TIMEOUT_MS = 30_000;

const API_GATEWAY = "apigateway.amazonaws.com";

export type HttpApiOptions = {
  api: HttpApiModel;
  accountId: string;
  /** 0 for any that is free. */
  port: number;
  functions: Pick<Functions, "invoke">;
  authorizer: Authorizer;
  clock: Pick<Clock, "now">;
  activity: Pick<Activity, "enter">;
  /** The time-out of a function's answer: 30 s; tests may shorten it. */
  integrationTimeoutMs?: number;
  log: (line: string) => void;
  /** Makes the requests observed; by default they are not. */
  observed?: ObserveAnswers;
};

/** The decoded path up to a decoded `?`; undefined if it cannot be decoded. */
export const decodePath = (target: string): string | undefined => {
  try {
    return decodeURIComponent(target.split("?", 1)[0] ?? "").split("?", 1)[0];
  } catch {
    return undefined;
  }
};

/** Starts one HTTP API of the template. @throws Error that names the port when it is taken. */
export const startHttpApi = async (options: HttpApiOptions): Promise<Listening> => {
  const { api, accountId, functions, authorizer, clock, activity, log } = options;
  const { integrationTimeoutMs = INTEGRATION_TIMEOUT_MS, observed = unobserved } = options;
  const route = createRouter(api.routes);
  let port = options.port;

  const answer = async (request: WireRequest, answering: Answering): Promise<WireResponse> => {
    const path = decodePath(request.target);
    if (!path?.startsWith("/")) return ownAnswer(400, "Bad Request");
    const match = route(request.method, path);
    if (!match) return answerPreflight(api.cors, request) ?? ownAnswer(404, "Not Found");
    const { routeKey, functionArn, sourceArn, roleArn } = match.route;
    answering.functionArn = functionArn;
    const verdict = authorizer.judge({
      principal:
        roleArn === undefined
          ? { kind: "service", service: API_GATEWAY, sourceArn }
          : { kind: "role", roleArn, service: API_GATEWAY },
      action: "lambda:InvokeFunction",
      resource: functionArn,
    });
    if (!verdict.allowed) {
      log(`the route ${routeKey} may not invoke ${functionArn} ${verdict.reason}`);
      return ownAnswer(500, "Internal Server Error");
    }
    const leave = await activity.enter();
    const requestId = randomBytes(11).toString("base64url").padEnd(16, "=");
    answering.requestId = requestId;
    const event = createHttpEvent(request, {
      accountId,
      apiId: api.apiId,
      routeKey,
      path,
      pathParameters: match.pathParameters,
      port,
      requestId,
      nowMs: clock.now(),
    });
    const result = await within(integrationTimeoutMs, (onStart) =>
      functions.invoke(functionArn, JSON.stringify(event), onStart).finally(leave),
    );
    if (result === "too late") return ownAnswer(503, "Service Unavailable");
    return result.ok ? withCors(api.cors, request, respond(result)) : respond(result);
  };

  const server = createFrontEnd({
    maxBodyBytes: MAX_BODY_BYTES,
    maxHeaderBytes: MAX_HEADER_BYTES,
    answer: observed(answer),
    now: clock.now,
    onError: (error) => log(`${api.logicalId}: ${error instanceof Error ? error.stack : String(error)}`),
  });
  const listening = await listen(server, port);
  port = listening.port;
  return listening;
};

/** Waits for a function's result for a time, counted from when an instance has the event. The function continues. */
const within = (
  timeoutMs: number,
  invoke: (onStart: () => void) => Promise<InvocationResult>,
): Promise<InvocationResult | "too late"> =>
  new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const giveUp = () => resolve("too late");
    const onStart = () => {
      timer = setTimeout(giveUp, timeoutMs);
    };
    invoke(onStart)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
