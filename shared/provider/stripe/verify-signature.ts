/**
 * The provider's signature on its webhooks: `t=<epoch seconds>,v1=<hex>[,v1=<hex>…]`, each v1 an HMAC-SHA256 of
 * `<t>.<body>` with one of the endpoint's secrets. https://docs.stripe.com/webhooks#verify-manually
 */
import { createHmac, timingSafeEqual } from "node:crypto";

/** In lower case, as in Lambda events. */
export const SIGNATURE_HEADER = "stripe-signature";

/** The most that the time of a signature may differ from ours, in both directions: an older one may be a replay. */
export const TOLERANCE_SECONDS = 300;

/** While a secret is rolled, an endpoint has two signatures; the rest is room for other schemes. */
const MAX_ELEMENTS = 16;
export const SIGNATURE_MAX_CHARACTERS = 2_048;

/** A scheme and its value. Schemes other than `t` and `v1` are ignored. */
const ELEMENT = /^([a-z0-9_]{1,16})=([\x21-\x2b\x2d-\x7e]*)$/;
const TIME = /^[0-9]{1,12}$/;
const SIGNATURE = /^[0-9a-f]{64}$/;

type Signed = { time: string; signatures: readonly Buffer[] };

/** The time and signatures of a header; undefined if any character breaks the grammar. */
const parseHeader = (header: string): Signed | undefined => {
  if (header.length > SIGNATURE_MAX_CHARACTERS) return undefined;
  const elements = header.split(",");
  if (elements.length > MAX_ELEMENTS) return undefined;
  let time: string | undefined;
  const signatures: Buffer[] = [];
  for (const element of elements) {
    const [, scheme, value = ""] = ELEMENT.exec(element) ?? [];
    if (scheme === undefined) return undefined;
    if (scheme === "t") {
      // With two times it is unknown which one was signed. A gateway joins repeated headers in this way.
      if (time !== undefined || !TIME.test(value)) return undefined;
      time = value;
    } else if (scheme === "v1") {
      if (!SIGNATURE.test(value)) return undefined;
      signatures.push(Buffer.from(value, "hex"));
    }
  }
  return time === undefined || signatures.length === 0 ? undefined : { time, signatures };
};

/** A delivery, with the bytes of its body unchanged. */
export type SignedDelivery = { header: string | undefined; body: Uint8Array };

/**
 * Whether one of the secrets signed exactly these bytes, within 5 min of now. Compares every signature with that of
 * every secret, in constant time.
 * @param now epoch ms.
 */
export const hasValidSignature = (
  { header, body }: SignedDelivery,
  secrets: readonly string[],
  now: number,
): boolean => {
  const signed = header === undefined ? undefined : parseHeader(header);
  if (signed === undefined) return false;
  if (Math.abs(Math.floor(now / 1_000) - Number(signed.time)) > TOLERANCE_SECONDS) return false;
  let isValid = false;
  for (const secret of secrets) {
    const expected = createHmac("sha256", secret).update(`${signed.time}.`).update(body).digest();
    for (const signature of signed.signatures) {
      const isEqual = timingSafeEqual(signature, expected);
      isValid = isValid || isEqual;
    }
  }
  return isValid;
};
