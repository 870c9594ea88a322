/** What functions may do, and the variables that tell them on what. A function has a list of these and no more. */

import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { EventBus } from "aws-cdk-lib/aws-events";
import type { DeploymentConfig } from "../config.ts";
import type { Tables } from "./tables.ts";

/** One right: actions of one service on the resources named. */
export type Grant = {
  actions: readonly string[];
  resources: readonly string[];
  /** As in a policy's `Condition`. */
  conditions?: Readonly<Record<string, Readonly<Record<string, string>>>>;
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

type Parts = { tables: Tables; bus: EventBus; config: DeploymentConfig };

/** The rights that functions are made of, by what they let a function do. */
export const accessTo = ({ tables, bus, config }: Parts) => {
  const { plants, securityEvents, securityRollups, securityAlerts, circuits } = tables;
  const retention = { RETENTION_DAYS: String(config.RETENTION_DAYS) };
  const eventsTable = { SECURITY_EVENTS_TABLE_NAME: securityEvents.tableName };
  const rollupsTable = { SECURITY_ROLLUPS_TABLE_NAME: securityRollups.tableName };
  const alertsTable = { SECURITY_ALERTS_TABLE_NAME: securityAlerts.tableName };

  const circuitsTable = { CIRCUITS_TABLE_NAME: circuits.tableName };

  const publish: Access = {
    grants: [{ actions: ["events:PutEvents"], resources: [bus.eventBusArn] }],
    environment: { EVENT_BUS_NAME: bus.eventBusName },
  };
  return {
    plants: (action: "PutItem" | "Query" | "DeleteItem"): Access => ({
      grants: [on(plants, action)],
      environment: { PLANTS_TABLE_NAME: plants.tableName },
    }),

    publish,

    /** To record security events, and to raise the alerts that come of them. */
    recordSecurityEvents: together(publish, {
      grants: [on(securityEvents, "PutItem"), on(securityRollups, "PutItem"), on(securityAlerts, "UpdateItem")],
      environment: {
        ...retention,
        ...eventsTable,
        ...rollupsTable,
        ...alertsTable,
        SECURITY_LOG_LEVEL: config.SECURITY_LOG_LEVEL,
        ALERT_THRESHOLD: config.ALERT_THRESHOLD,
      },
    }),

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

    readCircuits: {
      grants: [on(circuits, "GetItem", "BatchGetItem"), onIndexes(circuits, ["notClosed"])],
      environment: circuitsTable,
    } satisfies Access,

    /** To run calls through the guard, or to operate circuits; both count, announce and look at the whole. */
    changeCircuits: {
      grants: [on(circuits, "GetItem", "BatchGetItem", "UpdateItem"), onIndexes(circuits, ["notClosed"])],
      environment: circuitsTable,
    } satisfies Access,

    closeSecurityHours: {
      grants: [
        on(securityEvents, "Query"),
        on(securityRollups, "GetItem", "Query", "PutItem", "DeleteItem"),
        onIndexes(securityRollups, ["byOpenHour"]),
      ],
      environment: { ...eventsTable, ...rollupsTable },
    } satisfies Access,
  };
};

export type AccessTo = ReturnType<typeof accessTo>;
