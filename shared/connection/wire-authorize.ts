/** Asking users to the provider, in a deployed function: it loads no SDK of the provider's, and stores nothing. */
import { authorizeUrlOf } from "../provider/stripe/authorize-url.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createSealing } from "../runtime/sealing.ts";
import { createStateIssuer } from "./authorization-state.ts";
import { type Authorize, createAuthorize } from "./authorize.ts";

/** What POST …/connection/authorize does. @throws Error at cold start where the environment lacks a variable. */
export const wireAuthorize = (): Authorize => {
  const config = readConfig([
    "CURSOR_KEY",
    "PROVIDER_AUTHORIZE_URL",
    "PROVIDER_OAUTH_CLIENT_ID",
    "PROVIDER_OAUTH_SECRET",
  ]);
  const { PROVIDER_OAUTH_CLIENT_ID: clientId, PROVIDER_AUTHORIZE_URL: authorizeUrl } = config;
  const isConfigured = clientId !== undefined && config.PROVIDER_OAUTH_SECRET !== undefined;
  return createAuthorize({
    issue: createStateIssuer({ sealing: createSealing(config.CURSOR_KEY), now: systemClock }),
    authorizeUrl: isConfigured ? (state) => authorizeUrlOf({ clientId, authorizeUrl }, state) : undefined,
  });
};
