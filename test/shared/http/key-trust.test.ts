import { describe, expect, it } from "@jest/globals";
import { algorithmsOf, parseKeys } from "../../../shared/http/key-trust.ts";

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

/** A modulus of this many bytes that begins with the given ones. */
const modulus = (length: number, ...first: number[]): string =>
  Buffer.concat([Buffer.from(first), Buffer.alloc(length - first.length, 1)]).toString("base64url");

describe("parseKeys", () => {
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
  ])("puts a key of the kind %s before weak keys: %s", (_what, isTrusted, tried) => {
    const weak = { kty: "oct", kid: "weak" };
    const strong = { kty: "EC", crv: "P-256", kid: "first" };
    const { keys } = parseKeys({ keys: [weak, tried, strong] });
    expect(keys.map(({ kid }) => kid)).toEqual(isTrusted ? ["tried", "first", "weak"] : ["first", "weak", "tried"]);
  });
});
