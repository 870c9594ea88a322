/** The token endpoint for clients with a code or a refresh token, and the revocation endpoint. */
import { createHash } from "node:crypto";
import { CONSOLE_CLIENT_ID } from "../../console-client.ts";
import type { JsonAnswer } from "../http/json-server.ts";
import { parameterOf, repeatedIn } from "./authorization-request.ts";
import type { Codes } from "./codes.ts";
import { lifetimes, type Session, type Sessions } from "./sessions.ts";

export type GrantOptions = {
  sessions: Sessions;
  codes: Codes;
  clock: { now(): number };
  /** Whether each use of a refresh token replaces it. Otherwise the answer of a refresh has none. */
  isRotating: boolean;
  /** The answer of a new access token of the session. */
  mintAccessToken: (session: Session, expiresInSeconds: number) => Promise<object>;
  /** Signs the claims of an ID token, `iss` not included. */
  signIdToken: (claims: Record<string, unknown>) => Promise<string>;
};

/** A request of the token endpoint: the form, and whether the client sent an `Authorization` header. */
type TokenEndpointRequest = { form: URLSearchParams; hasAuthorization: boolean };

/** The error response of RFC 6749, section 5.2. */
const refuseGrant = (error: string, description: string): JsonAnswer => ({
  status: error === "invalid_client" ? 401 : 400,
  body: { error, error_description: description },
});

/** Source: https://www.rfc-editor.org/rfc/rfc7636#section-4.1 */
const VERIFIER = /^[\w.~-]{43,128}$/;

/** The problem of a request by its client and parameters, before its grant is looked at. */
const problemOf = ({ form, hasAuthorization }: TokenEndpointRequest): JsonAnswer | undefined => {
  const repeated = repeatedIn(form);
  if (repeated !== undefined) return refuseGrant("invalid_request", `${repeated} is given more than once`);
  if (hasAuthorization || form.has("client_secret"))
    return refuseGrant("invalid_client", "the client is public: it has no secret");
  if (parameterOf(form, "client_id") !== CONSOLE_CLIENT_ID)
    return refuseGrant("invalid_client", `client_id must be ${CONSOLE_CLIENT_ID}`);
  return undefined;
};

const missing = (form: URLSearchParams, ...names: string[]): JsonAnswer | undefined => {
  const name = names.find((one) => parameterOf(form, one) === undefined);
  return name === undefined ? undefined : refuseGrant("invalid_request", `${name} is missing`);
};

export const createGrants = ({ sessions, codes, clock, isRotating, mintAccessToken, signIdToken }: GrantOptions) => {
  const answer = async (session: Session, scope: string, others: object): Promise<JsonAnswer> => {
    const { seconds } = lifetimes[session.lifetime];
    return {
      status: 200,
      body: { ...(await mintAccessToken(session, seconds)), ...(scope !== "" && { scope }), ...others },
    };
  };

  const exchangeCode = async (form: URLSearchParams): Promise<JsonAnswer> => {
    const invalid = missing(form, "code", "redirect_uri", "code_verifier");
    if (invalid) return invalid;
    const verifier = form.get("code_verifier") ?? "";
    if (!VERIFIER.test(verifier))
      return refuseGrant("invalid_request", "code_verifier must be 43 to 128 unreserved characters (RFC 7636)");
    const code = codes.take(form.get("code") ?? "");
    if (code === undefined) return refuseGrant("invalid_grant", "the code is unknown or has expired");
    if (code.isUsed) {
      // Somebody else has the code too, so what it was exchanged for ends: RFC 6749, section 4.1.2.
      if (code.grantId !== undefined) sessions.endGrant(code.grantId);
      return refuseGrant("invalid_grant", "the code was used before");
    }
    const { request, sessionId } = code;
    if (form.get("redirect_uri") !== request.redirectUri)
      return refuseGrant("invalid_grant", "redirect_uri differs from that of the authorization request");
    if (createHash("sha256").update(verifier).digest("base64url") !== request.codeChallenge)
      return refuseGrant("invalid_grant", "code_verifier does not match the code_challenge");
    const session = sessions.byId(sessionId);
    if (session === undefined) return refuseGrant("invalid_grant", "the session has ended");
    const { seconds, isRenewed } = lifetimes[session.lifetime];
    const granted = isRenewed ? sessions.grant(session, request.scope) : undefined;
    if (granted) code.exchangedFor(granted.grant.id);
    const nowSeconds = Math.floor(clock.now() / 1000);
    return answer(session, request.scope, {
      ...(granted && { refresh_token: granted.refreshToken }),
      ...(request.scope.split(" ").includes("openid") && {
        id_token: await signIdToken({
          aud: CONSOLE_CLIENT_ID,
          sub: session.userId,
          sid: session.id,
          iat: nowSeconds,
          exp: nowSeconds + seconds,
          auth_time: Math.floor(session.signedInAtMs / 1000),
          ...(request.nonce !== undefined && { nonce: request.nonce }),
        }),
      }),
    });
  };

  const refresh = async (form: URLSearchParams): Promise<JsonAnswer> => {
    const invalid = missing(form, "refresh_token");
    if (invalid) return invalid;
    const refreshed = sessions.refresh(form.get("refresh_token") ?? "", isRotating);
    if (refreshed === undefined)
      return refuseGrant("invalid_grant", "the refresh token is unknown, was used before, or its session has ended");
    const { session, grant, refreshToken } = refreshed;
    return answer(session, grant.scope, refreshToken === undefined ? {} : { refresh_token: refreshToken });
  };

  return {
    /** `POST /token` with a form. */
    async token(request: TokenEndpointRequest): Promise<JsonAnswer> {
      const { form } = request;
      const problem = problemOf(request) ?? missing(form, "grant_type");
      if (problem) return problem;
      if (form.get("grant_type") === "authorization_code") return exchangeCode(form);
      if (form.get("grant_type") === "refresh_token") return refresh(form);
      return refuseGrant("unsupported_grant_type", "grant_type must be authorization_code or refresh_token");
    },
    /** `POST /revoke`: ends the grant of a refresh token. Source: https://www.rfc-editor.org/rfc/rfc7009 */
    revoke(request: TokenEndpointRequest): JsonAnswer {
      const { form } = request;
      const problem = problemOf(request) ?? missing(form, "token");
      if (problem) return problem;
      const token = form.get("token") ?? "";
      if (token.split(".").length === 3)
        return refuseGrant("unsupported_token_type", "an access token is a JWT, which is valid until it expires");
      sessions.endGrant(token);
      return { status: 200, body: {} };
    },
  };
};
