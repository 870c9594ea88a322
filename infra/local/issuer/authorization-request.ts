/** The parameters of `GET /authorize`. Source: https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#section-4.1.1 */
import { CONSOLE_CLIENT_ID } from "../../console-client.ts";

export const SCOPES = ["openid", "offline_access"] as const;

export type AuthorizationRequest = {
  redirectUri: string;
  state: string | undefined;
  /** The requested scopes that the issuer has, joined by spaces. */
  scope: string;
  codeChallenge: string;
  nonce: string | undefined;
  prompt: readonly string[];
  /** The user must have signed in at most this many seconds ago. */
  maxAgeSeconds: number | undefined;
  /** The user that the client expects. */
  loginHint: string | undefined;
};

/** An error that the client learns by a redirect. */
export type AuthorizationError = { redirectUri: string; state: string | undefined; error: string; description: string };

/** A `refusal` is told on a page and never by a redirect, because the address to return to is not to be trusted. */
export type ParsedAuthorization =
  | { kind: "refusal"; problem: string }
  | { kind: "error"; error: AuthorizationError }
  | { kind: "request"; request: AuthorizationRequest };

const PROMPTS = ["none", "login", "consent", "select_account"];
/** A SHA-256 hash as base64url. */
const CHALLENGE = /^[\w-]{43}$/;

/** A parameter's value; undefined without one. An empty value counts as none: RFC 6749, section 3.1. */
export const parameterOf = (parameters: URLSearchParams, name: string): string | undefined =>
  parameters.get(name) || undefined;

/** The name of a parameter that is given more than once. */
export const repeatedIn = (parameters: URLSearchParams): string | undefined =>
  [...parameters.keys()].find((name) => parameters.getAll(name).length > 1);

/** The first problem of the request, as error code and description. */
const problemOf = (parameters: URLSearchParams): [string, string] | undefined => {
  const value = (name: string) => parameterOf(parameters, name);
  const repeated = repeatedIn(parameters);
  const prompt = value("prompt")?.split(" ") ?? [];
  if (repeated !== undefined) return ["invalid_request", `${repeated} is given more than once`];
  if (value("request") !== undefined) return ["request_not_supported", "request objects are not supported"];
  if (value("request_uri") !== undefined) return ["request_uri_not_supported", "request_uri is not supported"];
  if (value("response_type") === undefined) return ["invalid_request", "response_type is missing"];
  if (value("response_type") !== "code") return ["unsupported_response_type", "response_type must be code"];
  if ((value("response_mode") ?? "query") !== "query") return ["invalid_request", "response_mode must be query"];
  if (value("code_challenge") === undefined)
    return ["invalid_request", "code_challenge is missing: clients must use PKCE (RFC 7636)"];
  if (value("code_challenge_method") !== "S256") return ["invalid_request", "code_challenge_method must be S256"];
  if (!CHALLENGE.test(value("code_challenge") ?? ""))
    return ["invalid_request", "code_challenge must be a SHA-256 hash as base64url, 43 characters long"];
  if (prompt.some((one) => !PROMPTS.includes(one)))
    return ["invalid_request", `prompt must be one of ${PROMPTS.join(", ")}`];
  if (prompt.includes("none") && prompt.length > 1) return ["invalid_request", "prompt=none excludes any other prompt"];
  if (!/^\d{0,9}$/.test(value("max_age") ?? "")) return ["invalid_request", "max_age must be whole seconds"];
  return undefined;
};

/** Checks client and redirect URI first: only then may an error be told by a redirect. */
export const parseAuthorization = (
  parameters: URLSearchParams,
  redirectUris: readonly string[],
): ParsedAuthorization => {
  const value = (name: string) => parameterOf(parameters, name);
  const clientIds = parameters.getAll("client_id");
  if (clientIds.length !== 1 || clientIds[0] !== CONSOLE_CLIENT_ID)
    return {
      kind: "refusal",
      problem: `client_id is ${JSON.stringify(clientIds.join(", "))}, but the only client is ${CONSOLE_CLIENT_ID}.`,
    };
  const [redirectUri, ...others] = parameters.getAll("redirect_uri");
  if (redirectUri === undefined || others.length > 0 || !redirectUris.includes(redirectUri))
    return {
      kind: "refusal",
      problem: `redirect_uri is ${JSON.stringify(parameters.getAll("redirect_uri").join(", "))}, but it must be one of: ${redirectUris.join(", ")}.`,
    };
  const state = parameters.getAll("state").length === 1 ? value("state") : undefined;
  const problem = problemOf(parameters);
  if (problem !== undefined) {
    const [error, description] = problem;
    return { kind: "error", error: { redirectUri, state, error, description } };
  }
  const requested = value("scope")?.split(" ") ?? [];
  const maxAge = value("max_age");
  return {
    kind: "request",
    request: {
      redirectUri,
      state,
      scope: SCOPES.filter((scope) => requested.includes(scope)).join(" "),
      codeChallenge: value("code_challenge") ?? "",
      nonce: value("nonce"),
      prompt: value("prompt")?.split(" ") ?? [],
      maxAgeSeconds: maxAge === undefined ? undefined : Number(maxAge),
      loginHint: value("login_hint"),
    },
  };
};
