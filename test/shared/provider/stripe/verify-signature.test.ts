import { createHmac } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import Stripe from "stripe";
import { hasValidSignature, SIGNATURE_HEADER } from "../../../../shared/provider/stripe/verify-signature.ts";
import { fc } from "../../../support/fixed-seed.ts";

const SECRET = "whsec_test_secret";
const SECONDS = 1_795_000_000;
const NOW = SECONDS * 1_000;

/** A small event, with characters of one to four bytes. */
const PAYLOAD = JSON.stringify({ id: "evt_1", object: "event", created: SECONDS, data: { object: { name: "aé€🌵" } } });

const stripe = new Stripe("sk_test_none");

const headerOf = (options: { secret?: string; timestamp?: number; payload?: string } = {}) =>
  stripe.webhooks.generateTestHeaderString({ payload: PAYLOAD, secret: SECRET, timestamp: SECONDS, ...options });

const verify = (header: string | undefined, { body = Buffer.from(PAYLOAD), secrets = [SECRET], now = NOW } = {}) =>
  hasValidSignature({ header, body }, secrets, now);

const sign = (time: string, body: string | Uint8Array = PAYLOAD, secret = SECRET): string =>
  createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex");

describe("a signature made by the provider's SDK", () => {
  it("is valid, for the SDK as well", () => {
    expect(verify(headerOf())).toBe(true);
    expect(stripe.webhooks.constructEvent(PAYLOAD, headerOf(), SECRET, 300, undefined, NOW)).toMatchObject({
      id: "evt_1",
    });
  });

  it("is valid for any body and secret", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ minLength: 1 }), (payload, secret) => {
        const header = headerOf({ payload, secret });
        return verify(header, { body: Buffer.from(payload), secrets: [secret] });
      }),
      { seed: 7 },
    );
  });

  it("covers any bytes", () => {
    const body = Buffer.from([0xff, 0x00, 0xfe, 0x80]);
    expect(verify(`t=${SECONDS},v1=${sign(String(SECONDS), body)}`, { body })).toBe(true);
  });
});

describe("every change of a single byte is refused", () => {
  it("in the body: changed, removed or inserted", () => {
    const body = Buffer.from(PAYLOAD);
    const header = headerOf();
    const accepted: string[] = [];
    for (let at = 0; at < body.length; at++) {
      for (let value = 0; value < 256; value++) {
        const put = Buffer.concat([body.subarray(0, at), Buffer.from([value]), body.subarray(at)]);
        if (verify(header, { body: put })) accepted.push(`put ${value} at ${at}`);
        if (body[at] === value) continue;
        const changed = Buffer.from(body);
        changed[at] = value;
        if (verify(header, { body: changed })) accepted.push(`${value} at ${at}`);
      }
      const without = Buffer.concat([body.subarray(0, at), body.subarray(at + 1)]);
      if (verify(header, { body: without })) accepted.push(`without ${at}`);
    }
    expect(accepted).toEqual([]);
  });

  it("in the header, time and signature: changed, removed or inserted", () => {
    const header = headerOf();
    const accepted: string[] = [];
    for (let at = 0; at < header.length; at++) {
      for (let value = 0; value < 256; value++) {
        const put = header.slice(0, at) + String.fromCharCode(value) + header.slice(at);
        if (verify(put)) accepted.push(put);
        if (header.charCodeAt(at) === value) continue;
        const changed = header.slice(0, at) + String.fromCharCode(value) + header.slice(at + 1);
        if (verify(changed)) accepted.push(changed);
      }
      if (verify(header.slice(0, at) + header.slice(at + 1))) accepted.push(`without ${at}`);
    }
    expect(accepted).toEqual([]);
  });
});

describe("several secrets", () => {
  const old = "whsec_old";
  it.each([
    ["the first", [SECRET, old]],
    ["the last", [old, "whsec_other", SECRET]],
  ])("%s may be the one that signed", (_which, secrets) => {
    expect(verify(headerOf(), { secrets })).toBe(true);
  });

  it("may each have signed, in any of the signatures", () => {
    const time = String(SECONDS);
    const header = `t=${time},v1=${sign(time, PAYLOAD, "whsec_new")},v1=${sign(time, PAYLOAD, old)}`;
    expect(verify(header, { secrets: [old] })).toBe(true);
    expect(verify(header, { secrets: ["whsec_new"] })).toBe(true);
    expect(verify(header, { secrets: ["whsec_third"] })).toBe(false);
  });

  it.each([[[]], [["whsec_wrong"]], [[`${SECRET} `]], [[SECRET.toUpperCase()]]])("%j did not sign", (secrets) => {
    expect(verify(headerOf(), { secrets })).toBe(false);
  });
});

describe("the time", () => {
  it.each([
    [0, true],
    [300, true],
    [301, false],
    [86_400, false],
  ])("may differ by %i s in both directions: %s", (seconds, isValid) => {
    expect(verify(headerOf({ timestamp: SECONDS - seconds }))).toBe(isValid);
    expect(verify(headerOf({ timestamp: SECONDS + seconds }))).toBe(isValid);
  });

  it("is compared in whole seconds of our clock", () => {
    expect(verify(headerOf(), { now: NOW + 300_999 })).toBe(true);
    expect(verify(headerOf(), { now: NOW + 301_000 })).toBe(false);
    expect(verify(headerOf(), { now: NOW - 300_000 })).toBe(true);
    expect(verify(headerOf(), { now: NOW - 300_001 })).toBe(false);
  });

  it("is signed as well", () => {
    expect(verify(`t=${SECONDS + 1},v1=${sign(String(SECONDS))}`)).toBe(false);
  });
});

describe("the header", () => {
  const time = String(SECONDS);
  const v1 = `v1=${sign(time)}`;
  const t = `t=${time}`;

  it.each([
    ["in any order", `${v1},${t}`],
    ["with other schemes", `${t},v0=6ffbb59b,${v1},v2=anything-at=all`],
    ["with an empty value of another scheme", `${t},v0=,${v1}`],
    ["with an invalid signature beside the valid one", `${t},v1=${"0".repeat(64)},${v1}`],
    ["with the maximum number of elements", [t, v1, ...Array(14).fill("v0=1")].join(",")],
    ["with a scheme of 16 characters", `${t},a23456789012345_=1,${v1}`],
    ["with a time of 12 digits", `t=00${time},v1=${sign(`00${time}`)}`],
    ["with 2,048 characters", `${t},${v1},v0=${"0".repeat(2_044 - `${t},${v1}`.length)}`],
    ["with a time of few digits, at that time", `t=7,v1=${sign("7")}`, 7_000],
    ["with a time with leading zeros, which are signed as well", `t=0${time},v1=${sign(`0${time}`)}`],
  ])("is accepted %s", (_how, header, now = NOW) => {
    expect(verify(header, { now })).toBe(true);
  });

  it.each([
    ["missing", undefined],
    ["empty", ""],
    ["without a time", v1],
    ["without a signature", t],
    ["with a signature of another scheme only", `${t},v0=${sign(time)}`],
    ["with two times", `${t},${t},${v1}`],
    ["with two different times", `${t},t=${SECONDS - 1},${v1}`],
    ["joined from two", `${t},${v1}, ${t},${v1}`],
    ["with a time with trailing characters", `t=${time}xyz,${v1}`],
    ["with a time that has a sign", `t=+${time},${v1}`],
    ["with a negative time", `t=-${time},v1=${sign(`-${time}`)}`],
    ["with a time in hexadecimal", `t=0x10,v1=${sign("0x10")}`],
    ["with a time in scientific notation", `t=1e9,v1=${sign("1e9")}`],
    ["with a fraction of a second", `t=${time}.5,v1=${sign(`${time}.5`)}`],
    ["with a scheme of 17 characters", `${t},a234567890123456_=1,${v1}`],
    ["with 2,049 characters", `${t},${v1},v0=${"0".repeat(2_045 - `${t},${v1}`.length)}`],
    ["with an empty time", `t=,v1=${sign("")}`],
    ["with a time of 13 digits", `t=000${time},v1=${sign(`000${time}`)}`],
    ["with other digits", `t=${[...time].map((digit) => String.fromCharCode(0x660 + Number(digit))).join("")},${v1}`],
    ["with an empty signature", `${t},v1=`],
    ["with an empty signature beside the valid one", `${t},v1=,${v1}`],
    ["with a signature in capitals", `${t},v1=${sign(time).toUpperCase()}`],
    ["with half a signature", `${t},v1=${sign(time).slice(0, 32)}`],
    ["with a signature with trailing characters", `${t},${v1}00`],
    ["with a signature that is no hexadecimal", `${t},v1=${"z".repeat(64)}`],
    ["with a signature in base64", `${t},v1=${Buffer.from(sign(time), "hex").toString("base64")}`],
    ["with a space after a comma", `${t}, ${v1}`],
    ["with spaces around", ` ${t},${v1} `],
    ["with a line break", `${t},${v1}\n`],
    ["with an empty element", `${t},,${v1}`],
    ["ending in a comma", `${t},${v1},`],
    ["with an element that has no value", `${t},v0,${v1}`],
    ["with an element that has no name", `${t},=1,${v1}`],
    ["with names in capitals", `T=${time},V1=${sign(time)}`],
    ["separated by semicolons", `${t};${v1}`],
    ["with too many elements", [t, v1, ...Array(15).fill("v0=1")].join(",")],
    ["that is too long", `${t},${v1},v0=${"0".repeat(2_048)}`],
    ["with a zero byte", `${t},${v1}\0`],
    ["in JSON", JSON.stringify({ t: SECONDS, v1: sign(time) })],
  ])("is refused %s", (_how, header) => {
    expect(verify(header)).toBe(false);
  });

  it("has the provider's name", () => {
    expect(SIGNATURE_HEADER).toBe("stripe-signature");
  });

  it("may be any text without an error", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[tv01=,a-f]{0,90}$/)), (header) => {
        return !verify(header);
      }),
      { seed: 7, numRuns: 2_000 },
    );
  });
});
