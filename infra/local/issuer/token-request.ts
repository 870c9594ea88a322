import { randomUUID } from "node:crypto";
import * as z from "zod";

/** About 30 years in either direction: enough for every test of token lifetimes. */
const MAX_LIFETIME_SECONDS = 1_000_000_000;

/** The request of a token. `claims` override any claim; `null` removes it. */
export const TokenRequest = z.strictObject({
  organizationId: z.string().optional(),
  role: z.string().default("admin"),
  userId: z.string().default("developer"),
  expiresInSeconds: z.int().min(-MAX_LIFETIME_SECONDS).max(MAX_LIFETIME_SECONDS).default(3600),
  claims: z.record(z.string(), z.json()).default({}),
});

/** The names of the claims for organization and role. */
export type ClaimNames = { organization: string; role: string };

/** The claims of the requested token. An expired token was issued an hour before its expiry. */
export const claimsFor = (
  request: z.output<typeof TokenRequest>,
  context: { issuer: string; audience: string; claimNames: ClaimNames; nowMs: number },
): Record<string, unknown> => {
  const { organizationId, role, userId, expiresInSeconds, claims } = request;
  const { issuer, audience, claimNames, nowMs } = context;
  const nowSeconds = Math.floor(nowMs / 1000);
  const exp = nowSeconds + expiresInSeconds;
  const all = {
    iss: issuer,
    aud: audience,
    sub: userId,
    ...(organizationId !== undefined && { [claimNames.organization]: organizationId }),
    [claimNames.role]: role,
    iat: expiresInSeconds > 0 ? nowSeconds : exp - 3600,
    exp,
    jti: randomUUID(),
    ...claims,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
};
