/** How connections are shown by a deployed function; it loads nothing that changes them. */
import { createReadCountStore, monthOf } from "../provider/read-count-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createSyncRunStore } from "../sync/sync-run-store.ts";
import { createConnectionStore } from "./connection-store.ts";
import { createViewConnection, type ShowConnection } from "./view-connection.ts";

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
