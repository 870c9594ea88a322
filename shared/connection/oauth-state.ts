/**
 * OAuth states. A state proves that an authorization code belongs to an authorization that this user started. States are
 * sealed (shared/runtime/sealing.ts), so nothing is stored before a state is used. docs/connection.md, "OAuth".
 */
import * as z from "zod/mini";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { Sealing } from "../runtime/sealing.ts";
import type { OrganizationCaller } from "../terms/caller.ts";
import type { OAuthStateStore } from "./oauth-state-store.ts";

/** Decisions: docs/connection.md, "OAuth". */
const STATE_LIFE_MS = 10 * 60_000;

/** Separates states from sealed cursors: no list has this name. */
const QUERY = "oauth-state";

/** Epoch ms. Unsealing returns integers as bigints. */
const time = z.pipe(
  z.bigint(),
  z.transform((at: bigint) => Number(at)),
);
const Position = z.object({ userId: z.string(), expiresAt: time });

/** Why a state is invalid. Clients get the same error for all. `other_organization`: issued to another organization. */
type StateFault = "unknown" | "other_organization" | "other_user" | "expired" | "used";

export class InvalidAuthorizationError extends DomainError {
  readonly fault: StateFault;

  /** @param foreignScope the scope of a state or cursor that was issued to another organization. */
  constructor(fault: StateFault, foreignScope?: string) {
    const expected = "state: expected one that was given to you in the last 10 minutes and not used yet";
    super("invalid_authorization", expected, { foreignScope });
    this.fault = fault;
  }
}

type Holder = Pick<OrganizationCaller, "scope" | "userId">;

/** A state that was just used. `release` makes it valid again. */
type UsedState = { release(): Promise<void> };

const bindingOf = ({ scope }: Pick<Holder, "scope">) => ({ scope, query: QUERY });

/** Issues states: valid for 10 minutes, for this user in this organization, and for one connect. */
export const createStateIssuer =
  ({ sealing, now }: { sealing: Sealing; now: Clock }) =>
  (holder: Holder): string =>
    sealing.seal(bindingOf(holder), { userId: holder.userId, expiresAt: now() + STATE_LIFE_MS });

/** POST …/connection/authorize: the URL where the user grants access, and the state that comes back from there. */
export const createAuthorize =
  ({
    issue,
    authorizeUrl,
  }: {
    issue: (holder: Holder) => Promise<string>;
    /** Undefined if the platform has no OAuth credentials. */
    authorizeUrl: ((state: string) => string) | undefined;
  }) =>
  /** @throws DomainError `oauth_not_configured`, `store_unavailable`. */
  async (caller: Holder): Promise<{ url: string; state: string }> => {
    if (authorizeUrl === undefined) {
      throw new DomainError("oauth_not_configured", "This deployment has no credentials for OAuth.");
    }
    const state = await issue(caller);
    return { url: authorizeUrl(state), state };
  };

export type OAuthStates = ReturnType<typeof createOAuthStates>;

export const createOAuthStates = (dependencies: {
  sealing: Sealing;
  used: Pick<OAuthStateStore, "markUsed" | "release">;
  now: Clock;
}) => {
  const { sealing, used, now } = dependencies;

  const open = (holder: Holder, state: string): z.output<typeof Position> => {
    const opened = sealing.open(bindingOf(holder), Position, state);
    if (opened.is === "foreign") {
      throw new InvalidAuthorizationError(opened.query === QUERY ? "other_organization" : "unknown", opened.scope);
    }
    if (opened.is !== "ours") throw new InvalidAuthorizationError("unknown");
    if (opened.position.userId !== holder.userId) throw new InvalidAuthorizationError("other_user");
    if (opened.position.expiresAt <= now()) throw new InvalidAuthorizationError("expired");
    return opened.position;
  };

  return {
    issue: createStateIssuer({ sealing, now }),

    /**
     * Marks a state as used. Of several concurrent calls, one succeeds.
     * @throws InvalidAuthorizationError; DomainError `store_unavailable`.
     */
    async use(holder: Holder, state: string): Promise<UsedState> {
      const mark = await used.markUsed(state, open(holder, state).expiresAt);
      if (mark === undefined) throw new InvalidAuthorizationError("used");
      return { release: () => used.release(state, mark) };
    },
  };
};
