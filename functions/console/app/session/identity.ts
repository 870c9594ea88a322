/**
 * Signing in at the deployment's issuer: the authorization code flow with PKCE for a public client, as RFC 9700 recommends
 * for browsers. The library checks each answer of the issuer; this file only orders the steps.
 * Session storage keeps the verifier and the state while the browser is at the issuer. It never has a token.
 */
import * as oauth from "oauth4webapi";
import type { ConsoleSettings } from "./settings.ts";

/** Times are epoch milliseconds, as `now` of the identity. From `renewAt` on, the access token should be replaced. */
export type Tokens = {
  access: string;
  /** Names the user at the issuer; undefined if the issuer gave no ID token. */
  subject: string | undefined;
  expiresAt: number;
  renewAt: number;
  refresh: string | undefined;
  id: string | undefined;
};

const PENDING = "console.signIn";
/** The lifetime of a token whose issuer names none. */
const DEFAULT_LIFETIME_S = 300;
/** Tokens are renewed this long before they end, or after half of a shorter lifetime. */
const RENEW_BEFORE_MS = 30_000;
/** Without it, a request that the issuer never answers would hold up every request to the API. */
const TIMEOUT_MS = 10_000;

/** `server`: the issuer's discovery document, so that the return need not read it again. */
type Pending = {
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
  isSilent: boolean;
  server?: oauth.AuthorizationServer;
};

/** The result of a return from the issuer. `refused`: the issuer, or the user there, did not sign in. */
export type Returned =
  | { outcome: "signedIn"; tokens: Tokens; returnTo: string }
  | { outcome: "refused"; returnTo: string; isSilent: boolean; reason: string }
  /** The issuer's answer is invalid, or the issuer cannot be reached. */
  | { outcome: "failed"; returnTo: string; reason: string };

export type Identity = ReturnType<typeof createIdentity>;

/** Why a request to the issuer failed, as the end of a sentence. */
const causeOf = (error: unknown): string => {
  if (error instanceof oauth.OperationProcessingError && error.cause instanceof Response)
    return `it answered with the status ${error.cause.status}`;
  if (error instanceof TypeError) return "there is no connection to it";
  if (error instanceof DOMException && error.name === "TimeoutError") return "it took too long to answer";
  return error instanceof Error ? error.message : String(error);
};

/** Of the sign-in that this page completes. */
let returnTo: string | undefined;

/** The address to which the sign-in that the page completes returns; undefined if there is none. */
export const pendingReturn = (): string | undefined => returnTo;

const takePending = (): Pending | undefined => {
  const stored = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  const pending = stored === null ? undefined : (JSON.parse(stored) as Pending);
  returnTo = pending?.returnTo;
  return pending;
};

/** @param redirectUri the page's own address, as it is registered at the issuer. */
export const createIdentity = (settings: ConsoleSettings & { clientId: string }, redirectUri: string) => {
  const { issuer, clientId, scope, audience } = settings;
  const client: oauth.Client = { client_id: clientId };
  const publicClient = oauth.None();
  // Only the local cloud's issuer has no TLS.
  const isInsecure = new URL(issuer).protocol === "http:";
  const transport = () => ({
    [oauth.allowInsecureRequests]: isInsecure,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const isOpenId = scope.split(" ").includes("openid");
  let discovered: Promise<oauth.AuthorizationServer> | undefined;
  /** How far the issuer's clock is ahead of this browser's: 0, but for the local cloud, whose clock can be moved. */
  let aheadMs = 0;
  let clockRead: Promise<void> | undefined;

  const discover = (): Promise<oauth.AuthorizationServer> => {
    discovered ??= oauth
      .discoveryRequest(new URL(issuer), transport())
      .then((response) => oauth.processDiscoveryResponse(new URL(issuer), response))
      .catch((error: unknown) => {
        // The next attempt asks again.
        discovered = undefined;
        throw error;
      });
    return discovered;
  };

  const readClock = async (): Promise<void> => {
    const { clock_endpoint: url } = await discover();
    if (typeof url !== "string") return;
    const response = await fetch(url, { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { now } = (await response.json()) as { now: number };
    aheadMs = now - Date.now();
  };

  /**
   * The time by which tokens end. The local cloud's is asked each time: a token that has ended since then would be refused,
   * which raises an alert. If it does not answer, the last difference holds.
   */
  const now = async (): Promise<number> => {
    if (isInsecure) {
      clockRead ??= readClock()
        .catch(() => undefined)
        .finally(() => {
          clockRead = undefined;
        });
      await clockRead;
    }
    return Date.now() + aheadMs;
  };

  const tokensOf = (answer: oauth.TokenEndpointResponse, previous?: Tokens): Tokens => {
    const lifetimeMs = (answer.expires_in ?? DEFAULT_LIFETIME_S) * 1_000;
    const expiresAt = Date.now() + aheadMs + lifetimeMs;
    const refresh = answer.refresh_token ?? previous?.refresh;
    return {
      access: answer.access_token,
      subject: oauth.getValidatedIdTokenClaims(answer)?.sub ?? previous?.subject,
      expiresAt,
      refresh,
      id: answer.id_token ?? previous?.id,
      // A token that cannot be renewed is used to its end.
      renewAt: refresh === undefined ? expiresAt : expiresAt - Math.min(RENEW_BEFORE_MS, lifetimeMs / 2),
    };
  };

  const exchange = async (server: oauth.AuthorizationServer, url: URL, pending: Pending): Promise<Tokens> => {
    const parameters = oauth.validateAuthResponse(server, client, url, pending.state);
    const [response] = await Promise.all([
      oauth.authorizationCodeGrantRequest(
        server,
        client,
        publicClient,
        parameters,
        redirectUri,
        pending.verifier,
        transport(),
      ),
      now(),
    ]);
    return tokensOf(
      // An ID token comes only for the scope `openid`.
      await oauth.processAuthorizationCodeResponse(
        server,
        client,
        response,
        isOpenId ? { expectedNonce: pending.nonce } : {},
      ),
    );
  };

  /** Whether the address is a return from the issuer. The payment provider returns to the address of another view. */
  const isReturn = ({ origin, pathname, searchParams }: URL): boolean =>
    origin + pathname === redirectUri &&
    searchParams.has("state") &&
    (searchParams.has("code") || searchParams.has("error"));

  /** A sentence about a request to the issuer that failed. */
  const explain = (error: unknown): string =>
    `The sign-in service at ${new URL(issuer).host} fails: ${causeOf(error)}.`;

  return {
    isReturn,
    explain,
    now,

    /** Leaves the page for the issuer. Silent: the issuer must not ask the user anything. */
    async leave({ returnTo, isSilent = false }: { returnTo: string; isSilent?: boolean }): Promise<void> {
      const server = await discover();
      if (server.authorization_endpoint === undefined) throw new Error(`${issuer} has no authorization endpoint`);
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const nonce = oauth.generateRandomNonce();
      const pending: Pending = { state, nonce, verifier, returnTo, isSilent, server };
      sessionStorage.setItem(PENDING, JSON.stringify(pending));
      const url = new URL(server.authorization_endpoint);
      const parameters = {
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        scope,
        state,
        ...(isOpenId && { nonce }),
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(audience !== null && { audience }),
        ...(isSilent && { prompt: "none" }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      location.assign(url);
    },

    /** Completes a sign-in. Undefined if the page was not opened by a return from the issuer that this tab asked for. */
    async complete(url: URL): Promise<Returned | undefined> {
      if (!isReturn(url)) return undefined;
      const pending = takePending();
      if (pending === undefined) return undefined;
      const { returnTo, isSilent, server } = pending;
      if (server !== undefined) discovered = Promise.resolve(server);
      try {
        return { outcome: "signedIn", tokens: await exchange(await discover(), url, pending), returnTo };
      } catch (error) {
        if (error instanceof oauth.AuthorizationResponseError)
          return { outcome: "refused", returnTo, isSilent, reason: error.error_description ?? error.error };
        return { outcome: "failed", returnTo, reason: explain(error) };
      }
    },

    /** New tokens for a refresh token; undefined if there is none, or the issuer does not accept it any more. */
    async renew(tokens: Tokens): Promise<Tokens | undefined> {
      if (tokens.refresh === undefined) return undefined;
      const server = await discover();
      const response = await oauth.refreshTokenGrantRequest(server, client, publicClient, tokens.refresh, transport());
      try {
        return tokensOf(await oauth.processRefreshTokenResponse(server, client, response), tokens);
      } catch (error) {
        if (error instanceof oauth.ResponseBodyError) return undefined;
        throw error;
      }
    },

    /** Revokes the refresh token. @returns the issuer's page that ends the user's session there, if it has one. */
    async end(tokens: Tokens | undefined): Promise<string | undefined> {
      const server = await discover();
      if (server.revocation_endpoint !== undefined && tokens?.refresh !== undefined)
        // If it fails, the end of the session at the issuer matters still more.
        await oauth.revocationRequest(server, client, publicClient, tokens.refresh, transport()).catch(() => undefined);
      if (server.end_session_endpoint === undefined) return undefined;
      const url = new URL(server.end_session_endpoint);
      url.searchParams.set("client_id", clientId);
      url.searchParams.set("post_logout_redirect_uri", redirectUri);
      // Amazon Cognito's name of it: https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html
      url.searchParams.set("logout_uri", redirectUri);
      // Some issuers need it (https://openid.net/specs/openid-connect-rpinitiated-1_0.html). It must not be sent in clear.
      if (tokens?.id !== undefined && !isInsecure) url.searchParams.set("id_token_hint", tokens.id);
      return url.href;
    },
  };
};
