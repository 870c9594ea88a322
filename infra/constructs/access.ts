/** What functions may do, and the variables that tell them on what. A function has a list of these and no more. */

import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { EventBus } from "aws-cdk-lib/aws-events";
import type { DeploymentConfig } from "../config.ts";
import type { CredentialsKey, SecretPurpose } from "./credentials-key.ts";
import type { CursorKey } from "./cursor-key.ts";
import type { ProviderSettings } from "./provider-settings.ts";
import type { Tables } from "./tables.ts";

/** One right: actions of one service on the resources named. */
export type Grant = {
  actions: readonly string[];
  resources: readonly string[];
  /** As in a policy's `Condition`. */
  conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
};

export type Access = { grants: readonly Grant[]; environment: Readonly<Record<string, string>> };

export const NO_ACCESS: Access = { grants: [], environment: {} };

/** Several at once; the variables of the same name have the same value. */
export const together = (...parts: readonly Access[]): Access => ({
  grants: parts.flatMap(({ grants }) => grants),
  environment: Object.assign({}, ...parts.map(({ environment }) => environment)),
});

const on = (table: Table, ...actions: string[]): Grant => ({
  actions: actions.map((action) => `dynamodb:${action}`),
  resources: [table.tableArn],
});
const onIndexes = (table: Table, indexes: readonly string[]): Grant => ({
  actions: ["dynamodb:Query"],
  resources: indexes.map((index) => `${table.tableArn}/index/${index}`),
});

type Parts = {
  tables: Tables;
  bus: EventBus;
  config: DeploymentConfig;
  credentialsKey: CredentialsKey;
  cursorKey: CursorKey;
  /** The variables that say where the provider is, and as whom the platform speaks to it. */
  provider: ProviderSettings;
};

/** The rights that functions are made of, by what they let a function do. */
export const accessTo = ({ tables, bus, config, credentialsKey, cursorKey, provider }: Parts) => {
  const { plants, securityEvents, securityRollups, securityAlerts, circuits } = tables;
  const { connections, settings, syncRuns, records } = tables;
  const retention = { RETENTION_DAYS: String(config.RETENTION_DAYS) };
  const eventsTable = { SECURITY_EVENTS_TABLE_NAME: securityEvents.tableName };
  const rollupsTable = { SECURITY_ROLLUPS_TABLE_NAME: securityRollups.tableName };
  const alertsTable = { SECURITY_ALERTS_TABLE_NAME: securityAlerts.tableName };

  const circuitsTable = { CIRCUITS_TABLE_NAME: circuits.tableName };
  const connectionsTable = { CONNECTIONS_TABLE_NAME: connections.tableName };
  const settingsTable = { SETTINGS_TABLE_NAME: settings.tableName };
  const syncRunsTable = { SYNC_RUNS_TABLE_NAME: syncRuns.tableName };
  const recordsTable = { RECORDS_TABLE_NAME: records.tableName };

  const publish: Access = {
    grants: [{ actions: ["events:PutEvents"], resources: [bus.eventBusArn] }],
    environment: { EVENT_BUS_NAME: bus.eventBusName },
  };

  /** To record security events, and to raise the alerts that come of them. */
  const recordSecurityEvents = together(publish, {
    grants: [on(securityEvents, "PutItem"), on(securityRollups, "PutItem"), on(securityAlerts, "UpdateItem")],
    environment: {
      ...retention,
      ...eventsTable,
      ...rollupsTable,
      ...alertsTable,
      SECURITY_LOG_LEVEL: config.SECURITY_LOG_LEVEL,
      ALERT_THRESHOLD: config.ALERT_THRESHOLD,
    },
  });

  /** To seal what clients carry and only the service reads: cursors and OAuth's states. */
  const sealForClients: Access = { grants: [], environment: { CURSOR_KEY: cursorKey.reference } };

  const readConnections: Access = { grants: [on(connections, "GetItem")], environment: connectionsTable };

  /** With the number of organizations that are connected. */
  const readCircuits = together(readConnections, {
    grants: [on(circuits, "GetItem", "BatchGetItem"), onIndexes(circuits, ["notClosed"])],
    environment: circuitsTable,
  });

  /** To run calls through the guard, or to operate circuits; both count, announce and look at the whole. */
  const changeCircuits = together(readCircuits, { grants: [on(circuits, "UpdateItem")], environment: {} });

  const openSecrets = (purpose: SecretPurpose): Access => ({
    grants: [credentialsKey.grant("Decrypt", purpose)],
    environment: credentialsKey.environment,
  });
  const sealSecrets = (purpose: SecretPurpose): Access => ({
    grants: [credentialsKey.grant("GenerateDataKey", purpose)],
    environment: credentialsKey.environment,
  });

  /** To call the provider: through the guard, with the events that calls leave, and their reads counted. */
  const callProvider = together(changeCircuits, recordSecurityEvents, {
    grants: [on(syncRuns, "UpdateItem")],
    environment: { ...syncRunsTable, ...provider.environment },
  });

  /** To call the provider with an organization's own credentials, and to replace its tokens. */
  const useConnections = together(
    callProvider,
    openSecrets("provider-credentials"),
    sealSecrets("provider-credentials"),
    { grants: [on(connections, "GetItem", "UpdateItem")], environment: connectionsTable },
  );

  /** To begin runs and to end those under way. */
  const changeRuns = together(publish, {
    grants: [on(syncRuns, "GetItem", "PutItem", "UpdateItem")],
    environment: { ...syncRunsTable, ...retention },
  });

  return {
    plants: (action: "PutItem" | "Query" | "DeleteItem"): Access => ({
      grants: [on(plants, action)],
      environment: { PLANTS_TABLE_NAME: plants.tableName },
    }),

    publish,
    sealForClients,

    recordSecurityEvents,

    readSecurityEvents: {
      grants: [
        on(securityEvents, "Query", "BatchGetItem"),
        onIndexes(securityEvents, ["byUser", "byRisk", "byType", "byCategory", "byOpen"]),
        on(securityRollups, "Query"),
        on(securityAlerts, "Query"),
      ],
      environment: { ...eventsTable, ...rollupsTable, ...alertsTable },
    } satisfies Access,

    markSecurityEvents: {
      grants: [on(securityEvents, "UpdateItem")],
      environment: eventsTable,
    } satisfies Access,

    listSecurityAlerts: {
      grants: [onIndexes(securityAlerts, ["byStatus"])],
      environment: { ...alertsTable, ...retention },
    } satisfies Access,

    /** To generate, acknowledge and resolve alerts. A resolved one is moved: put and deleted in one transaction. */
    decideSecurityAlerts: together(publish, {
      grants: [on(securityAlerts, "GetItem", "PutItem", "UpdateItem", "DeleteItem")],
      environment: { ...alertsTable, ...retention },
    }),

    /** To publish changes of alerts that were left behind. */
    sweepAlertOutbox: together(publish, {
      grants: [onIndexes(securityAlerts, ["byOutbox"]), on(securityAlerts, "GetItem", "UpdateItem")],
      environment: alertsTable,
    }),

    readCircuits,

    changeCircuits,

    closeSecurityHours: {
      grants: [
        on(securityEvents, "Query"),
        on(securityRollups, "GetItem", "Query", "PutItem", "DeleteItem"),
        onIndexes(securityRollups, ["byOpenHour"]),
      ],
      environment: { ...eventsTable, ...rollupsTable },
    } satisfies Access,

    /** What every request of an organization is admitted by. */
    readSettings: { grants: [on(settings, "GetItem")], environment: settingsTable } satisfies Access,

    changeSettings: {
      grants: [on(settings, "GetItem", "PutItem", "UpdateItem")],
      environment: settingsTable,
    } satisfies Access,

    /** To show a connection with its last sync and its reads. */
    showConnection: together(readConnections, { grants: [on(syncRuns, "GetItem")], environment: syncRunsTable }),

    /** OAuth's states are marked as used, and given back where the provider was not reached. */
    connect: together(useConnections, sealForClients, sealSecrets("webhook-secrets"), changeRuns, {
      grants: [on(connections, "PutItem", "DeleteItem")],
      environment: {},
    }),

    /** Whether an organization is connected stands in its circuit too. */
    disconnect: together(readConnections, changeRuns, {
      grants: [on(connections, "UpdateItem"), on(circuits, "GetItem", "UpdateItem")],
      environment: circuitsTable,
    }),

    /** To ask users to the provider: the states are sealed, and nothing is stored. */
    authorize: together(sealForClients, { grants: [], environment: provider.environment }),

    /** An Idempotency-Key whose run did not start is given back. */
    startSync: together(readConnections, changeRuns, {
      grants: [on(circuits, "GetItem"), on(syncRuns, "DeleteItem")],
      environment: circuitsTable,
    }),

    listSyncRuns: { grants: [on(syncRuns, "GetItem", "Query")], environment: syncRunsTable } satisfies Access,

    runSyncs: together(useConnections, changeRuns, {
      grants: [on(syncRuns, "Query"), on(records, "GetItem", "BatchGetItem", "PutItem", "Query")],
      environment: recordsTable,
    }),

    dispatchSyncs: together(publish, {
      grants: [onIndexes(connections, ["byConnected"])],
      environment: connectionsTable,
    }),

    resumeSyncs: together(publish, {
      grants: [onIndexes(syncRuns, ["byActive"]), on(syncRuns, "GetItem")],
      environment: syncRunsTable,
    }),

    listRecords: {
      grants: [on(records, "GetItem"), onIndexes(records, ["byCreated", "byCustomer"])],
      environment: recordsTable,
    } satisfies Access,
  };
};

export type AccessTo = ReturnType<typeof accessTo>;
