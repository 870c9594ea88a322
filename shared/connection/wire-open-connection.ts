/** The door to organizations' accounts, in a deployed function. */
import type { ProviderAccess } from "../provider/provider-access.ts";
import { systemClock } from "../runtime/clock.ts";
import { wireEnvelope } from "../runtime/envelope.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { createConnectionSecrets } from "./connection-secrets.ts";
import { createOpenConnection, type OpenConnection } from "./open-connection.ts";
import { wireConnectionChangeStore, wireConnectionStore, wireRefreshStore } from "./wire-connection-stores.ts";

/** @throws Error at cold start where the environment lacks a variable. */
export const wireConnectionSecrets = () => createConnectionSecrets(wireEnvelope());

/**
 * @param provider the function's one way to the provider, by which tokens are refreshed too.
 * @throws Error at cold start where the environment lacks a variable.
 */
export const wireOpenConnection = (provider: Pick<ProviderAccess, "refreshTokens">): OpenConnection =>
  createOpenConnection({
    connections: wireConnectionStore(),
    changes: wireConnectionChangeStore(),
    refreshes: wireRefreshStore(),
    secrets: wireConnectionSecrets(),
    provider,
    recorder: wireRecorder(),
    now: systemClock,
    pause: pauseBeforeRetry,
    newToken: newRequestToken,
  });
