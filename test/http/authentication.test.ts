import { describe, expect, it } from "@jest/globals";
import { useService } from "../support/use-service.ts";

const service = await useService();

const errorOf = async (token: string | undefined) => {
  const { status, body, headers } = await service.request("GET", "/plants", { token });
  return { status, error: (body as { error?: number }).error, challenge: headers.get("www-authenticate") };
};
const issuer = (path: string, body: object = {}) =>
  fetch(`${service.stack.issuerUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe("a token", () => {
  it("is required", async () => {
    expect(await errorOf(undefined)).toEqual({ status: 401, error: 40101, challenge: "Bearer" });
  });

  it.each([
    ["expired", { expiresInSeconds: -120 }, 40103],
    ["for someone else", { claims: { aud: "someone-else" } }, 40102],
    ["of another issuer", { claims: { iss: "https://issuer.invalid" } }, 40102],
    ["that never expires", { claims: { exp: null } }, 40102],
    ["without a subject", { claims: { sub: null } }, 40102],
    ["of an organization without a name", { claims: { org_id: "" } }, 40102],
    ["that is an ID token", { claims: { nonce: "n" } }, 40102],
  ])("%s is refused", async (_what, claims, error) => {
    const challenge = 'Bearer error="invalid_token"';
    expect(await errorOf(await service.mint(claims))).toEqual({ status: 401, error, challenge });
  });

  it("is refused after its expiry", async () => {
    const token = await service.mint({ expiresInSeconds: 60 });
    expect((await errorOf(token)).status).toBe(200);
    await service.advance(120_000);
    expect((await errorOf(token)).error).toBe(40103);
    expect((await errorOf(await service.mint({}))).status).toBe(200);
  });
});

describe("the issuer's keys", () => {
  it("may rotate while the functions run", async () => {
    expect((await errorOf(await service.mint({ userId: "before" }))).status).toBe(200);
    expect((await issuer("/rotate")).ok).toBe(true);
    expect((await errorOf(await service.mint({ userId: "after" }))).status).toBe(200);
  });

  it("cause 503, not 401, while they cannot be fetched, and work again afterwards", async () => {
    await issuer("/rotate");
    const token = await service.mint({ userId: "during" });
    expect((await issuer("/outage", { seconds: 60 })).ok).toBe(true);
    const { status, body, headers } = await service.request("GET", "/plants", { token });
    expect({ status, body }).toMatchObject({ status: 503, body: { error: 50302 } });
    expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    await issuer("/outage", { seconds: 0 });
    await service.advance(5_000);
    expect((await errorOf(token)).status).toBe(200);
  });

  it("are fetched once for invented key ids; a new key is then accepted 10 s later", async () => {
    const [header = "", ...rest] = (await service.mint({})).split(".");
    const invent = (kid: string) => {
      const invented = { ...JSON.parse(Buffer.from(header, "base64url").toString()), kid };
      return [Buffer.from(JSON.stringify(invented)).toString("base64url"), ...rest].join(".");
    };
    const fetches = async () => {
      const { keySetFetches } = (await (await fetch(`${service.stack.issuerUrl}/`)).json()) as {
        keySetFetches: number;
      };
      return keySetFetches;
    };
    const before = await fetches();
    expect(await errorOf(invent("invented"))).toMatchObject({ status: 401, error: 40102 });
    for (let i = 0; i < 20; i++) {
      const { status, headers } = await service.request("GET", "/plants", { token: invent(`invented-${i}`) });
      expect(status).toBe(503);
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    }
    await issuer("/rotate");
    const token = await service.mint({ userId: "with-new-key" });
    expect((await errorOf(token)).status).toBe(503);
    expect(await fetches()).toBe(before + 1);
    await service.advance(10_000);
    expect((await errorOf(token)).status).toBe(200);
    expect(await fetches()).toBe(before + 2);
  });
});
