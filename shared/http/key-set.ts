/**
 * The issuer's public keys, fetched when a token names an unknown key and cached across invocations. aws-jwt-verify
 * caches and verifies. This file adds a maximum age and two pauses. A fetch without the key that a token names starts a
 * pause, so that invented key ids do not flood the issuer. A failed fetch starts a pause, so that an outage of the issuer
 * does not cost every request a time-out. key-trust.ts refuses weak keys.
 */
import { type Jwk, type Jwks, type JwkWithKid, type PenaltyBox, SimpleJwksCache } from "aws-jwt-verify/jwk";
import type { DecomposedJwt } from "aws-jwt-verify/jwt";
import * as z from "zod/mini";
import type { Clock } from "../runtime/clock.ts";
import { discoveryUrl, fetchDocument, KeySetUnavailableError, requireSafeUrl } from "./discovery.ts";
import { parseKeys, requireTrustworthy } from "./key-trust.ts";

const FETCH_TIMEOUT_MS = 1_000;
/** Shorter than the pause after an unknown key id, so that a recovered issuer is used soon. */
const PAUSE_AFTER_FAILURE_MS = 2_000;
const PAUSE_AFTER_UNKNOWN_KEY_MS = 10_000;
const PAUSE_AFTER_FAILED_REFRESH_MS = 60_000;
/** Long-lived instances must stop trusting withdrawn keys. */
const KEYS_MAX_AGE_MS = 60 * 60_000;

const parseJson = (bytes: ArrayBuffer): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });

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
    requireTrustworthy(key, token.header);
    return key;
  }
}

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
        return parseKeys(parseJson(bytes));
      } catch (cause) {
        throw unavailable(cause);
      }
    },
  });

  return {
    cache,
    prefetch: async () => {
      const uri = discoveryUrl(issuer);
      const jwks = parseKeys(parseJson(await fetchKeys(uri)));
      cache.addJwks(uri, jwks);
      return jwks.keys;
    },
  };
};
