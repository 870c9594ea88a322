/**
 * The issuer's public keys, fetched when a token names an unknown key and cached across invocations. aws-jwt-verify
 * caches and verifies; this file adds OpenID discovery, a filter for weak keys and two pauses. After an unknown key id,
 * aws-jwt-verify pauses 10 s, so that invented ids do not flood the issuer. After a failed fetch, this file pauses, so
 * that an outage of the issuer does not cost every request a time-out.
 */
import http from "node:http";
import https from "node:https";
import { type Jwk, type Jwks, type JwkWithKid, SimpleJwksCache } from "aws-jwt-verify/jwk";
import type { DecomposedJwt } from "aws-jwt-verify/jwt";
import * as z from "zod/mini";
import type { Clock } from "../runtime/clock.ts";

const MAX_BYTES = 256 * 1024;

type Answer = { status: number | undefined; bytes: Buffer };

const get = (url: URL, timeoutMs: number): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { request } = url.protocol === "http:" ? http : https;
    const sent = request(url, { signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MAX_BYTES) sent.destroy(new Error(`${url.host} answered with more than ${MAX_BYTES} bytes`));
      });
      response.once("end", () => resolve({ status: response.statusCode, bytes: Buffer.concat(chunks) }));
      response.once("error", reject);
    });
    sent.once("error", reject).end();
  });

/**
 * Fetches a small document, such as a key set. Tries twice, because a kept connection may be stale.
 * @param timeoutMs for each of the two attempts as a whole.
 * @throws Error if no answer comes, or an answer other than 200.
 */
export const fetchDocument = async (url: URL, timeoutMs: number): Promise<ArrayBuffer> => {
  const { status, bytes } = await get(url, timeoutMs).catch(() => get(url, timeoutMs));
  if (status !== 200) throw new Error(`${url.host} answered with status ${status}`);
  return new Uint8Array(bytes).buffer;
};

const FETCH_TIMEOUT_MS = 1_000;
/** Shorter than the pause after an unknown key id, so that a recovered issuer is used soon. */
const PAUSE_AFTER_FAILURE_MS = 2_000;
const PAUSE_AFTER_FAILED_REFRESH_MS = 60_000;
/** Long-lived instances must stop trusting withdrawn keys. */
const KEYS_MAX_AGE_MS = 60 * 60_000;
const RSA_MIN_BITS = 2_048;
const CURVES = ["P-256", "P-384", "P-521"];

/** The signature algorithms that are accepted: asymmetric ones only. */
export const ALGORITHMS = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "EdDSA"];

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });
const KeySetDocument = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** The keys could not be fetched or read, so tokens can be judged neither valid nor invalid. */
export class KeySetUnavailableError extends Error {}

const bitsOf = (modulus: string): number => {
  const bytes = Buffer.from(modulus, "base64url");
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (bytes.length - first) * 8 - (Math.clz32(bytes[first] ?? 0) - 24);
};

/** Whether a key is for signatures, of an accepted algorithm and strong enough. Keys without `alg` follow their type. */
const isTrustworthyKey = (key: Jwk): boolean => {
  if (key.use !== undefined && key.use !== "sig") return false;
  if (key.alg !== undefined && !ALGORITHMS.includes(key.alg)) return false;
  if (key.kty === "RSA") return typeof key.n === "string" && bitsOf(key.n) >= RSA_MIN_BITS;
  if (key.kty === "EC") return CURVES.includes(key.crv ?? "");
  return key.kty === "OKP" && key.crv === "Ed25519";
};

const parseJson = (bytes: ArrayBuffer): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));

const isLoopback = (url: URL) => ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);

/** Keys are fetched over TLS; over plain HTTP only from the loopback address. */
const requireSafeUrl = (text: string): URL => {
  const url = new URL(text);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))) return url;
  throw new KeySetUnavailableError(`${url.protocol}//${url.host} is neither https nor loopback`);
};

/** The address of an issuer's discovery document; also the name under which its keys are cached. */
export const discoveryUrl = (issuer: string): string => `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;

/** aws-jwt-verify's cache with a maximum age. Old keys stay in use while new ones cannot be fetched. */
class AgeingKeyCache extends SimpleJwksCache {
  #now: Clock;
  #refreshAt = Number.POSITIVE_INFINITY;

  constructor(now: Clock, props: ConstructorParameters<typeof SimpleJwksCache>[0]) {
    super(props);
    this.#now = now;
  }

  override addJwks(uri: string, jwks: Jwks): void {
    super.addJwks(uri, jwks);
    this.#refreshAt = this.#now() + KEYS_MAX_AGE_MS;
  }

  override async getJwks(uri: string): Promise<Jwks> {
    const jwks = await super.getJwks(uri);
    this.#refreshAt = this.#now() + KEYS_MAX_AGE_MS;
    return jwks;
  }

  override async getJwk(uri: string, token: DecomposedJwt): Promise<JwkWithKid> {
    if (this.#now() >= this.#refreshAt) {
      this.#refreshAt = this.#now() + PAUSE_AFTER_FAILED_REFRESH_MS;
      await this.getJwks(uri).catch(() => undefined);
    }
    return super.getJwk(uri, token);
  }
}

const parseKeys = (bytes: ArrayBuffer): Jwks => ({
  keys: (KeySetDocument.parse(parseJson(bytes)).keys as Jwk[]).filter(isTrustworthyKey),
});

export type KeySet = {
  /** For a verifier. `getJwk` throws KeySetUnavailableError if the keys cannot be fetched or read. */
  cache: SimpleJwksCache;
  /** Fetches the keys before the first token. A failure starts no pause, so that the first token tries again. */
  prefetch(): Promise<readonly Jwk[]>;
};

/** The keys of one issuer, for an aws-jwt-verify verifier. */
export const createKeySet = (issuer: string, now: Clock): KeySet => {
  let pausedUntil = Number.NEGATIVE_INFINITY;

  const fetchKeys = async (uri: string): Promise<ArrayBuffer> => {
    const discovery = Discovery.parse(parseJson(await fetchDocument(requireSafeUrl(uri), FETCH_TIMEOUT_MS)));
    if (discovery.issuer !== issuer) throw new KeySetUnavailableError("the discovery document is another issuer's");
    return fetchDocument(requireSafeUrl(discovery.jwks_uri), FETCH_TIMEOUT_MS);
  };

  const unavailable = (cause: unknown): KeySetUnavailableError => {
    pausedUntil = now() + PAUSE_AFTER_FAILURE_MS;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new KeySetUnavailableError(`The keys of the issuer cannot be fetched: ${reason}`, { cause });
  };

  const cache = new AgeingKeyCache(now, {
    fetcher: {
      fetch: async (uri) => {
        if (now() < pausedUntil) throw new KeySetUnavailableError("The issuer did not answer a moment ago.");
        return fetchKeys(uri).catch((cause: unknown) => {
          throw unavailable(cause);
        });
      },
    },
    jwksParser: (bytes): Jwks => {
      try {
        return parseKeys(bytes);
      } catch (cause) {
        throw unavailable(cause);
      }
    },
  });

  return {
    cache,
    prefetch: async () => {
      const uri = discoveryUrl(issuer);
      const jwks = parseKeys(await fetchKeys(uri));
      cache.addJwks(uri, jwks);
      return jwks.keys;
    },
  };
};
