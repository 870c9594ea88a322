/** How connections are shown by a deployed function; it loads nothing that changes them. */
/** OAuth's states in a deployed function that uses them. */
/** Asking users to the provider, in a deployed function: it loads no SDK of the provider's, and stores nothing. */
/** The door to organizations' accounts, in a deployed function. */
/** What requests about the connection do, in a deployed function. */

import { createAuthorizationStates, createStateIssuer } from "../connection/authorization-state.ts";
import { type Authorize, createAuthorize } from "../connection/authorize.ts";
import { type Connect, createConnect } from "../connection/connect.ts";
import type { ActingUser } from "../connection/connection-events.ts";
import { createConnectionSecrets } from "../connection/connection-secrets.ts";
import { createConnectionStore } from "../connection/connection-store.ts";
import { createDisconnect, type Disconnect, type DisconnectParts } from "../connection/disconnect.ts";
import { createOpenConnection, type OpenConnection } from "../connection/open-connection.ts";
import { createTellChange } from "../connection/tell-change.ts";
import { createUsedStateStore } from "../connection/used-state-store.ts";
import { createVerification } from "../connection/verify-account.ts";
import { createViewConnection, type ShowConnection } from "../connection/view-connection.ts";
import type { ProviderAccess } from "../provider/provider.ts";
import { createReadCountStore, monthOf } from "../provider/read-count-store.ts";
import { authorizeUrlOf } from "../provider/stripe/oauth.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { wireEnvelope } from "../runtime/envelope.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { createSealing } from "../runtime/sealing.ts";
import { createSyncRunStore } from "../sync/sync-run-store.ts";
import { requesterOf } from "../terms/requester.ts";
import { wireConnectionChangeStore, wireConnectionStore, wireRefreshStore } from "./connection-stores.ts";
import { wireProviderAccess } from "./provider.ts";
import { wireRecorder } from "./recorder.ts";
import { wireCancelRuns, wireStartRun } from "./sync.ts";

/** How the connection is shown. @throws Error where the environment lacks a variable; so do all others here. */
export const wireViewConnection = () => {
  const config = readConfig(["SYNC_RUNS_TABLE_NAME", "WEBHOOK_URL"]);
  const { lastSuccess } = createSyncRunStore(documentClient, config.SYNC_RUNS_TABLE_NAME);
  const reads = createReadCountStore(documentClient, config.SYNC_RUNS_TABLE_NAME);
  return createViewConnection({
    lastSuccess,
    readsThisMonth: (organizationId) => reads.read(organizationId, monthOf(systemClock())),
    webhookUrl: config.WEBHOOK_URL?.replace(/\/$/, ""),
  });
};

/** What GET …/connection does. */
export const wireShowConnection = (): ShowConnection => {
  const { CONNECTIONS_TABLE_NAME } = readConfig(["CONNECTIONS_TABLE_NAME"]);
  const connections = createConnectionStore(documentClient, CONNECTIONS_TABLE_NAME);
  const view = wireViewConnection();
  return async (organizationId: string) => view(organizationId, await connections.read(organizationId));
};

/** @throws Error at cold start where the environment lacks a variable. */
export const wireAuthorizationStates = () => {
  const config = readConfig(["CONNECTIONS_TABLE_NAME", "CURSOR_KEY"]);
  return createAuthorizationStates({
    sealing: createSealing(config.CURSOR_KEY),
    used: createUsedStateStore(documentClient, config.CONNECTIONS_TABLE_NAME),
    now: systemClock,
  });
};

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

/** The first run of a connection is a full one: what another account's runs read says nothing of this one. */
const wireFirstSync = () => {
  const start = wireStartRun();
  return async (by: ActingUser): Promise<void> => {
    await start({
      organizationId: by.caller.organizationId,
      trigger: "connection",
      mode: "full",
      askedBy: requesterOf(by),
    });
  };
};

/** What PUT …/connection does. */
export const wireConnect = (): Connect => {
  const provider = wireProviderAccess();
  const changes = wireConnectionChangeStore();
  return createConnect({
    cancelRuns: wireCancelRuns(),
    startFirstSync: wireFirstSync(),
    states: wireAuthorizationStates(),
    verification: createVerification(provider),
    provider,
    secrets: wireConnectionSecrets(),
    changes,
    tell: createTellChange({ changes, recorder: wireRecorder() }),
    view: wireViewConnection(),
    now: systemClock,
    newToken: newRequestToken,
  });
};

/** What DELETE …/connection does, and an account's own end. @param sync what it does to the organization's runs. */
export const wireDisconnect = (sync: Pick<DisconnectParts, "cancelRuns">): Disconnect => {
  const changes = wireConnectionChangeStore();
  const tell = createTellChange({ changes, recorder: wireRecorder() });
  return createDisconnect({ ...sync, changes, tell, now: systemClock });
};
