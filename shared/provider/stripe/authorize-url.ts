/** https://docs.stripe.com/stripe-apps/api-authentication/oauth */
const PUBLIC_AUTHORIZE_URL = "https://marketplace.stripe.com/oauth/v2/authorize";

/** Who asks: the platform's own client; and where users grant access, if not at the provider's public address. */
export type AuthorizeSettings = { clientId: string; authorizeUrl?: string | undefined };

/** Where a user grants the platform access to an account. */
export const authorizeUrlOf = ({ clientId, authorizeUrl }: AuthorizeSettings, state: string): string => {
  const url = new URL(authorizeUrl ?? PUBLIC_AUTHORIZE_URL);
  url.searchParams.set("response_type", "code");
  url.searchParams.set("client_id", clientId);
  url.searchParams.set("state", state);
  return url.href;
};
