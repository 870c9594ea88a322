import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { algorithmsOf, createKeySet, discoveryUrl, KeySetUnavailableError } from "../../../shared/http/key-set.ts";
import { makeKey, startIssuer } from "../../support/issuer.ts";
import { keySetAt } from "../../support/key-set-at.ts";

let issuer: Awaited<ReturnType<typeof startIssuer>>;
let key: Awaited<ReturnType<typeof makeKey>>;
beforeAll(async () => {
  issuer = await startIssuer();
  key = await makeKey("first");
});
afterAll(() => issuer.stop());
beforeEach(() => {
  Object.assign(issuer.state, { keys: [key.jwk], outage: false, fetches: 0, discovery: {} });
});

it.each([
  ["RSA", undefined, ["RS256", "RS384", "RS512"]],
  ["EC", "P-256", ["ES256"]],
  ["EC", "P-384", ["ES384"]],
  ["EC", "P-521", ["ES512"]],
  ["OKP", "Ed25519", ["EdDSA"]],
  ["EC", "secp256k1", []],
  ["EC", "Ed25519", []],
  ["EC", undefined, []],
  ["OKP", "X25519", []],
  ["OKP", "P-256", []],
  ["oct", undefined, []],
  ["oct", "P-256", []],
  ["oct", "Ed25519", []],
])("a key of the type %s and the curve %s has the algorithms %j", (kty, crv, expected) => {
  expect(algorithmsOf({ kty, ...(crv !== undefined && { crv }) })).toEqual(expected);
});

/** A modulus of so many bytes that begins with the given ones. */
const modulus = (length: number, ...first: number[]): string =>
  Buffer.concat([Buffer.from(first), Buffer.alloc(length - first.length, 1)]).toString("base64url");

describe("the keys of an issuer", () => {
  const rsa = { kty: "RSA", e: "AQAB", kid: "tried" };
  it.each<[string, boolean, object]>([
    ["RSA of 2,048 bits", true, { ...rsa, n: modulus(256, 0x80) }],
    ["RSA of 2,047 bits", false, { ...rsa, n: modulus(256, 0x7f) }],
    ["RSA of 2,048 bits after a zero", true, { ...rsa, n: modulus(257, 0, 0x80) }],
    ["RSA of 2,047 bits after a zero", false, { ...rsa, n: modulus(257, 0, 0x7f) }],
    ["RSA of 2,041 bits", false, { ...rsa, n: modulus(256, 0x01) }],
    ["RSA of 2,049 bits", true, { ...rsa, n: modulus(257, 0x01) }],
    ["RSA of zeros", false, { ...rsa, n: Buffer.alloc(300).toString("base64url") }],
    ["RSA without a modulus", false, rsa],
    ["RSA with a modulus of another type", false, { ...rsa, n: 7 }],
    ["RSA for its algorithm", true, { ...rsa, n: modulus(256, 0x80), alg: "RS512" }],
    ["RSA for another type's algorithm", false, { ...rsa, n: modulus(256, 0x80), alg: "ES256" }],
    ["RSA for signatures", true, { ...rsa, n: modulus(256, 0x80), use: "sig" }],
    ["RSA for encryption", false, { ...rsa, n: modulus(256, 0x80), use: "enc" }],
    ["EC of an accepted curve", true, { kty: "EC", crv: "P-256", kid: "tried" }],
    ["EC of another curve", false, { kty: "EC", crv: "secp256k1", kid: "tried" }],
    ["a secret", false, { kty: "oct", kid: "tried" }],
  ])("of the kind %s come first: %s", async (_what, isTrusted, tried) => {
    const weak = { kty: "oct", kid: "weak" };
    issuer.state.keys = [weak, { ...tried }, key.jwk];
    const kids = (await keySetAt(issuer, key, 0).keySet.prefetch()).map(({ kid }) => kid);
    expect(kids).toEqual(isTrusted ? ["tried", "first", "weak"] : ["first", "weak", "tried"]);
  });
});

describe("the addresses of an issuer", () => {
  const errorAt = (url: string) =>
    createKeySet(url, () => 0)
      .prefetch()
      .then(() => undefined)
      .catch((error: Error) => error);

  it.each(["http://issuer.invalid", "ftp://localhost", "http://127.0.0.1.invalid"])("%s is refused", async (url) => {
    const error = await errorAt(url);
    expect(error).toBeInstanceOf(KeySetUnavailableError);
    expect(error?.message).toContain("is neither https nor loopback");
  });

  it.each(["http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1", "https://localhost:1"])(
    "%s is asked",
    async (url) => {
      expect(await errorAt(url)).not.toBeInstanceOf(KeySetUnavailableError);
    },
  );

  it("also apply to the address of the keys", async () => {
    issuer.state.discovery = { jwks_uri: "http://issuer.invalid/keys" };
    await expect(keySetAt(issuer, key, 0).keySet.prefetch()).rejects.toThrow("is neither https nor loopback");
  });
});

describe("keys that cannot be fetched", () => {
  it("are asked for again after 2 s, and not before", async () => {
    const { time, find } = keySetAt(issuer, key, 10_000);
    issuer.state.outage = true;
    await expect(find()).rejects.toThrow(/^The keys of the issuer cannot be fetched: .*status 500/);
    issuer.state.outage = false;
    time.now += 1_999;
    await expect(find()).rejects.toThrow("The issuer did not answer a moment ago.");
    expect(issuer.state.fetches).toBe(0);
    time.now += 1;
    await expect(find()).resolves.toBe("first");
  });

  it("and keys that cannot be read are no refusal of the token", async () => {
    const { time, find } = keySetAt(issuer, key, 10_000);
    issuer.state.keys = [{ kid: "without a type" }];
    const error = await find().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(KeySetUnavailableError);
    issuer.state.keys = [key.jwk];
    time.now += 1_999;
    await expect(find()).rejects.toBeInstanceOf(KeySetUnavailableError);
    time.now += 1;
    await expect(find()).resolves.toBe("first");
  });

  it("are kept for an hour, and then refreshed at most once a minute", async () => {
    const { time, find } = keySetAt(issuer, key, 0);
    await find();
    issuer.state.outage = true;
    time.now = 3_600_000;
    await expect(find()).resolves.toBe("first");
    issuer.state.outage = false;
    const fetches = issuer.state.fetches;
    time.now += 59_999;
    await find();
    expect(issuer.state.fetches).toBe(fetches);
    time.now += 1;
    await find();
    expect(issuer.state.fetches).toBe(fetches + 1);
  });
});

it.each([
  ["https://id.example/tenant", "https://id.example/tenant/.well-known/openid-configuration"],
  ["https://id.example/tenant/", "https://id.example/tenant/.well-known/openid-configuration"],
])("the discovery document of %s is at %s", (address, expected) => {
  expect(discoveryUrl(address)).toBe(expected);
});
