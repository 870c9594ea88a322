/**
 * The origins that the console must call to sign in: the issuer's, and those of the endpoints in its discovery document,
 * which may differ (Amazon Cognito's do). The page names them in its Content-Security-Policy.
 */
import * as z from "zod/mini";
import type { Clock } from "../runtime/clock.ts";
import { discoveryUrl, fetchDocument, requireSafeUrl } from "./discovery.ts";

/** For each of two attempts. */
const FETCH_TIMEOUT_MS = 1_000;
const MAX_AGE_MS = 60 * 60_000;
/** While the document cannot be fetched, most requests must not wait for another attempt. */
const PAUSE_AFTER_FAILURE_MS = 60_000;

/** https://openid.net/specs/openid-connect-discovery-1_0.html and https://www.rfc-editor.org/rfc/rfc8414#section-2 */
const Discovery = z.object({
  issuer: z.string(),
  token_endpoint: z.optional(z.unknown()),
  revocation_endpoint: z.optional(z.unknown()),
});

/**
 * A host as text in a policy. URL accepts more characters in names of hosts, such as `;` and `*`, which would change the
 * policy: https://url.spec.whatwg.org/#forbidden-host-code-point
 */
const SAFE_ORIGIN = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/;

/**
 * The origin of an endpoint; undefined if it is unsafe as a part of a policy, or not https. Plain http is for a local issuer,
 * on the loopback address.
 */
const safeOrigin = (endpoint: unknown, issuer: string): string | undefined => {
  if (typeof endpoint !== "string") return undefined;
  try {
    const { origin, protocol } = requireSafeUrl(endpoint);
    const isAllowed = protocol === "https:" || issuer.startsWith("http:");
    return isAllowed && SAFE_ORIGIN.test(origin) ? origin : undefined;
  } catch {
    return undefined;
  }
};

type Dependencies = {
  issuer: string;
  now: Clock;
  /** Fetches a document; tests replace it. */
  fetch?: (url: URL, timeoutMs: number) => Promise<ArrayBuffer>;
};

/**
 * Returns a function that never fails: while the document cannot be fetched, it returns the origins of the document
 * before, or of the issuer alone.
 */
export const createIdentityOrigins = ({
  issuer,
  now,
  fetch = fetchDocument,
}: Dependencies): (() => Promise<readonly string[]>) => {
  const originsOf = (endpoints: readonly unknown[]): string[] => [
    ...new Set([issuer, ...endpoints].flatMap((endpoint) => safeOrigin(endpoint, issuer) ?? [])),
  ];
  let origins = originsOf([]);
  let refreshAt = Number.NEGATIVE_INFINITY;

  const refresh = async (): Promise<void> => {
    refreshAt = now() + PAUSE_AFTER_FAILURE_MS;
    const bytes = await fetch(requireSafeUrl(discoveryUrl(issuer)), FETCH_TIMEOUT_MS);
    const document = Discovery.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
    if (document.issuer !== issuer) return;
    origins = originsOf([document.token_endpoint, document.revocation_endpoint]);
    refreshAt = now() + MAX_AGE_MS;
  };

  return async () => {
    if (now() >= refreshAt) await refresh().catch(() => undefined);
    return origins;
  };
};
