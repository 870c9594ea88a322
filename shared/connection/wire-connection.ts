/** What requests about the connection do, in a deployed function. */
import { createReadCountStore, monthOf } from "../provider/read-count-store.ts";
import { wireProviderAccess } from "../provider/wire-provider.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { createSealing } from "../runtime/sealing.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { createSyncRunStore } from "../sync/sync-run-store.ts";
import { wireCancelRuns, wireStartRun } from "../sync/wire-start.ts";
import { createAuthorizationStates } from "./authorization-state.ts";
import { type Authorize, createAuthorize } from "./authorize.ts";
import { type Connect, createConnect } from "./connect.ts";
import { createDisconnect, type Disconnect, type DisconnectParts } from "./disconnect.ts";
import { createTellChange } from "./tell-change.ts";
import { createUsedStateStore } from "./used-state-store.ts";
import { createVerification } from "./verify-account.ts";
import { createViewConnection, type ShowConnection } from "./view-connection.ts";
import { wireConnectionChangeStore, wireConnectionSecrets, wireConnectionStore } from "./wire-open-connection.ts";

const wireStates = () => {
  const config = readConfig(["CONNECTIONS_TABLE_NAME", "CURSOR_KEY"]);
  return createAuthorizationStates({
    sealing: createSealing(config.CURSOR_KEY),
    used: createUsedStateStore(documentClient, config.CONNECTIONS_TABLE_NAME),
    now: systemClock,
  });
};

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
  const connections = wireConnectionStore();
  const view = wireViewConnection();
  return async (organizationId: string) => view(organizationId, await connections.read(organizationId));
};

/** The first run of a connection is a full one: what another account's runs read says nothing of this one. */
const wireFirstSync = () => {
  const start = wireStartRun();
  return async (organizationId: string): Promise<void> => {
    await start({ organizationId, trigger: "connection", mode: "full" });
  };
};

/** What PUT …/connection does. */
export const wireConnect = (): Connect => {
  const provider = wireProviderAccess();
  const changes = wireConnectionChangeStore();
  return createConnect({
    cancelRuns: wireCancelRuns(),
    startFirstSync: wireFirstSync(),
    states: wireStates(),
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

/** What POST …/connection/authorize does. */
export const wireAuthorize = (): Authorize => createAuthorize({ states: wireStates(), provider: wireProviderAccess() });
