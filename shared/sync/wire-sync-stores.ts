/** What is stored of runs, in a deployed function. Each throws Error where the environment lacks a variable. */
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createSyncEndStore } from "./sync-end-store.ts";
import { createSyncRunStore } from "./sync-run-store.ts";

const tableName = () => readConfig(["SYNC_RUNS_TABLE_NAME"]).SYNC_RUNS_TABLE_NAME;

export const wireSyncRunStore = () => createSyncRunStore(documentClient, tableName());

export const wireSyncEndStore = () =>
  createSyncEndStore(documentClient, tableName(), { retentionDays: readConfig(["RETENTION_DAYS"]).RETENTION_DAYS });
