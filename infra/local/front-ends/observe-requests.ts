import type { FunctionModel } from "../core/model.ts";
import type { Observe } from "../core/observation.ts";
import type { WireRequest, WireResponse } from "../http/front-end.ts";

/** What a front end learns about a request while it answers. */
export type Answering = { functionArn?: string; requestId?: string };

type Answer = (request: WireRequest, answering: Answering) => Promise<WireResponse>;

/** Makes a front end's answers observed. */
export type ObserveAnswers = (answer: Answer) => (request: WireRequest) => Promise<WireResponse>;

export const unobserved: ObserveAnswers = (answer) => (request) => answer(request, {});

const parseJson = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

/** The claims of a bearer token, not verified: a log line may name a caller whom the service refuses. */
const claimsOf = ({ rawHeaders }: WireRequest): Record<string, unknown> => {
  const at = rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === "authorization");
  const [, payload = ""] = /^bearer [\w-]+\.([\w-]+)\./i.exec(rawHeaders[at + 1] ?? "") ?? [];
  return parseJson(Buffer.from(payload, "base64url").toString("utf8"));
};

/** The target without the key of a link, which opens a report like a password. */
const withoutKey = (target: string): string => target.replace(/([?&]key=)[^&]+/g, "$1…");

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);

const reasonOf = ({ statusCode, body }: WireResponse): string | undefined => {
  if (statusCode < 400) return undefined;
  const { error, message, Message } = parseJson(body.toString("utf8"));
  return [error, message ?? Message].filter((part) => part !== undefined).join(" ") || undefined;
};

/** Reports each request when it is answered. @param options.organizationClaim the claim that names the organization */
export const observeRequests =
  (options: {
    observe: Observe;
    functions: readonly Pick<FunctionModel, "arn" | "logicalId">[];
    organizationClaim: string;
  }): ObserveAnswers =>
  (answer) =>
  async (request) => {
    const { observe, functions, organizationClaim } = options;
    const startedAt = performance.now();
    const answering: Answering = {};
    const response = await answer(request, answering);
    const claims = claimsOf(request);
    observe({
      kind: "request",
      method: request.method,
      target: withoutKey(request.target),
      status: response.statusCode,
      durationMs: Math.round(performance.now() - startedAt),
      source: functions.find(({ arn }) => arn === answering.functionArn)?.logicalId,
      requestId: answering.requestId,
      organizationId: textOf(claims[organizationClaim]),
      userId: textOf(claims.sub),
      reason: reasonOf(response),
    });
    return response;
  };
