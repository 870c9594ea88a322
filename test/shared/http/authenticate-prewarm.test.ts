import { expect, it } from "@jest/globals";
import { createAuthenticator } from "../../../shared/http/authenticate.ts";
import { prewarm } from "../../../shared/runtime/prewarm.ts";
import { countedClaims } from "../../support/counted-claims.ts";
import { makeKey, startIssuer } from "../../support/issuer.ts";
import { usePerFile } from "../../support/use-started.ts";

const issuer = usePerFile(startIssuer);
const key = usePerFile(() => makeKey("first"));

/** An authenticator that counts how often it read the names of claims. */
const create = (url: string) => {
  const { state, claims } = countedClaims();
  return { state, authenticate: createAuthenticator({ issuer: url, audience: "plants", claims, now: Date.now }) };
};
const claimsOf = () => {
  const seconds = Math.floor(Date.now() / 1_000);
  return { iss: issuer.issuer, aud: "plants", sub: "ada", iat: seconds, exp: seconds + 60 };
};

it("fetches the keys before the first request, which then fetches none", async () => {
  issuer.state.keys = [key.jwk];
  issuer.state.fetches = 0;
  const { state, authenticate } = create(issuer.issuer);
  expect(issuer.state.fetches).toBe(0);
  await expect(prewarm()).resolves.toEqual([]);
  expect([issuer.state.fetches, state.reads > 0]).toEqual([1, true]);
  const token = await issuer.sign(key, claimsOf());
  await expect(authenticate(`Bearer ${token}`)).resolves.toMatchObject({ userId: "ada" });
  expect(issuer.state.fetches).toBe(1);
});

it("accepts an issuer without keys before the first request", async () => {
  issuer.state.keys = [];
  create(issuer.issuer);
  await expect(prewarm()).resolves.toEqual([]);
});

it("fetches nothing from an issuer that cannot exist", async () => {
  const { state } = create("https://nobody.invalid");
  await expect(prewarm()).resolves.toEqual([]);
  expect(state.reads).toBe(0);
});
