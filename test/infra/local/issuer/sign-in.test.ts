import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "@jest/globals";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import { openSessions } from "../../../../infra/local/issuer/sessions.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";
import { usePerFile, usePerTest } from "../../../support/use-started.ts";
import {
  ADA,
  API_URL,
  createBrowser,
  createClient,
  REDIRECT_URI,
  signIn,
  startTestIssuer,
} from "./browser-and-client.ts";

const issuer = usePerFile(startTestIssuer);
const client = usePerTest(() => createClient(issuer.url()));
const browser = usePerTest(createBrowser);
afterAll(() => {
  expect(issuer.errors).toEqual([]);
});

const invalidGrant = { name: "ResponseBodyError", error: "invalid_grant" };

describe("a sign-in", () => {
  it("leads from the page to tokens of the chosen organization, role and user", async () => {
    const page = await browser.get(client.authorizeUrl());
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const returned = await signIn(client, browser, { organization: "acme", role: "billing", user: "bob" });
    expect([returned.origin + returned.pathname, returned.searchParams.get("iss")]).toEqual([
      REDIRECT_URI,
      issuer.url(),
    ]);
    const tokens = await client.tokens(returned);
    expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 3600, scope: "openid" });
    const id = oauth.getValidatedIdTokenClaims(tokens);
    expect(id).toMatchObject({ aud: "console", sub: "bob", sid: expect.any(String), auth_time: expect.any(Number) });
    const keys = createRemoteJWKSet(new URL(client.server.jwks_uri ?? ""));
    const { payload } = await jwtVerify(tokens.access_token, keys, { issuer: issuer.url(), audience: "plant-store" });
    expect(payload).toEqual({
      iss: issuer.url(),
      aud: "plant-store",
      sub: "bob",
      org_id: "acme",
      org_role: "billing",
      sid: id?.sid,
      iat: expect.any(Number),
      exp: (payload.iat ?? 0) + 3600,
      jti: expect.any(String),
    });
    await jwtVerify(tokens.id_token ?? "", keys, { issuer: issuer.url(), audience: "console" });
  });

  it("without the scope openid gives no ID token, and without an organization tokens that name none", async () => {
    const url = client.authorizeUrl({ scope: "phone", nonce: undefined });
    const { location } = await browser.submit(url, { ...ADA, organization: " " });
    const answer: unknown = await (await client.exchange(location ?? new URL(API_URL))).json();
    expect(answer).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.any(String),
    });
    expect(decodeJwt((answer as { access_token: string }).access_token)).not.toHaveProperty("org_id");
  });

  it("has times of the local cloud's clock", async () => {
    issuer.advance(86_400_000);
    const tokens = await client.tokens(await signIn(client, browser));
    const { iat = 0 } = decodeJwt(tokens.access_token);
    expect(iat * 1000).toBeGreaterThan(Date.now() + 86_000_000);
  });

  it("is announced by the discovery document", () => {
    const url = issuer.url();
    expect(client.server).toMatchObject({
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      revocation_endpoint: `${url}/revoke`,
      end_session_endpoint: `${url}/logout`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      scopes_supported: ["openid", "offline_access"],
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
    });
  });
});

describe("a session", () => {
  const silently = async () => (await browser.get(client.authorizeUrl({ prompt: "none" }))).location?.searchParams;

  it("answers without a page, also prompt=none, for the same session", async () => {
    const first = await client.tokens(await signIn(client, browser, { user: "eve" }));
    for (const prompt of [undefined, "none"]) {
      const { status, location } = await browser.get(client.authorizeUrl({ prompt }));
      expect(status).toBe(303);
      const again = await client.tokens(location ?? new URL(API_URL));
      const [before, after] = [first, again].map(({ access_token }) => decodeJwt(access_token));
      expect([after?.sub, after?.sid]).toEqual(["eve", before?.sid]);
    }
  });

  it("has a cookie that scripts and requests of other sites do not get", async () => {
    const { headers } = await browser.submit(client.authorizeUrl(), ADA);
    expect(headers.get("set-cookie")).toMatch(/^local_issuer_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it("is required by prompt=none, and refused with the state", async () => {
    const answer = await silently();
    expect([answer?.get("error"), answer?.get("state"), answer?.get("iss")]).toEqual([
      "login_required",
      client.state,
      issuer.url(),
    ]);
  });

  it.each(["login", "consent", "select_account"])("does not replace the page with prompt=%s", async (prompt) => {
    await signIn(client, browser);
    expect((await browser.get(client.authorizeUrl({ prompt }))).status).toBe(200);
  });

  it("does not replace the page if it is older than max_age", async () => {
    await signIn(client, browser);
    const url = client.authorizeUrl({ max_age: "60" });
    expect((await browser.get(url)).status).toBe(303);
    issuer.advance(61_000);
    expect((await browser.get(url)).status).toBe(200);
    expect((await browser.get(client.authorizeUrl({ max_age: "60", prompt: "none" }))).location?.href).toContain(
      "error=login_required",
    );
  });

  it("ends at the sign-out, with its refresh tokens", async () => {
    const tokens = await client.tokens(await signIn(client, browser));
    const url = `${client.server.end_session_endpoint}?${new URLSearchParams({
      client_id: "console",
      post_logout_redirect_uri: REDIRECT_URI,
      state: "s",
    })}`;
    const { status, location } = await browser.get(url);
    expect([status, location?.href]).toEqual([303, `${REDIRECT_URI}?state=s`]);
    expect((await silently())?.get("error")).toBe("login_required");
    await expect(client.refresh(tokens.refresh_token)).rejects.toMatchObject(invalidGrant);
  });

  it("ends with its token if the user chose so, and is renewed without an end else", async () => {
    const once = await client.tokens(await signIn(client, browser, { lifetime: "once" }));
    expect([once.expires_in, once.refresh_token]).toEqual([60, undefined]);
    issuer.advance(60_000);
    expect((await silently())?.get("error")).toBe("login_required");
    const minute = await client.tokens(await signIn(client, browser, { lifetime: "minute" }));
    issuer.advance(365 * 86_400_000);
    expect(await client.refresh(minute.refresh_token)).toMatchObject({ expires_in: 60 });
    expect((await silently())?.get("code")).toEqual(expect.any(String));
  });

  it("outlives a restart, at the same address, and no secret is stored", async () => {
    const tokens = await client.tokens(await signIn(client, browser, { user: "eve" }));
    const before = issuer.url();
    await issuer.restart();
    expect(issuer.url()).toBe(before);
    const renewed = await client.refresh(tokens.refresh_token);
    expect(decodeJwt(renewed.access_token).sub).toBe("eve");
    expect((await silently())?.get("code")).toEqual(expect.any(String));
    const file = join(issuer.dataDirectory, "issuer-sessions.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [, secret = ""] = renewed.refresh_token?.split(".") ?? [];
    expect(secret).toHaveLength(43);
    expect(readFileSync(file, "utf8")).not.toContain(secret);
  });

  it("is kept while it is one of the newest hundred", () => {
    const sessions = openSessions(newDirectory("sessions-"), { now: () => 0 });
    const begun = Array.from({ length: 101 }, () =>
      sessions.begin({ organizationId: "demo", role: "admin", userId: "ada", lifetime: "hour" }),
    );
    const { refreshToken } = sessions.grant((begun[1] as (typeof begun)[number]).session, "openid");
    expect(begun.map(({ secret }) => sessions.bySecret(secret) !== undefined)).toEqual([
      false,
      ...Array(100).fill(true),
    ]);
    expect(sessions.refresh(refreshToken, true)).toBeDefined();
    sessions.begin({ role: "guest", userId: "eve", lifetime: "hour" });
    expect(sessions.refresh(refreshToken, true)).toBeUndefined();
  });
});

describe("refresh tokens", () => {
  it("are replaced at each use, and one that comes again ends the grant", async () => {
    const first = await client.tokens(await signIn(client, browser));
    const second = await client.refresh(first.refresh_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(decodeJwt(second.access_token).sid).toBe(decodeJwt(first.access_token).sid);
    await expect(client.refresh(first.refresh_token)).rejects.toMatchObject(invalidGrant);
    await expect(client.refresh(second.refresh_token)).rejects.toMatchObject(invalidGrant);
    // The session itself goes on.
    const again = await browser.get(client.authorizeUrl({ prompt: "none" }));
    expect(again.location?.searchParams.has("code")).toBe(true);
  });

  it("stay valid at an issuer that does not rotate, whose answer has none", async () => {
    const keeping = await startTestIssuer({ isRotating: false });
    const keepingClient = await createClient(keeping.url());
    const first = await keepingClient.tokens(await signIn(keepingClient, createBrowser()));
    for (const _ of [1, 2]) {
      const next = await keepingClient.refresh(first.refresh_token);
      expect([next.refresh_token, decodeJwt(next.access_token).sid]).toEqual([
        undefined,
        decodeJwt(first.access_token).sid,
      ]);
    }
    await keepingClient.revoke(first.refresh_token);
    await expect(keepingClient.refresh(first.refresh_token)).rejects.toMatchObject(invalidGrant);
    await keeping.close();
    expect(keeping.errors).toEqual([]);
  });

  it("end when they are revoked; an access token cannot be", async () => {
    const tokens = await client.tokens(await signIn(client, browser));
    await expect(client.revoke(tokens.access_token)).rejects.toMatchObject({ error: "unsupported_token_type" });
    await client.revoke(tokens.refresh_token);
    await client.revoke("unknown");
    await expect(client.refresh(tokens.refresh_token)).rejects.toMatchObject(invalidGrant);
  });
});

describe("scripts", () => {
  const preflight = (path: string, origin: string) =>
    fetch(issuer.url() + path, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
    });
  const allowed = (response: Response) => response.headers.get("access-control-allow-origin");

  it.each([API_URL, "http://localhost:3000"])("of the console at %s may call the endpoints", async (origin) => {
    for (const path of ["/token", "/revoke"]) {
      const response = await preflight(path, origin);
      expect([response.status, allowed(response)]).toEqual([204, origin]);
      const answer = await fetch(issuer.url() + path, { method: "POST", headers: { origin }, body: "grant_type=x" });
      expect(allowed(answer)).toBe(origin);
    }
    for (const path of ["/.well-known/openid-configuration", "/.well-known/jwks.json"])
      expect(allowed(await fetch(issuer.url() + path, { headers: { origin } }))).toBe(origin);
  });

  it.each(["https://evil.example", "http://127.0.0.1:3001", "null"])("of %s may not", async (origin) => {
    for (const path of ["/token", "/revoke", "/.well-known/openid-configuration"]) {
      expect(allowed(await preflight(path, origin))).toBeNull();
      expect(allowed(await fetch(issuer.url() + path, { headers: { origin } }))).toBeNull();
    }
    const page = await fetch(client.authorizeUrl(), { headers: { origin: API_URL } });
    expect(allowed(page)).toBeNull();
  });
});

describe("an outage", () => {
  it("answers every request of a sign-in with 503, and the minting of tokens goes on", async () => {
    const at = (path: string, init?: RequestInit) => fetch(issuer.url() + path, init);
    const form = { method: "POST", body: new URLSearchParams({ grant_type: "refresh_token" }) };
    await at("/outage", { method: "POST" });
    const answers = await Promise.all([
      at("/authorize"),
      at("/authorize", form),
      at("/token", form),
      at("/revoke", form),
      at("/logout"),
      at("/token", { method: "POST", body: "{}" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503, 200]);
    await at("/outage", { method: "POST", body: '{"seconds":0}' });
  });
});
