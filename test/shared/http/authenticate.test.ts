import { generateKeyPairSync, KeyObject, sign } from "node:crypto";
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { JWTPayload } from "jose";
import { type Authenticate, createAuthenticator } from "../../../shared/http/authenticate.ts";
import { makeKey, startIssuer } from "../../support/issuer.ts";
import { usePerFile } from "../../support/use-started.ts";

const HOUR_SECONDS = 3_600;
const now = Math.floor(Date.now() / 1000);

const issuer = usePerFile(startIssuer);
const key = usePerFile(() => makeKey("first"));
let authenticate: Authenticate;

const authenticator = (overrides: { issuer?: string; now?: () => number } = {}) =>
  createAuthenticator({
    issuer: issuer.issuer,
    audience: "plants",
    claims: { organization: "org_id", role: "org_role", roleMapping: {} },
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
  issuer.state.keys = [key.jwk];
  authenticate = authenticator();
});

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
      missing: {
        organization: "The token names no organization: it has no claim org_id.",
        role: "The token has no claim org_role, so the role counts as guest.",
      },
    });
  });

  it.each([undefined, "owner", "Admin", 7, null, [], ["owner"], [["admin"]], { admin: true }])(
    "with the role %j is a guest, with the claim that was looked for",
    async (org_role) => {
      const caller = present(token({ org_id: "acme", org_role } as JWTPayload));
      const role = org_role === undefined ? /no claim org_role/ : /claim org_role has no known role/;
      await expect(caller).resolves.toMatchObject({ role: "guest", missing: { role: expect.stringMatching(role) } });
    },
  );

  it.each(["", "a b", "a\u0000", "a\u200b", "x".repeat(129), 7, null, [], ["acme", "acme"], [["acme"]], {}])(
    "cannot have the identifier %p",
    async (value) => {
      for (const claim of ["sub", "org_id", "sid"]) {
        await expect(codeOf(present(token({ org_id: "acme", [claim]: value } as JWTPayload)))).resolves.toBe(
          "invalid_token",
        );
      }
    },
  );

  it.each([".", "..", ["."], [".."]])("cannot belong to the organization %j, but have the user id", async (value) => {
    await expect(present(token({ org_id: value }))).rejects.toMatchObject({
      code: "invalid_token",
      message: "The token is not valid: its claim org_id is not one identifier of 1 to 128 printable characters.",
    });
    const sub = String(value);
    await expect(present(token({ sub, org_id: "acme" }))).resolves.toMatchObject({ userId: sub });
  });

  it("cannot have a list as user id or session", async () => {
    for (const claim of ["sub", "sid"]) {
      await expect(codeOf(present(token({ [claim]: ["ada"] } as JWTPayload)))).resolves.toBe("invalid_token");
    }
  });

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
    ["for another audience, from the client", { aud: "other", client_id: "plants", azp: "plants" }, "invalid_token"],
    ["for no audience, from the client", { aud: [], client_id: "plants", azp: "plants" }, "invalid_token"],
    ["without aud and client_id, for the authorized party", { aud: undefined, azp: "plants" }, "accepted"],
    ["without aud, for another client", { aud: undefined, client_id: "other", azp: "plants" }, "invalid_token"],
    [
      "without aud, from the client of Okta or Entra ID",
      { aud: undefined, cid: "plants", appid: "plants" },
      "invalid_token",
    ],
    ["without aud, for a list of clients", { aud: undefined, client_id: ["plants"] }, "invalid_token"],
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
    ["that is an ID token of Keycloak", { typ: "ID" }, "invalid_token"],
    ["with a nonce, an access token of Cognito", { nonce: "n", token_use: "access" }, "accepted"],
    ["with a nonce, an access token of Keycloak", { nonce: "n", typ: "Bearer" }, "accepted"],
    ["with a hash, an access token of Keycloak", { at_hash: "h", typ: "Bearer" }, "invalid_token"],
    ["with a nonce, and a scope", { nonce: "n", scope: "openid", azp: "plants" }, "invalid_token"],
  ])("%s", async (_what, overrides, expected) => {
    await expect(codeOf(present(token(overrides as JWTPayload)))).resolves.toBe(expected);
  });

  it.each([
    ["at+jwt", { nonce: "n" }, "accepted"],
    ["application/AT+JWT", { nonce: "n" }, "accepted"],
    ["JWT", { nonce: "n" }, "invalid_token"],
    ["not-at+jwt", { nonce: "n" }, "invalid_token"],
    ["at+jwt", { at_hash: "h" }, "invalid_token"],
    ["at+jwt", { nonce: "n", token_use: "id" }, "invalid_token"],
  ])("of the type %s with %j is %s", async (typ, overrides, expected) => {
    await expect(codeOf(present(token(overrides, { typ })))).resolves.toBe(expected);
  });

  it.each([
    ["expired a day ago, less a minute", 24 * HOUR_SECONDS - 60, "acme"],
    ["expired more than a day ago", 24 * HOUR_SECONDS + 60, undefined],
  ])("that %s and is refused names its organization: %#", async (_when, ago, organizationId) => {
    const attempt = present(token({ org_id: "acme", iat: now - ago - 60, exp: now - ago }));
    const { code, caller } = await attempt.then(
      () => ({}) as never,
      (error) => error,
    );
    expect([code, caller?.organizationId, caller?.userId]).toEqual([
      "expired_token",
      organizationId,
      organizationId && "ada",
    ]);
  });

  it("is refused if its header or payload is not UTF-8", async () => {
    const [header = "", payload = ""] = (await token({ org_id: "acme" })).split(".");
    const latin1 = (part: string) =>
      Buffer.from(
        Buffer.from(part, "base64url")
          .toString()
          .replace(/"(?:acme|first)"/, '"\u00e4"'),
        "latin1",
      );
    for (const content of [
      `${header}.${latin1(payload).toString("base64url")}`,
      `${latin1(header).toString("base64url")}.${payload}`,
    ]) {
      const signature = sign("sha256", Buffer.from(content), KeyObject.from(key.privateKey)).toString("base64url");
      await expect(present(`${content}.${signature}`)).rejects.toMatchObject({
        code: "invalid_token",
        message: "The token is not valid: it is not UTF-8.",
      });
    }
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

  /** A token that states another algorithm than its key's type has, signed with the digest of that algorithm. */
  it.each([
    ["RS256", "ES256", "sha256"],
    ["RS256", "ES512", "sha512"],
    ["RS256", "EdDSA", "sha512"],
    ["ES256", "RS256", "sha256"],
    ["ES256", "ES384", "sha384"],
    ["ES256", "ES512", "sha512"],
    ["ES512", "ES256", "sha256"],
  ])("is refused if its key is for %s and its header says %s", async (alg, stated, digest) => {
    const other = await makeKey(`confused-${alg}-${stated}`, alg);
    for (const jwk of [other.jwk, { ...other.jwk, alg: undefined }, { ...other.jwk, alg: stated }]) {
      issuer.state.keys = [jwk];
      authenticate = authenticator();
      const content = [{ alg: stated, kid: other.kid }, claims()]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join(".");
      const privateKey = { key: KeyObject.from(other.privateKey), dsaEncoding: "ieee-p1363" as const };
      const signature = sign(digest, Buffer.from(content), privateKey).toString("base64url");
      await expect(codeOf(present(`${content}.${signature}`))).resolves.toBe("invalid_token");
    }
  });

  it.each(["RS256", "RS384", "ES256", "ES384", "EdDSA"])("may be signed with %s if its key has no alg", async (alg) => {
    const other = await makeKey(`without-alg-${alg}`, alg);
    issuer.state.keys = [{ ...other.jwk, alg: undefined, use: undefined }];
    authenticate = authenticator();
    await expect(codeOf(present(issuer.sign(other, claims())))).resolves.toBe("accepted");
  });

  it("is verified with the key for signatures if another key has the same id", async () => {
    const encryption = await makeKey(key.kid);
    issuer.state.keys = [{ ...encryption.jwk, use: "enc" }, key.jwk];
    authenticate = authenticator();
    await expect(codeOf(present(token()))).resolves.toBe("accepted");
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
    let time = Date.now();
    issuer.state.keys = [key.jwk];
    authenticate = authenticator({ now: () => time });
    await present(token());
    issuer.state.fetches = 0;
    const stranger = await makeKey("stranger");
    const invented = (kid: string) => present(issuer.sign({ ...stranger, kid }, claims()));
    await expect(codeOf(invented("first-invention"))).resolves.toBe("invalid_token");
    for (let i = 0; i < 200; i++) {
      time += 49;
      // The key may have been published since the fetch, so the token is not refused for good.
      await expect(invented(`invention-${i}`)).rejects.toMatchObject({
        code: "key_set_unavailable",
        retryAfterSeconds: Math.ceil((10_000 - 49 * (i + 1)) / 1000),
      });
    }
    expect(issuer.state.fetches).toBe(1);
    await expect(codeOf(present(token({ jti: "good" })))).resolves.toBe("accepted");
  });

  it("that are new are accepted 10 s after the fetch for an invented key id, at the latest", async () => {
    let time = Date.now();
    issuer.state.keys = [key.jwk];
    authenticate = authenticator({ now: () => time });
    const stranger = await makeKey("stranger");
    const next = await makeKey("published");
    await expect(codeOf(present(issuer.sign(stranger, claims())))).resolves.toBe("invalid_token");
    issuer.state.keys = [key.jwk, next.jwk];
    time += 9_999;
    await expect(codeOf(present(issuer.sign(next, claims())))).resolves.toBe("key_set_unavailable");
    time += 1;
    await expect(codeOf(present(issuer.sign(next, claims())))).resolves.toBe("accepted");
    await expect(codeOf(present(issuer.sign(stranger, claims())))).resolves.toBe("invalid_token");
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
