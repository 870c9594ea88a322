/** The connection of a deployed function. Each function throws Error if the environment lacks a variable. */

import { createConnect, createVerification } from "../connection/connect.ts";
import { createViewConnection, createWebhookUrl } from "../connection/connection.ts";
import {
  type ConnectionUserRequest,
  createConnectionChangeRecorder,
  type OnRejected,
} from "../connection/connection-events.ts";
import { createConnectionSecrets } from "../connection/connection-secrets.ts";
import { createDisconnect, createDisconnectByUser, type DisconnectDependencies } from "../connection/disconnect.ts";
import { createEndpointCheckStore } from "../connection/endpoint-check-store.ts";
import { createSettleKeyAlerts } from "../connection/key-alerts.ts";
import { createKeyStore, type KeyStore } from "../connection/key-store.ts";
import { createAuthorize, createOAuthStates, createStateIssuer } from "../connection/oauth-state.ts";
import { createOAuthStateStore } from "../connection/oauth-state-store.ts";
import { createOpenConnection } from "../connection/open-connection.ts";
import { createUpdateEndpoint } from "../connection/update-endpoint.ts";
import { createWebhookRegistration } from "../connection/webhook-registration.ts";
import { createChangeWebhookSecrets } from "../connection/webhook-secrets.ts";
import { createRaiseBySettings } from "../detection/raise-finding.ts";
import type { ProviderAccess } from "../provider/provider.ts";
import { createReadCountStore, monthOf } from "../provider/read-count-store.ts";
import { authorizeUrlOf } from "../provider/stripe/authorize-url.ts";
import { stripeSetup } from "../provider/stripe/setup.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { wireEnvelope } from "../runtime/envelope.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { createSealing } from "../runtime/sealing.ts";
import type { ResolveCause } from "../security/alerts/alert-resolver.ts";
import { nextOccurrence } from "../sync/next-occurrence.ts";
import { createOccurrenceStore } from "../sync/occurrence-store.ts";
import { createSyncRunStore } from "../sync/sync-run-store.ts";
import { createShownActivityStore, createViewActivity } from "../sync/view-activity.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { requesterOf } from "../terms/requester.ts";
import {
  wireConnectionChangeStore,
  wireConnectionStore,
  wireRefreshStore,
  wireWebhookSecretsStore,
} from "./connection-stores.ts";
import { wireProviderAccess } from "./provider.ts";
import { raiseFinding, ruleSettings, wireRecorder } from "./recorder.ts";
import { withSealingKey } from "./sealing.ts";
import { wireResolveCause } from "./security.ts";
import { wireSettingsStore } from "./settings.ts";
import { wireCancelRuns, wireStartRun } from "./sync.ts";

const wireWebhookUrl = () => {
  const config = readConfig(["WEBHOOK_URL", "WEBHOOK_ENTRANCE"]);
  return createWebhookUrl(config.WEBHOOK_URL?.replace(/\/$/, ""), config.WEBHOOK_ENTRANCE);
};

export const wireViewConnection = () => {
  const config = readConfig(["SYNC_INTERVAL_HOURS"]);
  const { SYNC_INTERVAL_HOURS: syncIntervalHours } = config;
  const occurrences = createOccurrenceStore(openTable("syncRuns"));
  const { readState: syncState } = createSyncRunStore(openTable("syncRuns"));
  const reads = createReadCountStore(openTable("syncRuns"));
  const viewActivity = createViewActivity({
    activity: createShownActivityStore(openTable("syncRuns")),
    settings: wireSettingsStore(),
  });
  return createViewConnection({
    syncState,
    nextSync: async (connectedAt) =>
      nextOccurrence(await occurrences.read(), connectedAt, {
        now: systemClock(),
        intervalMs: syncIntervalHours * HOUR_MS,
      }),
    readsThisMonth: (organizationId) => reads.read(organizationId, monthOf(systemClock())),
    accountActivity: viewActivity,
    webhookUrlOf: wireWebhookUrl(),
    setup: stripeSetup,
    syncIntervalHours,
    now: systemClock,
  });
};

const wireOAuthStates = () => {
  const dependencies = { used: createOAuthStateStore(openTable("connections")), now: systemClock };
  return { use: withSealingKey((key) => createOAuthStates({ ...dependencies, sealing: createSealing(key) }).use) };
};

/** POST …/connection/authorize. Does not load the provider's SDK. */
export const wireAuthorize = () => {
  const config = readConfig(["PROVIDER_AUTHORIZE_URL", "PROVIDER_OAUTH_CLIENT_ID"]);
  const { PROVIDER_OAUTH_CLIENT_ID: clientId, PROVIDER_AUTHORIZE_URL: authorizeUrl } = config;
  return createAuthorize({
    issue: withSealingKey((key) => createStateIssuer({ sealing: createSealing(key), now: systemClock })),
    authorizeUrl: clientId === undefined ? undefined : (state) => authorizeUrlOf({ clientId, authorizeUrl }, state),
  });
};

const wireConnectionSecrets = () => createConnectionSecrets(wireEnvelope());

const wireKeyStore = () => createKeyStore(openTable("connections"));

/** @param resolve of functions that replace or remove keys. */
const wireSettleKeyAlerts = (keys: KeyStore, resolve?: ResolveCause) =>
  createSettleKeyAlerts(
    {
      connections: wireConnectionStore(),
      keys,
      setup: stripeSetup,
      raise: createRaiseBySettings(ruleSettings, raiseFinding),
      now: systemClock,
    },
    resolve,
  );

/**
 * @param provider the function's access to the provider, which also refreshes tokens.
 * @param onRejected called after the event of rejected credentials was recorded.
 */
export const wireOpenConnection = (
  provider: Pick<ProviderAccess, "refreshTokens" | "acceptsSecret">,
  onRejected?: OnRejected,
) => {
  const changes = wireConnectionChangeStore();
  const recorder = wireRecorder();
  const keys = wireKeyStore();
  return createOpenConnection({
    connections: wireConnectionStore(),
    changes,
    refreshes: wireRefreshStore(),
    keys,
    settleKeyAlerts: wireSettleKeyAlerts(keys),
    secrets: wireConnectionSecrets(),
    provider,
    recorder,
    recordChange: createConnectionChangeRecorder({ changes, recorder, onRejected }),
    now: systemClock,
    pause: pauseBeforeRetry,
    newToken: newRequestToken,
  });
};

/** The first run of a connection is full: runs of a previous account are no basis for an incremental run. */
const wireFirstSync = () => {
  const start = wireStartRun();
  return async (by: ConnectionUserRequest): Promise<void> => {
    await start({
      organizationId: by.caller.organizationId,
      trigger: "connection",
      mode: "full",
      askedBy: requesterOf(by),
    });
  };
};

const wireWebhookRegistration = (provider: ProviderAccess) =>
  createWebhookRegistration({
    provider,
    webhookUrlOf: wireWebhookUrl(),
    setup: stripeSetup,
    newToken: newRequestToken,
  });

/** PUT …/connection. */
export const wireConnect = () => {
  const provider = wireProviderAccess();
  const changes = wireConnectionChangeStore();
  return createConnect({
    cancelRuns: wireCancelRuns(),
    startFirstSync: wireFirstSync(),
    settleKeyAlerts: wireSettleKeyAlerts(wireKeyStore(), wireResolveCause()),
    states: wireOAuthStates(),
    verification: createVerification(provider),
    provider,
    secrets: wireConnectionSecrets(),
    connections: wireConnectionStore(),
    changes,
    registration: wireWebhookRegistration(provider),
    recordChange: createConnectionChangeRecorder({ changes, recorder: wireRecorder() }),
    view: wireViewConnection(),
    now: systemClock,
    newToken: newRequestToken,
  });
};

/** PUT …/connection/webhook-endpoint. */
export const wireUpdateEndpoint = () => {
  const provider = wireProviderAccess();
  return createUpdateEndpoint({
    connections: wireConnectionStore(),
    secrets: wireConnectionSecrets(),
    registration: wireWebhookRegistration(provider),
    checks: createEndpointCheckStore(openTable("connections")),
    provider,
    view: wireViewConnection(),
    now: systemClock,
  });
};

/** PUT …/connection/webhook-secrets. */
export const wireChangeWebhookSecrets = () => {
  const changes = wireWebhookSecretsStore();
  return createChangeWebhookSecrets({
    changes,
    secrets: wireConnectionSecrets(),
    recordChange: createConnectionChangeRecorder({ changes, recorder: wireRecorder() }),
    view: wireViewConnection(),
    now: systemClock,
    newToken: newRequestToken,
  });
};

/** The end of a connection: at a user's request, or because its account withdrew its permission. */
export const wireDisconnect = (sync: Pick<DisconnectDependencies, "cancelRuns">) => {
  const changes = wireConnectionChangeStore();
  const recordChange = createConnectionChangeRecorder({ changes, recorder: wireRecorder() });
  return createDisconnect({ ...sync, changes, recordChange, now: systemClock });
};

/** DELETE …/connection. */
export const wireDisconnectByUser = () => {
  const provider = wireProviderAccess();
  return createDisconnectByUser({
    disconnect: wireDisconnect({ cancelRuns: wireCancelRuns() }),
    connections: wireConnectionStore(),
    secrets: wireConnectionSecrets(),
    registration: wireWebhookRegistration(provider),
    provider,
    settleKeyAlerts: wireSettleKeyAlerts(wireKeyStore(), wireResolveCause()),
  });
};
