/** The stores of connections in a deployed function. Each throws Error if the environment lacks a variable. */
import { createConnectionMarkStore } from "../circuit-breaker/connection-mark-store.ts";
import { createAccountDirectoryStore } from "../connection/account-directory-store.ts";
import { createConnectionChangeStore } from "../connection/connection-change-store.ts";
import {
  createConnectedStore,
  createConnectionStore,
  createRecordsClaimStore,
} from "../connection/connection-store.ts";
import { createRefreshStore } from "../connection/refresh-store.ts";
import { createWebhookSecretsStore } from "../connection/webhook-secrets-store.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";

const tableName = () => readConfig(["CONNECTIONS_TABLE_NAME"]).CONNECTIONS_TABLE_NAME;

const wireMarks = () =>
  createConnectionMarkStore(documentClient, readConfig(["CIRCUITS_TABLE_NAME"]).CIRCUITS_TABLE_NAME);

export const wireAccountDirectory = () => createAccountDirectoryStore(documentClient, tableName());
export const wireConnectionStore = () => createConnectionStore(documentClient, tableName());
export const wireConnectionChangeStore = () =>
  createConnectionChangeStore(documentClient, tableName(), wireMarks(), wireAccountDirectory());
export const wireRefreshStore = () => createRefreshStore(documentClient, tableName(), wireMarks());
export const wireWebhookSecretsStore = () => createWebhookSecretsStore(documentClient, tableName());
export const wireRecordsClaimStore = () => createRecordsClaimStore(documentClient, tableName());
export const wireConnectedStore = () => createConnectedStore(documentClient, tableName());
