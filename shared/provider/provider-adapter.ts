/** What one provider's adapter is: the port's methods as single requests. create-provider-access.ts makes operations of them. */
import type { Provider, Tokens } from "./provider.ts";

/** With which secret a request is made; it is given up when the signal is aborted. */
export type RequestOptions = { secret: string; signal: AbortSignal };

/** What tokens are given for. */
export type Grant = { code: string } | { refreshToken: string };

/** The provider's OAuth, with the platform's own credentials. */
export type OAuthAdapter = {
  /** @throws ProviderError, `invalid_grant` where the code or token is refused. */
  exchange(grant: Grant, signal: AbortSignal): Promise<Tokens>;
};

export type ProviderAdapter = {
  /** The port, where each call of a method is exactly one request on the wire. All throw ProviderError. */
  at(options: RequestOptions): Provider;
  /** Undefined while the platform has no credentials of its own. */
  oauth: OAuthAdapter | undefined;
};
