import { randomUUID } from "node:crypto";
import type { Activity } from "../core/activity.ts";
import type { Clock } from "../core/clock.ts";
import type { FunctionUrlModel } from "../core/model.ts";
import { createFrontEnd, ownAnswer, type WireRequest, type WireResponse } from "../http/front-end.ts";
import { type Listening, listen } from "../http/listen.ts";
import type { Authorizer, Check } from "../iam/authorizer.ts";
import { type InvocationResult, MAX_REQUEST_BYTES } from "../lambda/function-error.ts";
import type { Functions } from "../lambda/functions.ts";
import { createHttpEvent } from "./http-event.ts";
import { toHttpResponse } from "./http-response.ts";
import { type Answering, type ObserveAnswers, unobserved } from "./observe-requests.ts";

/** Not documented; the limit of an HTTP API. */
const MAX_HEADER_BYTES = 10_240;

/**
 * A URL's policy must allow both actions to every caller.
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
 */
const checksOf = ({ functionArn }: FunctionUrlModel): Check[] => [
  {
    action: "lambda:InvokeFunctionUrl",
    resource: functionArn,
    context: { "lambda:FunctionUrlAuthType": ["NONE"] },
  },
  {
    action: "lambda:InvokeFunction",
    resource: functionArn,
    context: { "lambda:InvokedViaFunctionUrl": ["true"] },
  },
];

const FORBIDDEN: WireResponse = {
  statusCode: 403,
  headers: { "content-type": "application/json", "x-amzn-errortype": "AccessDeniedException" },
  body: Buffer.from(
    JSON.stringify({
      Message:
        "Forbidden. For troubleshooting Function URL authorization issues, see: https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html",
    }),
  ),
};

/** The answer if the function fails, takes too long or returns a malformed result. */
const FAILED: WireResponse = {
  statusCode: 502,
  headers: { "content-type": "application/json" },
  body: Buffer.from("Internal Server Error"),
};

const respond = (result: InvocationResult): WireResponse => {
  if (result.ok) return toHttpResponse(result.payload) ?? FAILED;
  const { errorType } = result.error;
  return errorType === "RequestEntityTooLargeException" ? ownAnswer(413, "Request Entity Too Large") : FAILED;
};

export type FunctionUrlOptions = {
  functionUrl: FunctionUrlModel;
  /** 0 for any that is free. */
  port: number;
  functions: Pick<Functions, "invoke">;
  authorizer: Authorizer;
  clock: Pick<Clock, "now">;
  activity: Pick<Activity, "enter">;
  log: (line: string) => void;
  /** Makes the requests observed; by default they are not. */
  observed?: ObserveAnswers;
};

/**
 * Starts the server of one function URL: events of payload format 2.0, the path as it was sent, no time-out but the
 * function's own. @throws Error that names the port when it is taken.
 */
export const startFunctionUrl = async (options: FunctionUrlOptions): Promise<Listening> => {
  const { functionUrl, functions, authorizer, clock, activity, log, observed = unobserved } = options;
  const { logicalId, functionArn, urlId } = functionUrl;
  let port = options.port;

  const isOpen = (): boolean => {
    for (const check of checksOf(functionUrl)) {
      const { allowed, reason } = authorizer.judge({ ...check, principal: { kind: "anonymous" } });
      if (allowed) continue;
      log(`the URL ${logicalId} may not invoke ${functionArn} ${reason}`);
      return false;
    }
    return true;
  };

  const answer = async (request: WireRequest, answering: Answering): Promise<WireResponse> => {
    const [path = ""] = request.target.split("?", 1);
    if (!path.startsWith("/")) return ownAnswer(400, "Bad Request");
    if (!isOpen()) return FORBIDDEN;
    const leave = await activity.enter();
    const requestId = randomUUID();
    Object.assign(answering, { functionArn, requestId });
    const event = createHttpEvent(request, {
      // Lambda's value for an unauthenticated caller.
      accountId: "anonymous",
      apiId: urlId,
      routeKey: "$default",
      path,
      pathParameters: {},
      port,
      requestId,
      nowMs: clock.now(),
    });
    return functions.invoke(functionArn, JSON.stringify(event)).finally(leave).then(respond);
  };

  const server = createFrontEnd({
    maxBodyBytes: MAX_REQUEST_BYTES,
    maxHeaderBytes: MAX_HEADER_BYTES,
    answer: observed(answer),
    onError: (error) => log(`${logicalId}: ${error instanceof Error ? error.stack : String(error)}`),
  });
  const listening = await listen(server, port);
  port = listening.port;
  return listening;
};
