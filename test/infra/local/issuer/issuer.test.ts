import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "@jest/globals";
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { startIssuer } from "../../../../infra/local/issuer/issuer.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";
import { usePerFile } from "../../../support/use-started.ts";

const dataDirectory = newDirectory("issuer-");
let nowMs = Date.UTC(2027, 0, 1);
const errors: unknown[] = [];
const start = () =>
  startIssuer({
    dataDirectory,
    audience: "plant-store",
    claimNames: { organization: "tenant", role: "tenant_role" },
    clock: { now: () => nowMs },
    onError: (error) => errors.push(error),
  });

const issuer = usePerFile(start);
afterAll(() => {
  expect(errors).toEqual([]);
});

const post = async (path: string, body?: unknown) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(issuer.url + path, { method: "POST", ...(text !== undefined && { body: text }) });
  return { status: response.status, body: JSON.parse(await response.text()) };
};
const mint = async (body?: unknown): Promise<string> => (await post("/token", body)).body.access_token;
const keySet = async () => (await fetch(issuer.jwksUrl)).json();
const verify = async (token: string) =>
  jwtVerify(token, createLocalJWKSet(JSON.parse(JSON.stringify(await keySet()))), {
    issuer: issuer.url,
    audience: "plant-store",
    currentDate: new Date(nowMs),
  });

describe("tokens", () => {
  it("have these claims by default, on the local cloud's clock", async () => {
    const { status, body } = await post("/token");
    expect([status, body]).toEqual([200, { access_token: expect.any(String), token_type: "Bearer", expires_in: 3600 }]);
    const { payload, protectedHeader } = await verify(body.access_token);
    expect(payload).toEqual({
      iss: issuer.url,
      aud: "plant-store",
      sub: "developer",
      tenant_role: "admin",
      iat: nowMs / 1000,
      exp: nowMs / 1000 + 3600,
      jti: expect.any(String),
    });
    expect(protectedHeader).toMatchObject({ alg: "RS256", typ: "JWT" });
  });

  it("carry organization, role and user", async () => {
    expect(decodeJwt(await mint({ organizationId: "acme", role: "guest", userId: "ada" }))).toMatchObject({
      tenant: "acme",
      tenant_role: "guest",
      sub: "ada",
    });
  });

  it("are expired, and issued earlier, if the lifetime is negative", async () => {
    const { iat = 0, exp = 0 } = decodeJwt(await mint({ expiresInSeconds: -120 }));
    expect([exp, exp - iat]).toEqual([nowMs / 1000 - 120, 3600]);
  });

  it("can have claims overridden, and removed by null", async () => {
    const claims = { aud: ["a", "b"], sub: null, exp: null, iat: "soon", sid: "s", nested: { a: [1] } };
    const payload = decodeJwt(await mint({ claims }));
    expect(payload).toMatchObject({ aud: ["a", "b"], iat: "soon", sid: "s", nested: { a: [1] } });
    expect(payload).not.toHaveProperty("sub");
    expect(payload).not.toHaveProperty("exp");
  });

  it.each([
    [{ organizationId: 7 }, "organizationId"],
    [{ expiresInSeconds: 1.5 }, "expiresInSeconds"],
    [{ expiresInSeconds: "60" }, "expiresInSeconds"],
    [{ claims: [] }, "claims"],
    [{ organisationId: "acme" }, "organisationId"],
    [[], "object"],
    ["{", "JSON"],
  ])("are refused for %j, with an error that names the problem", async (body, where) => {
    const answer = await post("/token", body);
    expect(answer).toEqual({ status: 400, body: { message: expect.stringContaining(where) } });
  });
});

describe("the issuer", () => {
  it("serves the discovery document, and a key set with public members only", async () => {
    const discovery = await (await fetch(`${issuer.url}/.well-known/openid-configuration`)).json();
    expect(discovery).toMatchObject({
      issuer: issuer.url,
      jwks_uri: issuer.jwksUrl,
      token_endpoint: `${issuer.url}/token`,
    });
    const { keys } = JSON.parse(JSON.stringify(await keySet()));
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0]).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
    expect(statSync(join(dataDirectory, "issuer-keys.json")).mode & 0o777).toBe(0o600);
  });

  it("keeps its key over a restart", async () => {
    const again = await start();
    expect(await (await fetch(again.jwksUrl)).json()).toEqual(await keySet());
    await again.close();
  });

  it("rotates its key: new tokens use the new key, and old tokens stay valid unless the old key is removed", async () => {
    const old = await mint();
    const { kid } = (await post("/rotate")).body;
    const fresh = await mint();
    expect(decodeProtectedHeader(fresh).kid).toBe(kid);
    expect(decodeProtectedHeader(old).kid).not.toBe(kid);
    await verify(old);
    await verify(fresh);
    await post("/rotate", { forget: true });
    await expect(verify(fresh)).rejects.toThrow("no applicable key");
    await verify(await mint());
  });

  it("is unavailable for a given time on the local cloud's clock, or until cleared", async () => {
    const status = async () => (await fetch(issuer.jwksUrl)).status;
    await post("/outage", { seconds: 60 });
    expect(await status()).toBe(503);
    expect((await fetch(`${issuer.url}/.well-known/openid-configuration`)).status).toBe(503);
    nowMs += 60_000;
    expect(await status()).toBe(200);
    await post("/outage");
    nowMs += 86_400_000;
    expect(await status()).toBe(503);
    expect((await post("/token")).status).toBe(200);
    await post("/outage", { seconds: 0 });
    expect(await status()).toBe(200);
  });

  it("counts fetches of its key set, and lists its routes in the answer to an unknown one", async () => {
    const fetches = async () => JSON.parse(await (await fetch(issuer.url)).text()).keySetFetches;
    const before = await fetches();
    await keySet();
    expect(await fetches()).toBe(before + 1);
    expect(await post("/tokens")).toEqual({ status: 404, body: { message: expect.stringContaining("POST /token") } });
  });
});
