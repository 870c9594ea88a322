/**
 * The provider's signature on its webhooks: `t=<epoch seconds>,v1=<hex>[,v1=<hex>…]`, each v1 an HMAC-SHA256 of
 * `<t>.<body>` with one of the endpoint's secrets. https://docs.stripe.com/webhooks#verify-manually
 */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Lower case, as Lambda gives headers. */
export const SIGNATURE_HEADER = "stripe-signature";

/** How far the time of a signature may lie from ours, back and ahead: an older one may be a replay. */
const TOLERANCE_SECONDS = 300;

/** An endpoint has two secrets while one is rolled, and so two signatures; the rest is room for other schemes. */
const MAX_ELEMENTS = 16;
const MAX_CHARACTERS = 2_048;

/** A scheme and its value. Every other scheme but these two is ignored. */
const ELEMENT = /^([a-z0-9_]{1,16})=([\x21-\x2b\x2d-\x7e]*)$/;
const TIME = /^[0-9]{1,12}$/;
const SIGNATURE = /^[0-9a-f]{64}$/;

type Signed = { time: string; signatures: readonly Buffer[] };

/** What a header says; undefined where it is not of this grammar to the last character. */
const parseHeader = (header: string): Signed | undefined => {
  if (header.length > MAX_CHARACTERS) return undefined;
  const elements = header.split(",");
  if (elements.length > MAX_ELEMENTS) return undefined;
  let time: string | undefined;
  const signatures: Buffer[] = [];
  for (const element of elements) {
    const [, scheme, value = ""] = ELEMENT.exec(element) ?? [];
    if (scheme === undefined) return undefined;
    if (scheme === "t") {
      // Two times would leave open which of them was signed. A gateway joins two headers into one like that.
      if (time !== undefined || !TIME.test(value)) return undefined;
      time = value;
    } else if (scheme === "v1") {
      if (!SIGNATURE.test(value)) return undefined;
      signatures.push(Buffer.from(value, "hex"));
    }
  }
  return time === undefined || signatures.length === 0 ? undefined : { time, signatures };
};

/** What was delivered, its bytes as they came. */
export type SignedDelivery = { header: string | undefined; body: Uint8Array };

/**
 * Whether one of the secrets signed these very bytes, within five minutes of now. Every signature is compared with
 * what every secret gives, in constant time.
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
