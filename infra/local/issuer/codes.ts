import type { AuthorizationRequest } from "./authorization-request.ts";
import { hashOf, newSecret } from "./sessions.ts";

/** How long a code may be exchanged. RFC 6749, section 4.1.2 recommends ten minutes at most. */
const CODE_LIFETIME_MS = 60_000;

type Code = {
  request: AuthorizationRequest;
  sessionId: string;
  expiresAtMs: number;
  /** Whether the code was sent to the token endpoint, and the grant that it was exchanged for. */
  isUsed: boolean;
  grantId: string | undefined;
};

/** Authorization codes, in memory. */
export const createCodes = (clock: { now(): number }) => {
  const codes = new Map<string, Code>();
  return {
    issue(request: AuthorizationRequest, sessionId: string): string {
      for (const [hash, { expiresAtMs }] of codes) if (expiresAtMs <= clock.now()) codes.delete(hash);
      const code = newSecret();
      const expiresAtMs = clock.now() + CODE_LIFETIME_MS;
      codes.set(hashOf(code), { request, sessionId, expiresAtMs, isUsed: false, grantId: undefined });
      return code;
    },
    /**
     * Takes a code, which is used from then on, whatever comes of it.
     * @returns undefined if it is unknown or has expired; a code that was used before has `isUsed`
     */
    take(code: string): (Code & { exchangedFor(grantId: string): void }) | undefined {
      const found = codes.get(hashOf(code));
      if (found === undefined || found.expiresAtMs <= clock.now()) return undefined;
      const taken = { ...found };
      found.isUsed = true;
      const exchangedFor = (grantId: string) => {
        found.grantId = grantId;
      };
      return { ...taken, exchangedFor };
    },
  };
};

export type Codes = ReturnType<typeof createCodes>;
