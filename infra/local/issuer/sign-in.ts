/**
 * The part of the development issuer that browsers and their clients use: sign-in page, session cookie, codes, the grants of
 * the token endpoint, revocation and sign-out.
 */
import * as z from "zod";
import { isIdentifier, isOrganization } from "../../../shared/terms/caller.ts";
import { roles } from "../../../shared/terms/permissions.ts";
import { headerOf, splitTarget, type WireRequest, type WireResponse } from "../http/front-end.ts";
import { readStyles, STYLES_PATH } from "../http/html-page.ts";
import { jsonResponse, refuse } from "../http/json-server.ts";
import { type AuthorizationError, type AuthorizationRequest, parseAuthorization } from "./authorization-request.ts";
import { createCodes } from "./codes.ts";
import { createGrants, type GrantOptions } from "./grants.ts";
import { lifetimeNames, type Session } from "./sessions.ts";
import { DEFAULT_SIGN_IN, messagePage, type SignInForm, signInPage } from "./sign-in-page.ts";

export type SignInOptions = Omit<GrantOptions, "codes"> & {
  /** The issuer's URL, which is known only when it listens. */
  issuer: () => string;
  redirectUris: readonly string[];
  /** Whether an outage is simulated: each request is answered 503. */
  isDown: () => boolean;
};

/** Cookies do not distinguish ports, so every server of this machine's address receives it: RFC 6265, section 8.5. */
const COOKIE = "local_issuer_session";

const Chosen = z.object({
  organization: z
    .string()
    .trim()
    .refine(
      (id) => id === "" || isOrganization(id),
      "Give 1 to 128 printable characters without space, not . or .. alone.",
    )
    .transform((id) => id || undefined),
  role: z.enum(roles, "Choose a role."),
  user: z.string().trim().refine(isIdentifier, "Give 1 to 128 printable characters without space."),
  lifetime: z.enum(lifetimeNames, "Choose a lifetime."),
});

/** The message of the simulated outage. */
export const DOWN = "the issuer is down, as asked for by POST /outage";

const cookieOf = (request: WireRequest): string =>
  /(?:^|;\s*)local_issuer_session=([\w-]+)/.exec(headerOf(request, "cookie") ?? "")?.[1] ?? "";

const isForm = (request: WireRequest): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headerOf(request, "content-type") ?? "");

const formOf = (request: WireRequest): URLSearchParams => new URLSearchParams(request.body?.toString("utf8") ?? "");

const redirectTo = (url: string, headers: Readonly<Record<string, string>> = {}): WireResponse => ({
  statusCode: 303,
  headers: { location: url, "cache-control": "no-store", "referrer-policy": "no-referrer", ...headers },
  body: Buffer.alloc(0),
});

export const createSignIn = (options: SignInOptions) => {
  const { sessions, clock, issuer, redirectUris, isDown } = options;
  const codes = createCodes(clock);
  const grants = createGrants({ ...options, codes });
  const origins = [...new Set(redirectUris.map((uri) => new URL(uri).origin))];

  /** Browsers apply `form-action` to the redirect that follows too: https://github.com/w3c/webappsec-csp/issues/8 */
  const contentSecurityPolicy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src data:",
    `form-action ${["'self'", ...origins].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

  const htmlPage = (statusCode: number, text: string): WireResponse => ({
    statusCode,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": contentSecurityPolicy,
      // Not no-referrer, with which browsers send the form with the origin null.
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    },
    body: Buffer.from(text),
  });

  const downPage = () => htmlPage(503, messagePage("Not now", `You cannot sign in: ${DOWN}.`));

  const returnTo = (
    { redirectUri, state }: Pick<AuthorizationRequest, "redirectUri" | "state">,
    answer: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => {
    const url = new URL(redirectUri);
    // RFC 9207: the client compares iss with the issuer that it asked.
    const all = { ...answer, ...(state !== undefined && { state }), iss: issuer() };
    for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
    return redirectTo(url.href, headers);
  };

  const returnError = ({ error, description, ...to }: AuthorizationError) =>
    returnTo(to, { error, error_description: description });

  const returnCode = (request: AuthorizationRequest, session: Session, headers?: Readonly<Record<string, string>>) =>
    returnTo(request, { code: codes.issue(request, session.id) }, headers);

  const formPage = (statusCode: number, request: AuthorizationRequest, form: SignInForm) =>
    htmlPage(statusCode, signInPage(new URL(request.redirectUri).origin, form));

  const authorize = (wire: WireRequest, request: AuthorizationRequest): WireResponse => {
    const { prompt, maxAgeSeconds = Number.POSITIVE_INFINITY, loginHint } = request;
    const session = sessions.bySecret(cookieOf(wire));
    const isRecent = session && clock.now() - session.signedInAtMs <= maxAgeSeconds * 1000;
    const asksNobody = prompt.length === 0 || prompt.includes("none");
    if (session && isRecent && asksNobody) return returnCode(request, session);
    if (prompt.includes("none"))
      return returnError({ ...request, error: "login_required", description: "the browser has no session" });
    const { organizationId, role, userId, lifetime } = DEFAULT_SIGN_IN;
    const values = { organization: organizationId, role, user: loginHint ?? userId, lifetime };
    return formPage(200, request, { values, problems: {} });
  };

  const signIn = (wire: WireRequest, request: AuthorizationRequest): WireResponse => {
    const origin = headerOf(wire, "origin");
    if (origin !== undefined && origin !== issuer())
      return htmlPage(403, messagePage("Refused", "The form was sent by a page of another site."));
    const sent = formOf(wire);
    const value = (name: string) => sent.get(name) ?? "";
    const values = {
      organization: value("organization"),
      role: value("role"),
      user: value("user"),
      lifetime: value("lifetime") || DEFAULT_SIGN_IN.lifetime,
    };
    const chosen = Chosen.safeParse(values);
    if (!chosen.success) {
      const problems = Object.fromEntries(chosen.error.issues.map(({ path, message }) => [path[0], message]));
      return formPage(400, request, { values, problems });
    }
    const { organization, role, user, lifetime } = chosen.data;
    const { session, secret } = sessions.begin({
      ...(organization !== undefined && { organizationId: organization }),
      role,
      userId: user,
      lifetime,
    });
    return returnCode(request, session, { "set-cookie": `${COOKIE}=${secret}; Path=/; HttpOnly; SameSite=Lax` });
  };

  const atAuthorize = (wire: WireRequest, query: URLSearchParams): WireResponse => {
    const parsed = parseAuthorization(query, redirectUris);
    if (parsed.kind === "refusal") return htmlPage(400, messagePage("This sign-in cannot go on", parsed.problem));
    if (parsed.kind === "error") return returnError(parsed.error);
    return wire.method === "POST" ? signIn(wire, parsed.request) : authorize(wire, parsed.request);
  };

  /** Source: https://openid.net/specs/openid-connect-rpinitiated-1_0.html */
  const logout = (wire: WireRequest, query: URLSearchParams): WireResponse => {
    const session = sessions.bySecret(cookieOf(wire));
    if (session) sessions.end(session.id);
    const headers = { "set-cookie": `${COOKIE}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0` };
    const [uri, ...others] = query.getAll("post_logout_redirect_uri");
    if (uri !== undefined && others.length === 0 && redirectUris.includes(uri)) {
      const url = new URL(uri);
      const state = query.get("state");
      if (state !== null) url.searchParams.set("state", state);
      return redirectTo(url.href, headers);
    }
    const message =
      uri === undefined
        ? "You may close this page."
        : `The address to return to is not registered. Registered are: ${redirectUris.join(", ")}.`;
    const answer = htmlPage(uri === undefined ? 200 : 400, messagePage("You are signed out", message));
    return { ...answer, headers: { ...answer.headers, ...headers } };
  };

  return {
    /** The origins whose scripts may call the token endpoint. */
    origins,
    /** What the discovery document says of this part. */
    metadata: () => ({
      authorization_endpoint: `${issuer()}/authorize`,
      revocation_endpoint: `${issuer()}/revoke`,
      end_session_endpoint: `${issuer()}/logout`,
      authorization_response_iss_parameter_supported: true,
    }),
    /** @returns undefined for a request of another part; that includes `POST /token` with JSON. */
    async answer(wire: WireRequest): Promise<WireResponse | undefined> {
      const { path, query: search } = splitTarget(wire.target);
      const query = new URLSearchParams(search);
      const method = wire.method === "HEAD" ? "GET" : wire.method;
      const request = () => ({ form: formOf(wire), hasAuthorization: headerOf(wire, "authorization") !== undefined });
      switch (`${method} ${path}`) {
        case `GET ${STYLES_PATH}`:
          return { ...htmlPage(200, readStyles()), headers: { "content-type": "text/css; charset=utf-8" } };
        case "GET /authorize":
        case "POST /authorize":
          return isDown() ? downPage() : atAuthorize(wire, query);
        case "GET /logout":
          return isDown() ? downPage() : logout(wire, query);
        case "POST /revoke":
          return jsonResponse(isDown() ? refuse(503, DOWN) : grants.revoke(request()));
        case "POST /token":
          // `curl -d '{…}'` sends JSON as a form.
          if (!isForm(wire) || /^\s*(\{|$)/.test(wire.body?.toString("utf8") ?? "")) return undefined;
          return jsonResponse(isDown() ? refuse(503, DOWN) : await grants.token(request()));
        default:
          return undefined;
      }
    },
  };
};
