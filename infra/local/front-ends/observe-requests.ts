import type { FunctionModel } from "../core/model.ts";
import type { Observe } from "../core/observation.ts";
import { splitTarget, type WireRequest, type WireResponse } from "../http/front-end.ts";

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

/** Parameters that hold credentials: of links, of OAuth, and of a client that puts its token into the address. */
const SECRET_NAME =
  /token|secret|passw|pwd|credential|signature|^sig$|key$|auth|^code$|verifier|jwt|^sid$|session|assertion|^state$/i;
/** Tokens, and the keys of the payment provider, under any name. */
const SECRET_VALUE = /^(?:bearer\b|ey[\w-]+\.[\w-]+\.|(?:sk|rk|pk|whsec)_)/i;

/** The text itself if it is not well encoded. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
};

/** The target without the values of credentials. */
const withoutCredentials = (target: string): string => {
  const { path, query } = splitTarget(target);
  if (query === "") return target;
  const parameters = query.split("&").map((parameter) => {
    const [name = "", ...rest] = parameter.split("=");
    const value = rest.join("=");
    const isSecret = SECRET_NAME.test(decoded(name)) || SECRET_VALUE.test(decoded(value));
    return isSecret && value !== "" ? `${name}=…` : parameter;
  });
  return `${path}?${parameters.join("&")}`;
};

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
      target: withoutCredentials(request.target),
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
