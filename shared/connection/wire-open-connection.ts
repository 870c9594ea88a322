/** The connections of a deployed function: what is stored of them, and the door to their accounts. */
import { createConnectionMarkStore } from "../circuit-breaker/connection-mark-store.ts";
import type { ProviderAccess } from "../provider/provider-access.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { wireEnvelope } from "../runtime/envelope.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { createConnectedStore } from "./connected-store.ts";
import { createConnectionChangeStore } from "./connection-change-store.ts";
import { createConnectionSecrets } from "./connection-secrets.ts";
import { createConnectionStore } from "./connection-store.ts";
import { createOpenConnection, type OpenConnection } from "./open-connection.ts";
import { createRecordsClaimStore } from "./records-claim-store.ts";
import { createRefreshStore } from "./refresh-store.ts";

const tableName = () => readConfig(["CONNECTIONS_TABLE_NAME"]).CONNECTIONS_TABLE_NAME;

const wireMarks = () =>
  createConnectionMarkStore(documentClient, readConfig(["CIRCUITS_TABLE_NAME"]).CIRCUITS_TABLE_NAME);

/** Each throws Error at cold start where the environment lacks a variable. */
export const wireConnectionStore = () => createConnectionStore(documentClient, tableName());
export const wireConnectionChangeStore = () => createConnectionChangeStore(documentClient, tableName(), wireMarks());
export const wireRecordsClaimStore = () => createRecordsClaimStore(documentClient, tableName());
export const wireConnectedStore = () => createConnectedStore(documentClient, tableName());
export const wireConnectionSecrets = () => createConnectionSecrets(wireEnvelope());

/**
 * The door to organizations' accounts.
 * @param provider the function's one way to the provider, by which tokens are refreshed too.
 * @throws Error at cold start where the environment lacks a variable.
 */
export const wireOpenConnection = (provider: Pick<ProviderAccess, "refreshTokens">): OpenConnection =>
  createOpenConnection({
    connections: wireConnectionStore(),
    changes: wireConnectionChangeStore(),
    refreshes: createRefreshStore(documentClient, tableName(), wireMarks()),
    secrets: wireConnectionSecrets(),
    provider,
    recorder: wireRecorder(),
    now: systemClock,
    pause: pauseBeforeRetry,
    newToken: newRequestToken,
  });
