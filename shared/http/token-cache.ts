import type { Clock } from "../runtime/clock.ts";
import type { Caller } from "../terms/caller.ts";

const MAX_TOKENS = 200;
/** Bounded, so that the key set's own refresh (key-set.ts) is reached by a token that is used all day too. */
const MAX_AGE_MS = 5 * 60_000;

/** Verdicts on tokens that verified, for this instance: the same token again costs a look-up instead of a signature. */
export const createTokenCache = (now: Clock) => {
  const entries = new Map<string, { caller: Caller; until: number }>();
  return {
    /** The caller of a token verified before, unless the verdict is too old or the token has expired since. */
    get(token: string): Caller | undefined {
      const entry = entries.get(token);
      if (entry === undefined) return undefined;
      if (now() < entry.until) return entry.caller;
      entries.delete(token);
      return undefined;
    },
    /** @param expiresAt epoch ms from which on the token is refused. */
    put(token: string, caller: Caller, expiresAt: number): void {
      if (entries.size >= MAX_TOKENS) entries.delete(entries.keys().next().value ?? "");
      entries.set(token, { caller, until: Math.min(expiresAt, now() + MAX_AGE_MS) });
    },
  };
};
