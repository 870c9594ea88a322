/**
 * The issuer's public keys, fetched when a token names an unknown key and cached across invocations. aws-jwt-verify
 * caches and verifies; this file adds OpenID discovery, a filter for weak keys and two pauses. A fetch without the key
 * that a token names starts a pause, so that invented key ids do not flood the issuer. A failed fetch starts a pause, so
 * that an outage of the issuer does not cost every request a time-out.
 */
import http from "node:http";
import https from "node:https";
import { type Jwk, type Jwks, type JwkWithKid, type PenaltyBox, SimpleJwksCache } from "aws-jwt-verify/jwk";
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
const PAUSE_AFTER_UNKNOWN_KEY_MS = 10_000;
const PAUSE_AFTER_FAILED_REFRESH_MS = 60_000;
/** Long-lived instances must stop trusting withdrawn keys. */
const KEYS_MAX_AGE_MS = 60 * 60_000;
const RSA_MIN_BITS = 2_048;

/** The algorithms of each type of key: of RSA keys, and of the keys of each curve. */
const ALGORITHMS_OF = {
  RSA: ["RS256", "RS384", "RS512"],
  "P-256": ["ES256"],
  "P-384": ["ES384"],
  "P-521": ["ES512"],
  Ed25519: ["EdDSA"],
} as const;

/** The signature algorithms that are accepted: asymmetric ones only. */
export const ALGORITHMS: readonly string[] = Object.values(ALGORITHMS_OF).flat();

/** The accepted algorithms of a key's type (RFC 7518, section 3.1); none if the type is not accepted. */
export const algorithmsOf = ({ kty, crv }: Jwk): readonly string[] => {
  if (kty === "RSA") return ALGORITHMS_OF.RSA;
  if (kty === "EC" && (crv === "P-256" || crv === "P-384" || crv === "P-521")) return ALGORITHMS_OF[crv];
  return kty === "OKP" && crv === "Ed25519" ? ALGORITHMS_OF.Ed25519 : [];
};

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });
const KeySetDocument = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** The keys could not be fetched or read, so tokens can be judged neither valid nor invalid. */
export class KeySetUnavailableError extends Error {
  /** Seconds until a token may be judged; undefined if that is not known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

const bitsOf = (modulus: string): number => {
  const bytes = Buffer.from(modulus, "base64url");
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (bytes.length - first) * 8 - (Math.clz32(bytes[first] ?? 0) - 24);
};

/** Whether a key is for signatures, of an accepted type and strong enough. Some issuers' keys have no `alg` (Entra ID). */
const isTrustworthyKey = (key: Jwk): boolean => {
  const algorithms = algorithmsOf(key);
  if (key.use !== undefined && key.use !== "sig") return false;
  if (algorithms.length === 0 || (key.alg !== undefined && !algorithms.includes(key.alg))) return false;
  return key.kty !== "RSA" || (typeof key.n === "string" && bitsOf(key.n) >= RSA_MIN_BITS);
};

const parseJson = (bytes: ArrayBuffer): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));

const isLoopback = (url: URL) => ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);

/** What the issuer publishes is fetched over TLS; over plain HTTP only from the loopback address. */
export const requireSafeUrl = (text: string): URL => {
  const url = new URL(text);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))) return url;
  throw new KeySetUnavailableError(`${url.protocol}//${url.host} is neither https nor loopback`);
};

/** The address of an issuer's discovery document; also the name under which its keys are cached. */
export const discoveryUrl = (issuer: string): string => `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;

/**
 * Pauses fetches after one without the wanted key. During the pause a token with an unknown key is neither valid nor
 * invalid: its key may have been published since. aws-jwt-verify's own pause uses a timer, which stops while Lambda
 * freezes the instance.
 */
const pauseAfterUnknownKey = (now: Clock): PenaltyBox => {
  let pausedUntil = Number.NEGATIVE_INFINITY;
  return {
    wait: async () => {
      const remainingMs = pausedUntil - now();
      if (remainingMs <= 0) return;
      throw new KeySetUnavailableError("The key is unknown, and the keys were fetched a moment ago.", {
        retryAfterSeconds: Math.ceil(remainingMs / 1000),
      });
    },
    registerFailedAttempt: () => {
      pausedUntil = now() + PAUSE_AFTER_UNKNOWN_KEY_MS;
    },
    registerSuccessfulAttempt: () => undefined,
  };
};

/**
 * aws-jwt-verify's cache with a maximum age and a check of each key. It gives out trustworthy keys only, and only for the
 * algorithms of their type. Old keys stay in use while new ones cannot be fetched.
 */
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
    const key = await super.getJwk(uri, token);
    const { alg = "" } = token.header;
    if (!isTrustworthyKey(key)) throw new Error("The key is weak or not for signatures.");
    // The library accepts any algorithm for a key without `alg`, such as ES256 for an RSA key.
    if (!algorithmsOf(key).includes(alg)) throw new Error(`The key is not for the algorithm ${alg}.`);
    return key;
  }
}

/**
 * All keys, trustworthy ones first, because the cache takes the first key of an id. Other keys stay in the list: a token
 * that names one of them is invalid, whereas an unknown key would be fetched.
 */
const parseKeys = (bytes: ArrayBuffer): Jwks => {
  const keys = KeySetDocument.parse(parseJson(bytes)).keys as Jwk[];
  return { keys: keys.toSorted((one, other) => Number(isTrustworthyKey(other)) - Number(isTrustworthyKey(one))) };
};

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
    penaltyBox: pauseAfterUnknownKey(now),
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
