import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { usePerFile } from "../../../support/use-started.ts";
import {
  ADA,
  createBrowser,
  createClient,
  REDIRECT_URI,
  signIn,
  startTestIssuer,
  type TestClient,
} from "./browser-and-client.ts";

const issuer = usePerFile(startTestIssuer);
let client: TestClient;
const browser = createBrowser();
beforeAll(async () => {
  client = await createClient(issuer.url());
});
afterAll(() => {
  expect(issuer.errors).toEqual([]);
});

const HOSTILE = `"><script>alert(1)</script>' onfocus=x autofocus \u202e\u0007&lt;`;
/** Markup that only an unencoded value can bring into a page, controls, and characters that reorder the text. */
const UNSAFE = /<script|<[^>]* onfocus=x(?![^<>"]*")|\p{Bidi_Control}|[^\P{Cc}\n]/u;

describe("an authorization request", () => {
  it.each([
    ["of an unknown client", { client_id: "other" }],
    ["without a client", { client_id: undefined }],
    ["without a redirect URI", { redirect_uri: undefined }],
    ["to another origin", { redirect_uri: "https://evil.example/console" }],
    ["to another port", { redirect_uri: "http://127.0.0.1:3001/console" }],
    ["to another scheme", { redirect_uri: "https://127.0.0.1:3000/console" }],
    ["to a path below", { redirect_uri: `${REDIRECT_URI}/` }],
    ["to a path that leads elsewhere", { redirect_uri: `${REDIRECT_URI}/../evil` }],
    ["with a query of the redirect URI", { redirect_uri: `${REDIRECT_URI}?x=1` }],
    ["with a fragment of the redirect URI", { redirect_uri: `${REDIRECT_URI}#x` }],
    ["with a user in the redirect URI", { redirect_uri: "http://127.0.0.1:3000@evil.example/console" }],
    ["with a host that begins the same", { redirect_uri: "http://127.0.0.1:3000.evil.example/console" }],
    ["in capital letters", { redirect_uri: REDIRECT_URI.toUpperCase() }],
    ["with a space", { redirect_uri: ` ${REDIRECT_URI}` }],
    ["with a backslash", { redirect_uri: "http://127.0.0.1:3000\\@evil.example/console" }],
    ["without a scheme", { redirect_uri: "//evil.example/console" }],
    ["to a script", { redirect_uri: "javascript:alert(1)//127.0.0.1:3000/console" }],
    ["with a line break", { redirect_uri: `${REDIRECT_URI}\r\nlocation: https://evil.example` }],
    ["with hostile text", { redirect_uri: HOSTILE, client_id: HOSTILE }],
  ])("%s gets a page and never a redirect", async (_, changes) => {
    const url = client.authorizeUrl({ ...changes, prompt: "none" });
    for (const answer of [await browser.get(url), await browser.submit(url, ADA)]) {
      expect([answer.status, answer.location]).toEqual([400, undefined]);
      expect(answer.headers.has("set-cookie")).toBe(false);
      expect(answer.text).not.toMatch(UNSAFE);
    }
  });

  it("with two redirect URIs or two clients gets a page", async () => {
    for (const repeated of [`redirect_uri=${encodeURIComponent(REDIRECT_URI)}`, "client_id=console"]) {
      const answer = await browser.get(`${client.authorizeUrl()}&${repeated}`);
      expect([answer.status, answer.location]).toEqual([400, undefined]);
    }
  });

  it.each([
    ["without response_type", { response_type: undefined }, "invalid_request", "response_type"],
    ["with response_type=token", { response_type: "token" }, "unsupported_response_type", "response_type"],
    ["with response_mode=fragment", { response_mode: "fragment" }, "invalid_request", "response_mode"],
    ["without a challenge", { code_challenge: undefined }, "invalid_request", "PKCE"],
    ["with an empty challenge", { code_challenge: "" }, "invalid_request", "PKCE"],
    ["with a plain challenge", { code_challenge_method: "plain" }, "invalid_request", "S256"],
    ["without a method", { code_challenge_method: undefined }, "invalid_request", "S256"],
    ["with a short challenge", { code_challenge: "abc" }, "invalid_request", "43"],
    ["with an unknown prompt", { prompt: "maybe" }, "invalid_request", "prompt"],
    ["with prompt=none and another", { prompt: "none login" }, "invalid_request", "prompt"],
    ["with a malformed max_age", { max_age: "-1" }, "invalid_request", "max_age"],
    ["with a request object", { request: "e30" }, "request_not_supported", "request"],
    ["with a request URI", { request_uri: "urn:x" }, "request_uri_not_supported", "request_uri"],
  ])("%s is refused by a redirect with the state", async (_, changes, error, named) => {
    const url = client.authorizeUrl(changes);
    for (const { status, location } of [await browser.get(url), await browser.submit(url, ADA)]) {
      expect([status, `${location?.origin}${location?.pathname}`]).toEqual([303, REDIRECT_URI]);
      expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
        error,
        error_description: expect.stringContaining(named),
        state: client.state,
        iss: issuer.url(),
      });
    }
  });

  it("with a repeated parameter is refused; a repeated state is not returned", async () => {
    const answer = await browser.get(`${client.authorizeUrl()}&state=other`);
    expect(answer.location?.searchParams.get("error_description")).toBe("state is given more than once");
    expect(answer.location?.searchParams.has("state")).toBe(false);
  });

  it("keeps every character of the state", async () => {
    const state = `${HOSTILE}?a=b&c=d#e%25+\r\n=`;
    const { location } = await browser.submit(client.authorizeUrl({ state }), ADA);
    expect(location?.searchParams.get("state")).toBe(state);
  });
});

describe("the page", () => {
  it("has the values of no parameter but the encoded login_hint", async () => {
    const names = ["state", "nonce", "scope", "login_hint", "display", "ui_locales", "acr_values", "audience", HOSTILE];
    const { status, text } = await createBrowser().get(
      client.authorizeUrl(Object.fromEntries(names.map((name) => [name, HOSTILE]))),
    );
    expect(status).toBe(200);
    expect(text).not.toMatch(UNSAFE);
    expect(text.match(/alert\(1\)/g)).toHaveLength(1);
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39; onfocus=x autofocus ');
  });

  it("may run nothing, load only its style sheet, and be framed by no page", async () => {
    const { headers, text } = await createBrowser().get(client.authorizeUrl());
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; img-src data:; " +
        "form-action 'self' http://127.0.0.1:3000 http://localhost:3000; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get("cache-control")).toBe("no-store");
    expect(text).not.toMatch(/<script|<style| style=| on[a-z]+=/);
    const styles = await fetch(`${issuer.url()}/page.css`);
    expect([styles.status, styles.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
  });

  it.each([
    ["organization", "a b"],
    ["organization", "."],
    ["organization", "x".repeat(129)],
    ["user", ""],
    ["user", "a\u0000b"],
    ["role", "root"],
    ["lifetime", "year"],
    ["organization", HOSTILE],
    ["user", HOSTILE],
    ["role", HOSTILE],
    ["lifetime", HOSTILE],
  ])("comes again with the problem if %s is %j", async (field, value) => {
    const { status, text, headers } = await browser.submit(client.authorizeUrl(), { ...ADA, [field]: value });
    expect([status, headers.has("set-cookie")]).toEqual([400, false]);
    expect(text).toContain(`id="${field}-problem"`);
    expect(text.match(/class="problem"/g)).toHaveLength(1);
    expect(text).not.toMatch(UNSAFE);
  });

  it("does not take the form of another site's page", async () => {
    for (const origin of ["https://evil.example", "null", "http://127.0.0.1:3000"]) {
      const { status, headers } = await browser.submit(client.authorizeUrl(), ADA, { origin });
      expect([status, headers.has("set-cookie")]).toEqual([403, false]);
    }
    expect((await browser.submit(client.authorizeUrl(), ADA, { origin: issuer.url() })).status).toBe(303);
  });

  it.each([undefined, "https://evil.example/console", `${REDIRECT_URI}/`, HOSTILE])(
    "says that the user is signed out, and leads nowhere, if the address to return to is %j",
    async (uri) => {
      const query = uri === undefined ? "" : `?${new URLSearchParams({ post_logout_redirect_uri: uri })}`;
      const { status, location, text } = await browser.get(`${issuer.url()}/logout${query}`);
      expect([status, location]).toEqual([uri === undefined ? 200 : 400, undefined]);
      expect(text).toContain("You are signed out");
      expect(text).not.toContain("evil");
    },
  );
});

describe("the token endpoint", () => {
  const send = async (fields: Record<string, string | undefined>, init: RequestInit = {}, path = "/token") => {
    const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const body = new URLSearchParams(given);
    const response = await fetch(issuer.url() + path, { method: "POST", body, ...init });
    const answer = (await response.json()) as { error?: string; refresh_token?: string };
    return { status: response.status, error: answer.error, refreshToken: answer.refresh_token };
  };
  const codeGrant = async () => ({
    grant_type: "authorization_code",
    client_id: "console",
    code: (await signIn(client, createBrowser())).searchParams.get("code") ?? "",
    redirect_uri: REDIRECT_URI,
    code_verifier: client.verifier,
  });

  it.each<[string, Record<string, string | undefined>, string]>([
    ["without a grant type", { grant_type: undefined }, "invalid_request"],
    ["with another grant type", { grant_type: "password" }, "unsupported_grant_type"],
    ["without a client", { client_id: undefined }, "invalid_client"],
    ["with another client", { client_id: "other" }, "invalid_client"],
    ["with a secret", { client_secret: "s" }, "invalid_client"],
    ["without a code", { code: undefined }, "invalid_request"],
    ["with an unknown code", { code: "unknown" }, "invalid_grant"],
    ["without a redirect URI", { redirect_uri: undefined }, "invalid_request"],
    ["with another registered redirect URI", { redirect_uri: "http://localhost:3000/console" }, "invalid_grant"],
    ["without a verifier", { code_verifier: undefined }, "invalid_request"],
    ["with a short verifier", { code_verifier: "short" }, "invalid_request"],
    ["with a wrong verifier", { code_verifier: "x".repeat(43) }, "invalid_grant"],
    ["without a refresh token", { grant_type: "refresh_token" }, "invalid_request"],
    ["with an unknown refresh token", { grant_type: "refresh_token", refresh_token: "x.y" }, "invalid_grant"],
  ])("refuses a request %s", async (_, changes, error) => {
    const { status, ...answer } = await send({ ...(await codeGrant()), ...changes });
    expect([status, answer.error]).toEqual([error === "invalid_client" ? 401 : 400, error]);
    expect(answer.refreshToken).toBeUndefined();
  });

  it("refuses client authentication, and repeated parameters", async () => {
    const grant = await codeGrant();
    expect(await send(grant, { headers: { authorization: "Basic Y29uc29sZTo=" } })).toMatchObject({
      status: 401,
      error: "invalid_client",
    });
    const body = new URLSearchParams([...Object.entries(grant), ["client_id", "console"]]);
    expect(await send({}, { body })).toMatchObject({ status: 400, error: "invalid_request" });
    expect((await send(grant)).status).toBe(200);
  });

  it("takes a code once, and ends what a replayed code was exchanged for", async () => {
    const grant = await codeGrant();
    const { status, refreshToken } = await send(grant);
    expect(status).toBe(200);
    expect(await send(grant)).toMatchObject({ status: 400, error: "invalid_grant" });
    const refresh = { grant_type: "refresh_token", client_id: "console", refresh_token: refreshToken };
    expect(await send(refresh)).toMatchObject({ status: 400, error: "invalid_grant" });
  });

  it("takes a code that failed with another verifier no more", async () => {
    const grant = await codeGrant();
    await send({ ...grant, code_verifier: "x".repeat(43) });
    expect(await send(grant)).toMatchObject({ status: 400, error: "invalid_grant" });
  });

  it("takes a code for 60 seconds", async () => {
    const [soon, late] = [await codeGrant(), await codeGrant()];
    issuer.advance(58_000);
    expect((await send(soon)).status).toBe(200);
    issuer.advance(2_000);
    expect(await send(late)).toMatchObject({ status: 400, error: "invalid_grant" });
  });

  it("refuses a revocation by another client, or without a token", async () => {
    expect(await send({ client_id: "other", token: "x" }, {}, "/revoke")).toMatchObject({ error: "invalid_client" });
    expect(await send({ client_id: "console" }, {}, "/revoke")).toMatchObject({ error: "invalid_request" });
  });

  it("mints a token for JSON, even if the content type says that it is a form", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    for (const body of ["", '{"organizationId":"acme"}']) {
      const response = await fetch(`${issuer.url()}/token`, { method: "POST", headers, body });
      expect(await response.json()).toEqual({
        access_token: expect.any(String),
        token_type: "Bearer",
        expires_in: 3600,
      });
    }
  });
});

describe("an issuer without an API", () => {
  it("signs in to nothing", async () => {
    const alone = await startTestIssuer({ apiUrl: undefined });
    const { authorizeUrl } = await createClient(alone.url());
    expect((await browser.get(authorizeUrl())).status).toBe(400);
    await alone.close();
  });
});
