/** The stores of connections in a deployed function. Each throws Error if the environment lacks a variable. */

import { createConnectionMarkStore } from "../circuit-breaker/connection-mark-store.ts";
import { createAccountDirectoryStore } from "../connection/account-directory-store.ts";
import { connectedAfter } from "../connection/connected-after.ts";
import { createConnectionChangeStore } from "../connection/connection-change-store.ts";
import {
  createConnectedStore,
  createConnectionStore,
  createRecordsClaimStore,
} from "../connection/connection-store.ts";
import { createRefreshStore, createWebhookSecretsStore } from "../connection/secret-change-store.ts";
import { openTable } from "../runtime/open-table.ts";

const wireMarks = () => createConnectionMarkStore(openTable("circuits"));

export const wireAccountDirectory = () => createAccountDirectoryStore(openTable("connections"));
export const wireConnectionStore = () => createConnectionStore(openTable("connections"));
export const wireConnectionChangeStore = () =>
  createConnectionChangeStore(openTable("connections"), wireMarks(), wireAccountDirectory());
export const wireRefreshStore = () => createRefreshStore(openTable("connections"), wireMarks());
export const wireWebhookSecretsStore = () => createWebhookSecretsStore(openTable("connections"));
export const wireRecordsClaimStore = () => createRecordsClaimStore(openTable("connections"));
export const wireConnectedStore = () => createConnectedStore(openTable("connections"));

/** The connected organizations in the order of their index, from the one after `after` on. */
export const wireConnectedAfter = () => {
  const { connectedOrganizations } = wireConnectedStore();
  return (after?: string) => connectedAfter(connectedOrganizations(), after);
};
