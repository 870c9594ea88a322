/**
 * Where users grant access: https://docs.stripe.com/stripe-apps/api-authentication/oauth. Apart from oauth.ts, so that the
 * function that redirects users does not load its schemas.
 */
const PUBLIC_AUTHORIZE_URL = "https://marketplace.stripe.com/oauth/v2/authorize";

/** `authorizeUrl`: the page where users grant access, if not the provider's public one. */
export type AuthorizeSettings = { clientId: string; authorizeUrl?: string | undefined };

/** The URL at which a user grants the platform access to an account. */
export const authorizeUrlOf = ({ clientId, authorizeUrl }: AuthorizeSettings, state: string): string => {
  const url = new URL(authorizeUrl ?? PUBLIC_AUTHORIZE_URL);
  url.searchParams.set("response_type", "code");
  url.searchParams.set("client_id", clientId);
  url.searchParams.set("state", state);
  return url.href;
};
