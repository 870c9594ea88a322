import { generateKeyPairSync, sign } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { JWTPayload } from "jose";
import { type Authenticate, createAuthenticator } from "../../../shared/http/authenticate.ts";
import { makeKey, startIssuer } from "../../support/issuer.ts";

const HOUR_SECONDS = 3_600;
const now = Math.floor(Date.now() / 1000);

let issuer: Awaited<ReturnType<typeof startIssuer>>;
let key: Awaited<ReturnType<typeof makeKey>>;
let authenticate: Authenticate;

const authenticator = (overrides: { issuer?: string; now?: () => number } = {}) =>
  createAuthenticator({
    issuer: issuer.issuer,
    audience: "plants",
    claimNames: { organization: "org_id", role: "org_role" },
    now: Date.now,
    ...overrides,
  });

const claims = (overrides: JWTPayload = {}): JWTPayload => ({
  iss: issuer.issuer,
  aud: "plants",
  sub: "ada",
  iat: now,
  exp: now + HOUR_SECONDS,
  ...overrides,
});
const token = (overrides: JWTPayload = {}, header = {}) => issuer.sign(key, claims(overrides), header);
const present = async (jwt: string | Promise<string>) => authenticate(`Bearer ${await jwt}`);
const codeOf = (attempt: Promise<unknown>) => attempt.then(() => "accepted").catch((error) => error.code as string);

beforeAll(async () => {
  issuer = await startIssuer();
  key = await makeKey("first");
  issuer.state.keys = [key.jwk];
  authenticate = authenticator();
});
afterAll(() => issuer.stop());

describe("a caller", () => {
  it("has the identity of the claims", async () => {
    await expect(present(token({ org_id: "acme", org_role: "billing", sid: "s1" }))).resolves.toEqual({
      userId: "ada",
      organizationId: "acme",
      role: "billing",
      sessionId: "s1",
      scope: "org:acme",
    });
    await expect(present(token())).resolves.toEqual({
      userId: "ada",
      organizationId: undefined,
      role: "guest",
      sessionId: undefined,
      scope: "user:ada",
    });
  });

  it.each([[undefined], ["owner"], [7], [["admin"]]])("with the role %p is a guest", async (org_role) => {
    await expect(present(token({ org_id: "acme", org_role }))).resolves.toMatchObject({ role: "guest" });
  });

  it.each(["", "a b", "a\u0000", "a\u200b", "x".repeat(129), 7, null, ["acme"], {}])(
    "cannot have the identifier %p",
    async (value) => {
      for (const claim of ["sub", "org_id", "sid"]) {
        await expect(codeOf(present(token({ org_id: "acme", [claim]: value } as JWTPayload)))).resolves.toBe(
          "invalid_token",
        );
      }
    },
  );

  it("may have identifiers of 128 printable characters of any script", async () => {
    const organization = "株:🌵/".padEnd(127, "x");
    await expect(present(token({ org_id: organization }))).resolves.toMatchObject({ scope: `org:${organization}` });
  });
});

describe("a token", () => {
  it.each([
    ["for another audience", { aud: "other" }, "invalid_token"],
    ["for several audiences", { aud: ["other", "plants"] }, "accepted"],
    ["without aud, for the client", { aud: undefined, client_id: "plants" }, "accepted"],
    ["without aud, for another client", { aud: undefined, client_id: "other" }, "invalid_token"],
    ["for another audience, from the client", { aud: "other", client_id: "plants" }, "invalid_token"],
    ["of another issuer", { iss: "https://other.example" }, "invalid_token"],
    ["without an issuer", { iss: undefined }, "invalid_token"],
    ["without sub", { sub: undefined }, "invalid_token"],
    ["without exp", { exp: undefined }, "invalid_token"],
    ["without iat", { iat: undefined }, "invalid_token"],
    ["that expired within the leeway", { exp: now - 20 }, "accepted"],
    ["that expired", { iat: now - 120, exp: now - 60 }, "expired_token"],
    ["with a lifetime of 24 hours", { exp: now + 24 * HOUR_SECONDS }, "accepted"],
    ["with a longer lifetime", { exp: now + 24 * HOUR_SECONDS + 1 }, "invalid_token"],
    ["without a limit of its lifetime", { exp: 1e300 }, "invalid_token"],
    ["from the near future", { iat: now + 20, nbf: now + 20 }, "accepted"],
    ["from the future", { iat: now + 120 }, "invalid_token"],
    ["that is not valid yet", { nbf: now + 120 }, "invalid_token"],
    ["not valid before the end of time", { nbf: 1e300 }, "invalid_token"],
    ["that is an ID token of Cognito", { token_use: "id" }, "invalid_token"],
    ["that is an access token of Cognito", { token_use: "access" }, "accepted"],
    ["that is an ID token by its nonce", { nonce: "n" }, "invalid_token"],
    ["that is an ID token by its hash", { at_hash: "h" }, "invalid_token"],
  ])("%s", async (_what, overrides, expected) => {
    await expect(codeOf(present(token(overrides as JWTPayload)))).resolves.toBe(expected);
  });

  it("that requires an extension is refused", async () => {
    await expect(codeOf(present(token({}, { crit: ["exp"], exp: 1 }).catch(() => "x.y.z")))).resolves.toBe(
      "invalid_token",
    );
    const [, payload, signature] = (await token()).split(".");
    const header = Buffer.from(JSON.stringify({ alg: "RS256", kid: "first", crit: ["b64"], b64: false }));
    await expect(codeOf(present(`${header.toString("base64url")}.${payload}.${signature}`))).resolves.toBe(
      "invalid_token",
    );
  });

  it("is refused if any character is changed", async () => {
    const jwt = await token();
    for (let at = 0; at < jwt.length; at += 7) {
      const changed = `${jwt.slice(0, at)}${jwt[at] === "A" ? "B" : "A"}${jwt.slice(at + 1)}`;
      await expect(codeOf(present(changed))).resolves.toBe("invalid_token");
    }
  });

  it("requires a signature with an accepted algorithm", async () => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    for (const alg of ["none", "HS256", "RS1", "PS256"]) {
      await expect(codeOf(present(`${encode({ alg, kid: "first" })}.${encode(claims())}.AAAA`))).resolves.toBe(
        "invalid_token",
      );
    }
  });

  it.each(["ES256", "ES512", "EdDSA", "RS512"])("may be signed with %s", async (alg) => {
    const other = await makeKey(`key-${alg}`, alg);
    issuer.state.keys = [key.jwk, other.jwk];
    authenticate = authenticator();
    await expect(codeOf(present(issuer.sign(other, claims())))).resolves.toBe("accepted");
    const [header, payload] = (await issuer.sign(other, claims())).split(".");
    await expect(codeOf(present(`${header}.${payload}.AAAA`))).resolves.toBe("invalid_token");
  });

  it("is refused if its key is weak or not for signatures", async () => {
    // jose refuses to sign with a weak key, so Node does.
    const weak = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const encryption = await makeKey("encryption");
    const weakJwk = { ...weak.publicKey.export({ format: "jwk" }), kid: "weak", use: "sig" };
    issuer.state.keys = [key.jwk, weakJwk, { ...encryption.jwk, use: "enc" }];
    authenticate = authenticator();
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const content = `${encode({ alg: "RS256", kid: "weak" })}.${encode(claims())}`;
    const signature = sign("sha256", Buffer.from(content), weak.privateKey).toString("base64url");
    await expect(codeOf(present(`${content}.${signature}`))).resolves.toBe("invalid_token");
    await expect(codeOf(present(issuer.sign(encryption, claims())))).resolves.toBe("invalid_token");
    await expect(codeOf(present(token()))).resolves.toBe("accepted");
  });
});

describe("the header", () => {
  it.each([undefined, "", "Basic YTpi", "Bearer", "Bearer ", "Token x"])("%p has no bearer token", async (header) => {
    await expect(codeOf(authenticate(header))).resolves.toBe("no_bearer_token");
  });

  it("may have the scheme in upper or lower case", async () => {
    await expect(codeOf(authenticate(`bearer   ${await token()}`))).resolves.toBe("accepted");
  });

  it.each([
    "Bearer x",
    "Bearer a.b.c",
    "Bearer a b",
    "Bearer x,Bearer y",
    "Bearer ..",
    "Bearer eyJhbGciOiJSUzI1NiJ9.bnVsbA.AAAA",
  ])("%p has an invalid bearer token", async (header) => {
    await expect(codeOf(authenticate(header))).resolves.toBe("invalid_token");
  });
});

describe("the issuer's keys", () => {
  it("are fetched once and cached", async () => {
    issuer.state.keys = [key.jwk];
    issuer.state.fetches = 0;
    authenticate = authenticator();
    for (let i = 0; i < 5; i++) await present(token({ jti: String(i) }));
    expect(issuer.state.fetches).toBe(1);
  });

  it("may rotate, with effect at once", async () => {
    const next = await makeKey("next");
    issuer.state.keys = [next.jwk];
    await expect(codeOf(present(issuer.sign(next, claims())))).resolves.toBe("accepted");
  });

  it("are fetched at most once in ten seconds for unknown key ids, without effect on valid tokens", async () => {
    issuer.state.keys = [key.jwk];
    authenticate = authenticator();
    await present(token());
    issuer.state.fetches = 0;
    const stranger = await makeKey("stranger");
    for (let i = 0; i < 1000; i++) {
      await expect(codeOf(present(issuer.sign({ ...stranger, kid: `made-up-${i}` }, claims())))).resolves.toBe(
        "invalid_token",
      );
    }
    expect(issuer.state.fetches).toBeLessThanOrEqual(1);
    await expect(codeOf(present(token({ jti: "good" })))).resolves.toBe("accepted");
  });

  it("that cannot be fetched cause no refusal of the token, and are fetched again after a pause", async () => {
    let time = Date.now();
    authenticate = authenticator({ now: () => time });
    issuer.state.outage = true;
    issuer.state.fetches = 0;
    for (let i = 0; i < 3; i++) await expect(codeOf(present(token()))).resolves.toBe("key_set_unavailable");
    issuer.state.outage = false;
    time += 2_000;
    await expect(codeOf(present(token()))).resolves.toBe("accepted");
    issuer.state.outage = true;
    await expect(codeOf(present(token({ jti: "known key" })))).resolves.toBe("accepted");
    issuer.state.outage = false;
  });

  it("stay trusted for at most one hour after withdrawal, and longer during an outage", async () => {
    let time = Date.now();
    issuer.state.keys = [key.jwk];
    authenticate = authenticator({ now: () => time });
    await present(token());
    issuer.state.outage = true;
    time += HOUR_SECONDS * 1000;
    await expect(codeOf(present(token({ iat: now, exp: now + 2 * HOUR_SECONDS })))).resolves.toBe("accepted");
    issuer.state.outage = false;
    issuer.state.keys = [];
    time += 60_000;
    await expect(codeOf(present(token({ iat: now, exp: now + 3 * HOUR_SECONDS })))).resolves.toBe("invalid_token");
  });

  it.each([
    ["another issuer's", { issuer: "https://other.example" }],
    ["over plain HTTP from elsewhere", { jwks_uri: "http://keys.example/keys" }],
    ["without an address", { jwks_uri: "keys" }],
  ])("are not taken from a discovery document that is %s", async (_what, discovery) => {
    issuer.state.discovery = discovery;
    authenticate = authenticator();
    await expect(codeOf(present(token()))).resolves.toBe("key_set_unavailable");
    issuer.state.discovery = {};
  });

  it("are never fetched for a token of another issuer, or if no issuer is trusted", async () => {
    authenticate = authenticator();
    issuer.state.fetches = 0;
    await present(token({ iss: "https://other.example" })).catch(() => undefined);
    expect(issuer.state.fetches).toBe(0);
    authenticate = authenticator({ issuer: "https://issuer.invalid" });
    await expect(codeOf(present(token({ iss: "https://issuer.invalid" })))).resolves.toBe("invalid_token");
  });
});
