/** What POST …/connection/authorize does: where the user grants access, and the state that comes back from there. */

import { DomainError } from "../runtime/domain-error.ts";
import type { OrganizationCaller } from "../terms/caller.ts";
import type { AuthorizationStates } from "./authorization-state.ts";

type Parts = {
  issue: AuthorizationStates["issue"];
  /** Undefined while the platform has no credentials of its own. */
  authorizeUrl: ((state: string) => string) | undefined;
};

export type Authorize = (
  caller: Pick<OrganizationCaller, "scope" | "userId">,
) => Promise<{ url: string; state: string }>;

/** The function throws DomainError `oauth_not_configured` where the platform has no credentials of its own. */
export const createAuthorize =
  ({ issue, authorizeUrl }: Parts): Authorize =>
  async (caller) => {
    if (authorizeUrl === undefined) {
      throw new DomainError("oauth_not_configured", "This deployment has no credentials for OAuth.");
    }
    const state = issue(caller);
    return { url: authorizeUrl(state), state };
  };
