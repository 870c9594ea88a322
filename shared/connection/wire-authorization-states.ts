/** OAuth's states in a deployed function that uses them. */
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createSealing } from "../runtime/sealing.ts";
import { createAuthorizationStates } from "./authorization-state.ts";
import { createUsedStateStore } from "./used-state-store.ts";

/** @throws Error at cold start where the environment lacks a variable. */
export const wireAuthorizationStates = () => {
  const config = readConfig(["CONNECTIONS_TABLE_NAME", "CURSOR_KEY"]);
  return createAuthorizationStates({
    sealing: createSealing(config.CURSOR_KEY),
    used: createUsedStateStore(documentClient, config.CONNECTIONS_TABLE_NAME),
    now: systemClock,
  });
};
