import { describe, expect, it } from "@jest/globals";
import { LOCAL_PLATFORM } from "../../../../infra/local/core/platform.ts";
import { usePerTest } from "../../../support/use-started.ts";
import { createFixture, type Happened, REGISTERED, thrownBy } from "./simulator-fixture.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const KUMO_TEA = "acct_1LocalKumoTea";

const fixture = usePerTest(createFixture);

const authorize = (query: Record<string, string>) =>
  fetch(`${fixture.simulator.authorizeUrl}?${new URLSearchParams(query)}`, { redirect: "manual" });
const grant = async (account = KUMO_TEA): Promise<string> => {
  const response = await authorize({ client_id: LOCAL_PLATFORM.clientId, state: "state", account });
  const { code, state } = (await response.json()) as { code: string; state: string };
  expect([response.status, state]).toEqual([200, "state"]);
  return code;
};
const exchange = async (form: Record<string, string>, secret: string = LOCAL_PLATFORM.secret) => {
  const response = await fetch(`${fixture.simulator.url}/v1/oauth/token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${secret}:`).toString("base64")}` },
    body: new URLSearchParams(form),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};
const byCode = (code: string) => exchange({ grant_type: "authorization_code", code });
const byToken = (token: string | undefined) => exchange({ grant_type: "refresh_token", refresh_token: token ?? "" });
const connect = async () => (await byCode(await grant())).body;
const accountOf = async (token: string | undefined) => (await fixture.sdk(token).accounts.retrieveCurrent()).id;
const invalidGrant = { status: 400, body: { error: "invalid_grant", error_description: expect.any(String) } };

describe("a grant", () => {
  it("is a code that can be exchanged once, for tokens of the chosen account", async () => {
    const code = await grant();
    const { status, body } = await byCode(code);
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^sk_test_/),
      livemode: false,
      refresh_token: expect.stringMatching(/^rt_/),
      scope: "stripe_apps",
      stripe_publishable_key: expect.any(String),
      stripe_user_id: KUMO_TEA,
      token_type: "bearer",
    });
    expect(await accountOf(body.access_token)).toBe(KUMO_TEA);
    expect(await byCode(code)).toMatchObject(invalidGrant);
    const [event] = (await fixture.sdk("sk_test_local_kumo_tea").events.list({ limit: 1 })).data;
    expect(event?.type).toBe("account.application.authorized");
  });

  it("is for the demo account by default, and redirects to the given URL", async () => {
    const response = await authorize({
      client_id: LOCAL_PLATFORM.clientId,
      state: "a b&c",
      redirect_uri: "http://127.0.0.1:9/back?x=1",
    });
    const location = new URL(response.headers.get("location") ?? "");
    expect([response.status, location.pathname, location.searchParams.get("x")]).toEqual([302, "/back", "1"]);
    expect(location.searchParams.get("state")).toBe("a b&c");
    const { body } = await byCode(location.searchParams.get("code") ?? "");
    expect(body.stripe_user_id).toBe(fixture.simulator.demo.accountId);
  });

  it("is asked of a person on a page, which returns to the registered address", async () => {
    const asPerson = (query: string) =>
      fetch(`${fixture.simulator.authorizeUrl}${query}`, { redirect: "manual", headers: { accept: "text/html,*/*" } });
    const page = await asPerson(`?client_id=${LOCAL_PLATFORM.clientId}&state=a%22b`);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const hrefs = [...(await page.text()).matchAll(/<a [^>]*href="([^"]*)">/g)].map(([, href = ""]) =>
      href.replaceAll("&amp;", "&"),
    );
    const kumo = hrefs.find((href) => href.includes(KUMO_TEA)) ?? "";
    const granted = new URL((await asPerson(kumo)).headers.get("location") ?? "");
    expect([granted.origin + granted.pathname, granted.searchParams.get("state")]).toEqual([REGISTERED, 'a"b']);
    const { body } = await byCode(granted.searchParams.get("code") ?? "");
    expect(body.stripe_user_id).toBe(KUMO_TEA);
    const refused = new URL(hrefs.at(-1) ?? "");
    expect(refused.origin + refused.pathname).toBe(REGISTERED);
    expect(Object.fromEntries(refused.searchParams)).toMatchObject({ error: "access_denied", state: 'a"b' });
    const styles = await fetch(`${fixture.simulator.url}/page.css`);
    expect([styles.status, styles.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
  });

  it("expires, and is valid for one platform only", async () => {
    const code = await grant();
    fixture.pass(5 * 60_000);
    expect(await byCode(code)).toMatchObject(invalidGrant);
    expect((await authorize({ client_id: "ca_other", state: "s" })).status).toBe(400);
    expect((await authorize({ client_id: LOCAL_PLATFORM.clientId, account: "acct_none" })).status).toBe(400);
    const other = await exchange({ grant_type: "authorization_code", code: await grant() }, "sk_test_local_kumo_tea");
    expect(other).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect(await exchange({ grant_type: "password" })).toMatchObject({
      status: 400,
      body: { error: "unsupported_grant_type" },
    });
    expect(await exchange({ grant_type: "refresh_token" })).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
  });
});

describe("tokens", () => {
  it("are valid for one hour, then cause 401", async () => {
    const { access_token: token } = await connect();
    fixture.pass(HOUR_MS - 1);
    expect(await accountOf(token)).toBe(KUMO_TEA);
    fixture.pass(1);
    expect(await thrownBy(() => accountOf(token))).toMatchObject({
      type: "StripeAuthenticationError",
      statusCode: 401,
      code: "api_key_expired",
    });
  });

  it("are renewed by a refresh token that is valid once", async () => {
    const first = await connect();
    const second = (await byToken(first.refresh_token)).body;
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await accountOf(second.access_token)).toBe(KUMO_TEA);
    expect(await byToken(first.refresh_token)).toMatchObject(invalidGrant);
    const third = await byToken(second.refresh_token);
    expect(third.status).toBe(200);
    fixture.pass(YEAR_MS);
    expect(await byToken(third.body.refresh_token)).toMatchObject(invalidGrant);
  });

  it("are consumed by an exchange whose answer is lost", async () => {
    const { refresh_token: token } = await connect();
    await fixture.request("POST /provider/faults", {
      kind: "reset",
      when: "middle",
      pathPrefix: "/v1/oauth",
      times: 1,
    });
    await expect(byToken(token)).rejects.toThrow();
    expect(await byToken(token)).toMatchObject(invalidGrant);
  });

  it("stay valid if the exchange fails before it takes effect", async () => {
    const { refresh_token: token } = await connect();
    const faults = [
      { kind: "error", status: 503 },
      { kind: "reset", when: "before" },
    ];
    for (const fault of faults)
      await fixture.request("POST /provider/faults", {
        ...fault,
        accountId: KUMO_TEA,
        pathPrefix: "/v1/oauth/token",
        times: 1,
      });
    expect((await byToken(token)).status).toBe(503);
    await expect(byToken(token)).rejects.toThrow();
    expect((await byToken(token)).status).toBe(200);
  });

  it("become invalid when the account revokes its permission; its API key stays valid", async () => {
    const tokens = await connect();
    const made = await fixture.request<Happened>("POST /provider/changes", {
      accountId: KUMO_TEA,
      action: "deauthorize",
    });
    expect(made.events.map(({ type }) => type)).toEqual(["account.application.deauthorized"]);
    expect(await thrownBy(() => accountOf(tokens.access_token))).toMatchObject({ statusCode: 401 });
    expect(await byToken(tokens.refresh_token)).toMatchObject(invalidGrant);
    expect(await accountOf("sk_test_local_kumo_tea")).toBe(KUMO_TEA);
    expect(await accountOf((await connect()).access_token)).toBe(KUMO_TEA);
  });

  it("are kept over a restart", async () => {
    const tokens = await connect();
    await fixture.restart();
    expect(await accountOf(tokens.access_token)).toBe(KUMO_TEA);
    expect((await byToken(tokens.refresh_token)).status).toBe(200);
  });
});

describe("the SDK", () => {
  it("recognises OAuth errors", async () => {
    const sdk = fixture.sdk(LOCAL_PLATFORM.secret);
    const odd = () =>
      sdk.rawRequest("POST", "/v1/oauth/token", { grant_type: "refresh_token", refresh_token: "rt_none" });
    expect(await thrownBy(odd)).toMatchObject({ type: "StripeInvalidGrantError", statusCode: 400 });
    const code = await grant();
    const tokens = await sdk.rawRequest("POST", "/v1/oauth/token", { grant_type: "authorization_code", code });
    expect(tokens).toMatchObject({ stripe_user_id: KUMO_TEA });
  });
});
