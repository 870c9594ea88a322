/**
 * From the Authorization header to the caller. aws-jwt-verify checks signature, issuer and times. This file has the
 * checks that aws-jwt-verify lacks. Decisions: docs/decisions.md, "Callers".
 */

import { isUtf8 } from "node:buffer";
import { JwtExpiredError, JwtInvalidClaimError, JwtNotBeforeError } from "aws-jwt-verify/error";
import type { Jwk } from "aws-jwt-verify/jwk";
import { decomposeUnverifiedJwt } from "aws-jwt-verify/jwt";
import { JwtVerifier } from "aws-jwt-verify/jwt-verifier";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { beforeFirstRequest } from "../runtime/prewarm.ts";
import { type Caller, parseCaller } from "../terms/caller.ts";
import type { ClaimSettings, Claims } from "../terms/claims.ts";
import { discoveryUrl, KeySetUnavailableError } from "./discovery.ts";
import { createKeySet } from "./key-set.ts";
import { ALGORITHMS, algorithmsOf } from "./key-trust.ts";

const MAX_TOKENS = 200;
/** A token that is used all day is verified again at this age, so that withdrawn keys (key-set.ts) take effect. */
const MAX_AGE_MS = 5 * 60_000;

/** An instance's cache of verified tokens: a repeated token costs a look-up instead of a signature check. */
export const createTokenCache = (now: Clock) => {
  const entries = new Map<string, { caller: Caller; until: number }>();
  return {
    /** The caller of a verified token; undefined if the entry is too old or the token has expired. */
    get(token: string): Caller | undefined {
      const entry = entries.get(token);
      if (entry === undefined) return undefined;
      if (now() < entry.until) return entry.caller;
      entries.delete(token);
      return undefined;
    },
    /** @param expiresAt of the token, epoch ms. */
    put(token: string, caller: Caller, expiresAt: number): void {
      if (entries.size >= MAX_TOKENS) entries.delete(entries.keys().next().value ?? "");
      entries.set(token, { caller, until: Math.min(expiresAt, now() + MAX_AGE_MS) });
    },
  };
};

/** The tolerated difference between the clocks of issuer and service. */
const LEEWAY_SECONDS = 30;
const MAX_LIFETIME_SECONDS = 24 * 60 * 60;
/** A token that expired longer ago counts for no user and no organization: a former member's token must not fill the organization's record. */
const NAMES_ITS_CALLER_SECONDS = 24 * 60 * 60;

type Settings = { issuer: string; audience: string; claims: ClaimSettings; now: Clock };

type Header = { readonly alg?: string; readonly typ?: unknown };

const invalid = (why: string, cause?: unknown) =>
  new DomainError("invalid_token", `The token is not valid: ${why}.`, { cause });

/** A top-level domain that never resolves (RFC 2606): a deployment without an issuer has it and trusts no token. */
const trustsNobody = (issuer: string) => new URL(issuer).hostname.endsWith(".invalid");

/**
 * Whether a token is for the audience. A token without `aud` is for the client that it was issued to: `client_id`
 * (Cognito), else `azp` (Clerk). A token with `aud` is for that audience only, whatever its client.
 */
const isFor = (audience: string, { aud, client_id: clientId, azp }: Claims): boolean =>
  aud === undefined ? (clientId ?? azp) === audience : [aud].flat().includes(audience);

/** The ways in which a token states that it is an access token. RFC 9068 has `at+jwt`, Cognito and Keycloak the others. */
const isAccessToken = ({ typ }: Header, payload: Claims): boolean =>
  /^(application\/)?at\+jwt$/i.test(String(typ)) || payload.token_use === "access" || payload.typ === "Bearer";

/** A `nonce` is a claim of ID tokens (OpenID Connect Core, section 2), but some issuers copy it to access tokens. */
const isIdToken = (header: Header, payload: Claims): boolean =>
  payload.token_use === "id" ||
  payload.typ === "ID" ||
  payload.at_hash !== undefined ||
  (payload.nonce !== undefined && !isAccessToken(header, payload));

/** Checks a token before its key is fetched. @returns header and claims, which are not verified yet. */
const requireAcceptableForm = (token: string, issuer: string): { header: Header; payload: Claims } => {
  const { header, headerB64, payload, payloadB64 } = decomposeUnverifiedJwt(token);
  // The library decodes other bytes to U+FFFD, which would make different identifiers equal.
  for (const part of [headerB64, payloadB64]) {
    if (!isUtf8(Buffer.from(part, "base64url"))) throw invalid("it is not UTF-8");
  }
  if (payload.iss !== issuer || trustsNobody(issuer)) throw invalid("its issuer is not trusted here");
  if (!ALGORITHMS.includes(header.alg ?? "")) throw invalid("its algorithm is not accepted");
  if ("crit" in header || "b64" in header) throw invalid("its header demands an extension");
  return { header, payload };
};

/** The checks that aws-jwt-verify lacks. `exp` and `iat` are in epoch seconds. */
const requireAcceptableClaims = (header: Header, payload: Claims, { audience, now }: Settings): void => {
  const { exp, iat } = payload;
  if (typeof exp !== "number" || typeof iat !== "number") throw invalid("exp and iat are required");
  if (exp - iat > MAX_LIFETIME_SECONDS) throw invalid("it lives longer than 24 hours");
  if (iat > now() / 1000 + LEEWAY_SECONDS) throw invalid("it was issued in the future");
  if (!isFor(audience, payload)) throw invalid("it is for another audience");
  if (isIdToken(header, payload)) throw invalid("it is an ID token");
};

const readBearerToken = (header: string | undefined): string => {
  const token = /^bearer +(\S.*)$/i.exec(header ?? "")?.[1];
  if (token === undefined) throw new DomainError("no_bearer_token", "The request needs a bearer token.");
  return token.trim();
};

/** A token that was refused although its signature verified, so that the caller is known. */
export class RefusedCallerError extends DomainError {
  readonly caller: Caller | undefined;

  constructor(refusal: DomainError, caller: Caller | undefined) {
    super(refusal.code, refusal.message, { cause: refusal.cause });
    this.caller = caller;
  }
}

const asDomainError = (error: unknown): DomainError => {
  if (error instanceof DomainError) return error;
  if (error instanceof KeySetUnavailableError) {
    return new DomainError("key_set_unavailable", "The token cannot be verified at the moment. Try again.", {
      cause: error,
      ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
    });
  }
  if (error instanceof JwtExpiredError) return new DomainError("expired_token", "The token has expired.");
  if (error instanceof JwtNotBeforeError) return invalid("it is not valid yet");
  // The library also throws raw errors, such as for a signature of a wrong length. All of them mean an invalid token.
  return invalid("it is malformed or its signature does not verify", error);
};

/** An expired, unsigned token that names a key of the issuer. Only for prewarming. */
const unsignedToken = (issuer: string, key: Jwk): string => {
  const { kid = "", alg = algorithmsOf(key)[0] } = key;
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString("base64url");
  return `${part({ alg, kid })}.${part({ iss: issuer, exp: 0 })}.${Buffer.alloc(256).toString("base64url")}`;
};

export type Authenticate = (authorizationHeader: string | undefined) => Promise<Caller>;

/**
 * An authenticator for one issuer. It keeps keys and verified tokens in memory across invocations.
 * The returned function throws DomainError `no_bearer_token`, `invalid_token`, `expired_token` or `key_set_unavailable`.
 */
export const createAuthenticator = (settings: Settings): Authenticate => {
  const { issuer, claims: claimSettings, now } = settings;
  const keySet = createKeySet(issuer, now);
  const verifier = JwtVerifier.create(
    { issuer, audience: null, jwksUri: discoveryUrl(issuer), graceSeconds: LEEWAY_SECONDS },
    { jwksCache: keySet.cache },
  );
  const verified = createTokenCache(now);

  /** @throws RefusedCallerError if the signature verifies but the claims are not acceptable. */
  const verify = async (token: string): Promise<Caller> => {
    const { header, payload: unverified } = requireAcceptableForm(token, issuer);
    try {
      const payload = await verifier.verify(token);
      const { caller, malformed } = parseCaller(payload, claimSettings);
      if (malformed !== undefined)
        throw invalid(`its claim ${malformed} is not one identifier of 1 to 128 printable characters`);
      requireAcceptableClaims(header, payload, settings);
      verified.put(token, caller, ((payload.exp ?? 0) + LEEWAY_SECONDS) * 1000);
      return caller;
    } catch (error) {
      // The library checks claims after the signature, so tokens refused here have a verified signature.
      const isVerified = error instanceof JwtInvalidClaimError || error instanceof DomainError;
      if (!isVerified) throw error;
      const isOld = Number(unverified.exp ?? Number.POSITIVE_INFINITY) < now() / 1000 - NAMES_ITS_CALLER_SECONDS;
      throw new RefusedCallerError(
        asDomainError(error),
        isOld ? undefined : parseCaller(unverified, claimSettings).caller,
      );
    }
  };

  beforeFirstRequest(async () => {
    if (trustsNobody(issuer)) return;
    parseCaller({ sub: "nobody" }, claimSettings);
    const [key] = await keySet.prefetch();
    if (key !== undefined) await verify(unsignedToken(issuer, key)).catch(() => undefined);
  });

  return async (authorizationHeader) => {
    const token = readBearerToken(authorizationHeader);
    try {
      return verified.get(token) ?? (await verify(token));
    } catch (error) {
      throw asDomainError(error);
    }
  };
};
