import { KeyObject, sign } from "node:crypto";
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { JWTPayload } from "jose";
import { createAuthenticator, RefusedCallerError } from "../../../shared/http/authenticate.ts";
import { countedClaims } from "../../support/counted-claims.ts";
import { makeKey, startIssuer } from "../../support/issuer.ts";
import { usePerFile } from "../../support/use-started.ts";

const SECONDS = Math.floor(Date.now() / 1000);

const issuer = usePerFile(startIssuer);
const key = usePerFile(() => makeKey("first"));
beforeAll(() => {
  issuer.state.keys = [key.jwk];
});

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** A token whose signature verifies, whatever its header says. */
const signed = (claims: JWTPayload = {}, header: object = {}): string => {
  const payload = { iss: issuer.issuer, aud: "plants", sub: "ada", iat: SECONDS, exp: SECONDS + 3_600, ...claims };
  const content = `${encode({ alg: "RS256", kid: "first", ...header })}.${encode(payload)}`;
  return `${content}.${sign("sha256", Buffer.from(content), KeyObject.from(key.privateKey)).toString("base64url")}`;
};

/** An authenticator with a clock, which counts how often it read the claims of a token. */
const create = () => {
  const { state, claims } = countedClaims();
  const time = { now: SECONDS * 1_000 };
  const authenticate = createAuthenticator({ issuer: issuer.issuer, audience: "plants", claims, now: () => time.now });
  return { state, time, present: (jwt: string) => authenticate(`Bearer ${jwt}`), authenticate };
};
const errorOf = (attempt: Promise<unknown>) => attempt.then(() => "accepted").catch((error: unknown) => error);

describe("a token with a valid signature", () => {
  it.each([
    ["critical extensions", { crit: ["exp"] }, "its header demands an extension"],
    ["an unencoded payload", { b64: false }, "its header demands an extension"],
    ["an encoded payload that it mentions", { b64: true }, "its header demands an extension"],
    ["no algorithm", { alg: undefined }, "its algorithm is not accepted"],
    ["an algorithm of secrets", { alg: "HS256" }, "its algorithm is not accepted"],
    ["a probabilistic algorithm", { alg: "PS256" }, "its algorithm is not accepted"],
  ])("is refused with %s", async (_what, header, reason) => {
    const error = await errorOf(create().present(signed({}, header)));
    expect(error).toMatchObject({ code: "invalid_token", message: `The token is not valid: ${reason}.` });
  });

  it.each([
    ["at+jwt", "accepted"],
    ["application/AT+JWT", "accepted"],
    ["at+jwtx", "refused"],
    ["xat+jwt", "refused"],
    ["application/", "refused"],
  ])("with a nonce and the type %s is %s", async (typ, expected) => {
    const result = await errorOf(create().present(signed({ nonce: "n" }, { typ })));
    expect(result === "accepted" ? "accepted" : "refused").toBe(expected);
  });

  it("may have been issued 30 s in the future, and no more", async () => {
    await expect(create().present(signed({ iat: SECONDS + 30 }))).resolves.toMatchObject({ userId: "ada" });
    await expect(create().present(signed({ iat: SECONDS + 31 }))).rejects.toMatchObject({ code: "invalid_token" });
  });

  it("names its caller when its claims are refused, and no caller otherwise", async () => {
    const { present } = create();
    const expired = { org_id: "acme", iat: SECONDS - 120, exp: SECONDS - 60 };
    for (const refused of [expired, { org_id: "acme", aud: "other" }]) {
      const error = await errorOf(present(signed(refused)));
      expect(error).toBeInstanceOf(RefusedCallerError);
      expect(error).toMatchObject({ caller: { organizationId: "acme" } });
    }
    const forged = `${signed({ org_id: "acme" }).slice(0, -8)}AAAAAAAA`;
    for (const jwt of [forged, signed({ org_id: "acme" }, { kid: "other" })]) {
      expect(await errorOf(present(jwt))).not.toBeInstanceOf(RefusedCallerError);
    }
  });
});

describe("a verified token", () => {
  it("is not verified again until 30 s after its expiry", async () => {
    const { state, time, present } = create();
    const jwt = signed({ exp: SECONDS + 60 });
    await present(jwt);
    const once = state.reads;
    time.now = (SECONDS + 90) * 1_000 - 1;
    await present(jwt);
    expect(state.reads).toBe(once);
    time.now++;
    await present(jwt);
    expect(state.reads).toBe(2 * once);
  });
});

describe("the header Authorization", () => {
  it.each(["Bearer %", "bearer %", "BEARER   %", "Bearer % ", "Bearer %\t"])("may be %j", async (form) => {
    await expect(create().authenticate(form.replace("%", signed()))).resolves.toMatchObject({ userId: "ada" });
  });

  it.each(["", "%", "Bearer%", "Bearer ", "Bearer  ", " Bearer %", "xBearer %", "Bearer\t%", "Basic %", "Bearer %\nx"])(
    "has no token as %j",
    async (form) => {
      const attempt = create().authenticate(form.replace("%", signed()));
      await expect(attempt).rejects.toMatchObject({ code: "no_bearer_token" });
    },
  );
});
