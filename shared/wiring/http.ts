/**
 * The parts of a deployed handler whose route is no organization's, such as the plants': from the function's environment,
 * once per cold start. It loads nothing that these routes do not need.
 */
/** What a deployed handler of the integration is made of besides its work, once per cold start. */

import { type Authenticate, createAuthenticator } from "../http/authenticate.ts";
import type { HandlerParts } from "../http/create-handler.ts";
import { createCursors } from "../http/cursor.ts";
import type { RecordRefusal } from "../http/refusals.ts";
import type { Route } from "../http/route.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { writeLog } from "../runtime/log.ts";
import type { NoteFailure } from "../runtime/note-failure.ts";
import { RECORDER_VARIABLES } from "./recorder-variables.ts";
import { wireSettingsStore } from "./settings.ts";

const wireAuthenticate = (): Authenticate => {
  const config = readConfig(["ISSUER", "AUDIENCE", "ORGANIZATION_CLAIM", "ROLE_CLAIM"]);
  return createAuthenticator({
    issuer: config.ISSUER,
    audience: config.AUDIENCE,
    claimNames: { organization: config.ORGANIZATION_CLAIM, role: config.ROLE_CLAIM },
    now: systemClock,
  });
};

/** Recording never fails a request, so neither does loading what records. */
const wireRefusals = (): RecordRefusal => {
  readConfig(RECORDER_VARIABLES);
  return async (refusal) => {
    try {
      const { recordRefusal } = await import("./refusals.ts");
      await recordRefusal(refusal);
    } catch (error) {
      writeLog("error", "A refusal was not recorded", { alarm: "event_not_recorded", cause: String(error) });
    }
  };
};

/** The same holds for telling of failures. */
const wireFailures = (): NoteFailure => async (organizationId, part) => {
  try {
    const { noteFailure } = await import("./refusals.ts");
    await noteFailure(organizationId, part);
  } catch (error) {
    writeLog("error", "A failure was not told of", { alarm: "system_errors", cause: String(error) });
  }
};

/** @throws Error at cold start where the environment lacks a variable that the route needs. */
export const wirePersonalParts = (route: Route): HandlerParts => ({
  ...(route.permission !== "public" && {
    authenticate: wireAuthenticate(),
    recordRefusal: wireRefusals(),
    noteFailure: wireFailures(),
  }),
  ...(route.paging !== undefined && { cursors: createCursors(readConfig(["CURSOR_KEY"]).CURSOR_KEY) }),
});

/** @throws Error at cold start where the environment lacks a variable that the route needs. */
export const wireParts = (route: Route): HandlerParts => ({
  ...wirePersonalParts(route),
  settings: wireSettingsStore(),
});
