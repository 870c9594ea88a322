/** What a deployed handler is made of besides its work, from the function's environment, once per cold start. */
import type { Route } from "../api/route.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { type Authenticate, createAuthenticator } from "./authenticate.ts";
import type { HandlerParts } from "./create-handler.ts";
import { createCursors } from "./cursor.ts";
import { createRefusalRecorder } from "./refusals.ts";

const wireAuthenticate = (): Authenticate => {
  const config = readConfig(["ISSUER", "AUDIENCE", "ORGANIZATION_CLAIM", "ROLE_CLAIM"]);
  return createAuthenticator({
    issuer: config.ISSUER,
    audience: config.AUDIENCE,
    claimNames: { organization: config.ORGANIZATION_CLAIM, role: config.ROLE_CLAIM },
    now: systemClock,
  });
};

/** @throws Error at cold start where the environment lacks a variable that the route needs. */
export const wireParts = (route: Route): HandlerParts => ({
  ...(route.permission !== "public" && {
    authenticate: wireAuthenticate(),
    recordRefusal: createRefusalRecorder(wireRecorder(), systemClock),
  }),
  ...(route.paging !== undefined && { cursors: createCursors(readConfig(["CURSOR_KEY"]).CURSOR_KEY) }),
});
