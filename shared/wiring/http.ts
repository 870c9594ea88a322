/** The dependencies of a deployed handler. Each function throws Error if the environment lacks a variable. */

import { createAnswerOnce } from "../http/answer-once.ts";
import { type Authenticate, createAuthenticator } from "../http/authenticate.ts";
import type { HandlerDependencies } from "../http/create-handler.ts";
import { createCursors } from "../http/cursor.ts";
import { deferRecording } from "../http/refusals.ts";
import type { Route } from "../http/route.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createIdempotencyStore } from "../runtime/idempotency-store.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";
import { wireClientLocator } from "./client-address.ts";
import { RECORDER_VARIABLES } from "./recorder-variables.ts";
import { withSealingKey } from "./sealing.ts";
import { wireSettingsStore } from "./settings.ts";

const wireAuthenticate = (): Authenticate => {
  const config = readConfig(["ISSUER", "AUDIENCE", "ORGANIZATION_CLAIM", "ROLE_CLAIM", "ROLE_MAPPING"]);
  return createAuthenticator({
    issuer: config.ISSUER,
    audience: config.AUDIENCE,
    claims: {
      organization: config.ORGANIZATION_CLAIM,
      role: config.ROLE_CLAIM,
      roleMapping: config.ROLE_MAPPING ?? {},
    },
    now: systemClock,
  });
};

const wireRecording = () => {
  readConfig(RECORDER_VARIABLES);
  return deferRecording(() => import("./refusals.ts"));
};

/** For a route that needs no organization, such as the plants' routes: without the settings store. */
export const wirePersonalHandler = (route: Route): HandlerDependencies => ({
  ...wireClientLocator(),
  ...(route.permission !== "public" && {
    ...(route.permission !== "link" && { authenticate: wireAuthenticate() }),
    ...wireRecording(),
  }),
  ...(route.paging !== undefined && { cursors: withSealingKey((key) => () => createCursors(key)) }),
});

/** Adds what a route that takes an `Idempotency-Key` needs. */
export const withAnswerOnce = (dependencies: HandlerDependencies): HandlerDependencies => {
  const table = openTable("idempotencyKeys");
  const openStorage = withSealingKey((sealingKey) => () => ({
    keys: createIdempotencyStore(table, sealingKey),
    sealingKey,
  }));
  return { ...dependencies, answerOnce: createAnswerOnce({ openStorage, now: systemClock, newId: newRequestToken }) };
};

/** For a route that needs an organization. */
export const wireHandler = (route: Route): HandlerDependencies => ({
  ...wirePersonalHandler(route),
  settings: wireSettingsStore(),
});
