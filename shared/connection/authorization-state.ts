/**
 * OAuth states: what makes sure that a code comes from the authorization that this very user began. A state is sealed
 * (shared/runtime/sealing.ts), so nothing is stored until it is used.
 */
import * as z from "zod/mini";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { Sealing } from "../runtime/sealing.ts";
import type { OrganizationCaller } from "../terms/caller.ts";
import type { UsedStateStore } from "./used-state-store.ts";

/** Decisions: docs/connection.md, "OAuth". */
const STATE_LIFE_MS = 10 * 60_000;

/** No cursor's query is called so. */
const QUERY = "oauth-state";

/** Epoch ms; what is sealed comes back with its integers as bigints. */
const time = z.pipe(
  z.bigint(),
  z.transform((at: bigint) => Number(at)),
);
const Position = z.object({ userId: z.string(), expiresAt: time });

/** Why a state is not good. The client hears one answer for all; `other_organization` is one that we gave to another. */
export type StateFault = "unknown" | "other_organization" | "other_user" | "expired" | "used";

export class InvalidAuthorizationError extends DomainError {
  readonly fault: StateFault;

  /** @param foreignScope of a sealed text that was given to another, be it a state or a cursor. */
  constructor(fault: StateFault, foreignScope?: string) {
    const expected = "state: expected one that was given to you in the last 10 minutes and not used yet";
    super("invalid_authorization", expected, { foreignScope });
    this.fault = fault;
  }
}

type Holder = Pick<OrganizationCaller, "scope" | "userId">;

/** A state that was just used. `giveBack` makes it good again. */
export type UsedState = { giveBack(): Promise<void> };

const bindingOf = ({ scope }: Pick<Holder, "scope">) => ({ scope, query: QUERY });

/** Gives out states that are good for 10 minutes, for this user in this organization, and for one connect. */
export const createStateIssuer =
  ({ sealing, now }: { sealing: Sealing; now: Clock }) =>
  (holder: Holder): string =>
    sealing.seal(bindingOf(holder), { userId: holder.userId, expiresAt: now() + STATE_LIFE_MS });

export type AuthorizationStates = ReturnType<typeof createAuthorizationStates>;

export const createAuthorizationStates = (parts: {
  sealing: Sealing;
  used: Pick<UsedStateStore, "mark" | "unmark">;
  now: Clock;
}) => {
  const { sealing, used, now } = parts;

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
     * Uses a state up; of several at once one succeeds.
     * @throws InvalidAuthorizationError; DomainError `store_unavailable`.
     */
    async use(holder: Holder, state: string): Promise<UsedState> {
      const mark = await used.mark(state, open(holder, state).expiresAt);
      if (mark === undefined) throw new InvalidAuthorizationError("used");
      return { giveBack: () => used.unmark(state, mark) };
    },
  };
};
