import * as oauth from "oauth4webapi";
import { type Issuer, type IssuerOptions, startIssuer } from "../../../../infra/local/issuer/issuer.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

export const API_URL = "http://127.0.0.1:3000";
export const REDIRECT_URI = `${API_URL}/console`;
const CLIENT: oauth.Client = { client_id: "console" };
/** The fields of the page's first form. */
export const ADA = { organization: "demo", role: "admin", user: "ada", lifetime: "hour" };

/** Starts an issuer whose clock the test can move. */
export const startTestIssuer = async (options: Partial<IssuerOptions> = {}) => {
  const errors: unknown[] = [];
  const dataDirectory = newDirectory("issuer-");
  let offsetMs = 0;
  const start = () =>
    startIssuer({
      dataDirectory,
      audience: "plant-store",
      claimNames: { organization: "org_id", role: "org_role" },
      clock: { now: () => Date.now() + offsetMs },
      apiUrl: API_URL,
      onError: (error) => errors.push(error),
      ...options,
    });
  let issuer: Issuer = await start();
  return {
    errors,
    dataDirectory,
    url: () => issuer.url,
    advance: (ms: number) => {
      offsetMs += ms;
    },
    async restart() {
      await issuer.close();
      issuer = await start();
      // A connection to the server before may be in the pool.
      while (!(await fetch(issuer.url).then(Boolean, () => false)));
    },
    close: () => issuer.close(),
  };
};
export type TestIssuer = Awaited<ReturnType<typeof startTestIssuer>>;

/** A browser that keeps the issuer's cookie and follows no redirect. */
export const createBrowser = () => {
  let cookie: string | undefined;
  const send = async (url: string, init: RequestInit = {}) => {
    const headers = { ...init.headers, ...(cookie !== undefined && { cookie }) };
    const response = await fetch(url, { redirect: "manual", ...init, headers });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) cookie = /Max-Age=0/.test(set) ? undefined : set.split(";")[0];
    const location = response.headers.get("location");
    return {
      status: response.status,
      headers: response.headers,
      location: location === null ? undefined : new URL(location),
      text: await response.text(),
    };
  };
  return {
    get: (url: string) => send(url),
    submit: (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      send(url, { method: "POST", body: new URLSearchParams(fields), headers }),
  };
};
export type TestBrowser = ReturnType<typeof createBrowser>;

const transport = { [oauth.allowInsecureRequests]: true };

/** The console's side of the flow, by the library that the console uses. */
export const createClient = async (issuerUrl: string) => {
  const url = new URL(issuerUrl);
  const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, transport));
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const nonce = oauth.generateRandomNonce();
  const parameters: Record<string, string> = {
    client_id: "console",
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: "openid",
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
  const publicClient = oauth.None();
  const exchange = async (returned: URL) =>
    oauth.authorizationCodeGrantRequest(
      server,
      CLIENT,
      publicClient,
      oauth.validateAuthResponse(server, CLIENT, returned, state),
      REDIRECT_URI,
      verifier,
      transport,
    );
  return {
    server,
    state,
    verifier,
    /** The address of the authorization request; a parameter that is undefined is left out. */
    authorizeUrl(changes: Record<string, string | undefined> = {}): string {
      const address = new URL(server.authorization_endpoint ?? "");
      for (const [name, value] of Object.entries({ ...parameters, ...changes }))
        if (value !== undefined) address.searchParams.append(name, value);
      return address.href;
    },
    exchange,
    /** @throws oauth.ResponseBodyError for an error of the token endpoint */
    async tokens(returned: URL, expectedNonce = nonce) {
      const answer = await exchange(returned);
      return oauth.processAuthorizationCodeResponse(server, CLIENT, answer, { expectedNonce, requireIdToken: true });
    },
    /** @throws oauth.ResponseBodyError for an error of the token endpoint */
    refresh: async (refreshToken = "") =>
      oauth.processRefreshTokenResponse(
        server,
        CLIENT,
        await oauth.refreshTokenGrantRequest(server, CLIENT, publicClient, refreshToken, transport),
      ),
    revoke: async (token = "") =>
      oauth.processRevocationResponse(await oauth.revocationRequest(server, CLIENT, publicClient, token, transport)),
  };
};
export type TestClient = Awaited<ReturnType<typeof createClient>>;

/** Signs in on the page. @returns the address that the browser returns to */
export const signIn = async (
  client: TestClient,
  browser: TestBrowser,
  fields: Partial<typeof ADA> = {},
): Promise<URL> => {
  const { status, location } = await browser.submit(client.authorizeUrl(), { ...ADA, ...fields });
  if (status !== 303 || location === undefined) throw new Error(`the sign-in was answered ${status}`);
  return location;
};
