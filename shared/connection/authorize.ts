/** What POST …/connection/authorize does: where the user grants access, and the state that comes back from there. */
import type { OrganizationCaller } from "../api/caller.ts";
import type { ProviderAccess } from "../provider/provider-access.ts";
import type { AuthorizationStates } from "./authorization-state.ts";

type Parts = { states: Pick<AuthorizationStates, "issue">; provider: Pick<ProviderAccess, "authorizeUrl"> };

export type Authorize = (
  caller: Pick<OrganizationCaller, "scope" | "userId">,
) => Promise<{ url: string; state: string }>;

/** The function throws DomainError `oauth_not_configured` where the platform has no credentials of its own. */
export const createAuthorize =
  ({ states, provider }: Parts): Authorize =>
  async (caller) => {
    const state = states.issue(caller);
    return { url: provider.authorizeUrl(state), state };
  };
