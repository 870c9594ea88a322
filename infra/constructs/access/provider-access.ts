import {
  ACTIVE_RUNS,
  CONNECTED_ORGANIZATIONS,
  CUSTOMERS_BY_EMAIL,
  CUSTOMERS_BY_NAME,
  EVENTS_BY_TYPE,
  EVENTS_BY_USER,
  PENDING_WEBHOOKS,
  RECORDS_BY_CREATION,
  RECORDS_BY_CUSTOMER,
  WEBHOOKS_BY_RECEIPT,
} from "../../../shared/terms/tables.ts";
import { type Access, together } from "../resources/access.ts";
import type { SecretPurpose } from "../resources/credentials-key.ts";
import type { AccessParts, Resources } from "./parts.ts";

/** The rights of the functions of connection, settings, sync runs, webhooks and records. */
export const providerAccess = (parts: AccessParts, { credentialsKey, provider }: Resources) => {
  const { circuits, connections, settings, syncRuns, records, webhookEvents, detection, securityEvents } = parts;
  const { retention, syncInterval, recordSecurityEvents, recordRefusals, resolveAlerts, seal, changeCircuits } = parts;

  const secrets = (action: "Decrypt" | "GenerateDataKey", purpose: SecretPurpose): Access => ({
    grants: [credentialsKey.grant(action, purpose)],
    environment: credentialsKey.environment,
  });

  /** To observe the provider's latency. */
  const observeLatency = together(detection.may("GetItem", "Query"), securityEvents.may("Query"));

  /** To call the provider with an organization's credentials. */
  const callProvider = together(
    changeCircuits,
    recordSecurityEvents,
    observeLatency,
    syncRuns.may("UpdateItem"),
    connections.may("GetItem", "UpdateItem"),
    secrets("Decrypt", "provider-credentials"),
  );

  /** Also to replace its tokens. */
  const useConnections = together(callProvider, provider.call, secrets("GenerateDataKey", "provider-credentials"));

  /** To judge the account's activity of the weeks before, and refused calls by it. */
  const judgeRefusals = together(securityEvents.may("Query", "BatchGetItem"), securityEvents.query(EVENTS_BY_TYPE));

  /** To start sync runs and to end active runs. */
  const changeRuns = together(retention, syncRuns.may("GetItem", "PutItem", "UpdateItem"));

  /** To show a connection with its last and next sync and its number of reads. */
  const getConnection = together(connections.may("GetItem"), syncRuns.may("GetItem"), syncInterval);

  const applyRecords = records.may("GetItem", "BatchGetItem", "PutItem");

  /** To count the provider's events about money, in transactions. */
  const countMoney = detection.may("PutItem", "UpdateItem");

  return {
    changeSettings: settings.may("GetItem", "PutItem", "UpdateItem"),

    getConnection,

    /** An OAuth state is marked as used, and released if the provider was not reached. */
    connectProvider: together(
      useConnections,
      syncInterval,
      seal,
      changeRuns,
      secrets("GenerateDataKey", "webhook-secrets"),
      connections.may("PutItem", "DeleteItem"),
      resolveAlerts,
    ),

    /** Opens and seals only webhook secrets, never the provider's credentials. */
    changeWebhookSecrets: together(
      recordSecurityEvents,
      getConnection,
      connections.may("UpdateItem"),
      secrets("Decrypt", "webhook-secrets"),
      secrets("GenerateDataKey", "webhook-secrets"),
    ),

    /** With the stored key, which it does not replace. */
    updateWebhookEndpoint: together(callProvider, provider.callWithKeys, syncInterval, syncRuns.may("GetItem")),

    /** Removes the webhook endpoint at the provider. The organization's circuit also stores whether it is connected. */
    disconnectProvider: together(callProvider, provider.callWithKeys, changeRuns, resolveAlerts),

    /** To send users to the provider's authorization page. The state is sealed, and nothing is stored. */
    authorizeConnection: together(seal, provider.authorize),

    startSync: together(changeRuns, connections.may("GetItem"), circuits.may("GetItem")),
    listSyncRuns: syncRuns.may("GetItem", "Query"),

    "run-sync": together(
      useConnections,
      changeRuns,
      syncRuns.may("BatchGetItem", "Query"),
      applyRecords,
      // Pages are written in batches of statements, and single records by puts.
      records.may("Query", "PartiQLInsert", "PartiQLUpdate"),
      webhookEvents.may("BatchGetItem"),
      judgeRefusals,
      countMoney,
    ),
    "dispatch-syncs": together(
      syncInterval,
      connections.query(CONNECTED_ORGANIZATIONS),
      syncRuns.may("GetItem", "PutItem"),
    ),
    "resume-stalled-syncs": together(
      syncInterval,
      connections.query(CONNECTED_ORGANIZATIONS),
      connections.may("BatchGetItem"),
      syncRuns.query(ACTIVE_RUNS),
      syncRuns.may("GetItem", "BatchGetItem", "PutItem"),
    ),

    /** To look one text up in all of these, and among customers. */
    search: together(
      securityEvents.may("GetItem", "BatchGetItem"),
      securityEvents.query(EVENTS_BY_USER),
      parts.securityAlerts.may("GetItem"),
      settings.may("GetItem"),
      syncRuns.may("GetItem"),
      webhookEvents.may("GetItem"),
      parts.notifications.may("GetItem"),
      records.may("GetItem", "BatchGetItem"),
      records.query(CUSTOMERS_BY_NAME, CUSTOMERS_BY_EMAIL),
    ),

    getMoney: detection.may("Query"),

    listRecords: together(records.may("BatchGetItem"), records.query(RECORDS_BY_CREATION, RECORDS_BY_CUSTOMER)),

    /** Decrypts only webhook secrets, and reads no records. */
    "receive-webhook": together(
      recordRefusals,
      provider.verifyWebhooks,
      connections.may("GetItem"),
      secrets("Decrypt", "webhook-secrets"),
      webhookEvents.may("GetItem", "PutItem", "UpdateItem"),
    ),
    "process-webhook": together(
      useConnections,
      judgeRefusals,
      changeRuns,
      applyRecords,
      webhookEvents.may("GetItem", "UpdateItem"),
      countMoney,
    ),
    listWebhookDeliveries: together(webhookEvents.query(WEBHOOKS_BY_RECEIPT), webhookEvents.may("BatchGetItem")),
    replayWebhookDelivery: webhookEvents.may("GetItem", "UpdateItem"),
    "hand-over-webhooks": together(webhookEvents.query(PENDING_WEBHOOKS), webhookEvents.may("UpdateItem")),
  };
};
