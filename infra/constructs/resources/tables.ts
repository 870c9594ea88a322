import {
  AttributeType,
  BillingMode,
  type GlobalSecondaryIndexProps,
  ProjectionType,
  Table,
  type TableProps,
} from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";
import {
  ACTIVE_RUNS,
  ALERT_OUTBOX,
  ALERTS_BY_STATUS,
  CIRCUITS_NOT_CLOSED,
  CONNECTED_ORGANIZATIONS,
  DUE_REPORTS,
  EVENTS_BY_CATEGORY,
  EVENTS_BY_RISK,
  EVENTS_BY_TYPE,
  EVENTS_BY_USER,
  OPEN_ERASURES,
  OPEN_EVENTS,
  OPEN_EXPORTS,
  OPEN_HOURS,
  PENDING_WEBHOOKS,
  RECORDS_BY_CREATION,
  RECORDS_BY_CUSTOMER,
  type TableIndex,
  UNJUDGED_HOURS,
  WEBHOOKS_BY_RECEIPT,
} from "../../../shared/terms/indexes.ts";
import type { DeploymentConfig } from "./deployment-config.ts";
import { removalPolicyOf } from "./removal-policy.ts";

/** Backups must not keep erased data for long (docs/decisions.md). */
const RECOVERY_PERIOD_DAYS = 7;

/** The attribute that holds an item's expiry in epoch seconds, in every table whose items expire. */
const EXPIRY = "ttl";

type Key = NonNullable<TableProps["sortKey"]>;

const text = (name: string): Key => ({ name, type: AttributeType.STRING });
const number = (name: string): Key => ({ name, type: AttributeType.NUMBER });

const projectionOf = ({
  holds,
}: TableIndex): Pick<GlobalSecondaryIndexProps, "projectionType" | "nonKeyAttributes"> => {
  if (holds === "items") return {};
  if (holds === "keys") return { projectionType: ProjectionType.KEYS_ONLY };
  return { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...holds] };
};

const addIndex = (table: Table, index: TableIndex): void => {
  const { name, partitionKey, sortKey, isSortedByTime } = index;
  table.addGlobalSecondaryIndex({
    indexName: name,
    partitionKey: text(partitionKey),
    ...(sortKey !== undefined && { sortKey: isSortedByTime ? number(sortKey) : text(sortKey) }),
    ...projectionOf(index),
  });
};

/** The tables of the service, one per subject: on demand, with point-in-time recovery. Only `dev` deletes them. */
export class Tables extends Construct {
  /** Items: shared/plants/plant-store.ts. */
  readonly plants: Table;
  /** Items and indexes: shared/security/event-item.ts. */
  readonly securityEvents: Table;
  /** Items: shared/security/statistics/rollup-store.ts. */
  readonly securityRollups: Table;
  /** Items: shared/security/alerts/alert-store.ts. */
  readonly securityAlerts: Table;
  /** Items: shared/circuit-breaker/circuit-keys.ts. */
  readonly circuits: Table;
  /** Items: shared/connection/connection-store.ts. */
  readonly connections: Table;
  /** Items: shared/settings/settings-store.ts. */
  readonly settings: Table;
  /** Items: shared/sync/sync-run-store.ts. */
  readonly syncRuns: Table;
  /** Items: shared/records/record-item.ts. */
  readonly records: Table;
  /** Items: shared/webhooks/webhook-event-store.ts. */
  readonly webhookEvents: Table;
  /** Items: shared/detection/detection.ts. */
  readonly detection: Table;
  /** Items: shared/reports/report-store.ts. */
  readonly reports: Table;
  /** Items: shared/erasure/erasure-store.ts. */
  readonly erasures: Table;
  /** Items: shared/notifications/notification-items.ts. */
  readonly notifications: Table;
  /** Items: shared/exports/export-item.ts. */
  readonly exports: Table;
  /** Items: shared/runtime/idempotency-store.ts. */
  readonly idempotencyKeys: Table;

  constructor(scope: Construct, id: string, config: Pick<DeploymentConfig, "stage">) {
    super(scope, id);
    const table = (
      name: string,
      keys: Pick<TableProps, "partitionKey" | "sortKey" | "timeToLiveAttribute">,
      indexes: readonly TableIndex[] = [],
    ) => {
      const made = new Table(this, name, {
        ...keys,
        billingMode: BillingMode.PAY_PER_REQUEST,
        pointInTimeRecoverySpecification: {
          pointInTimeRecoveryEnabled: true,
          recoveryPeriodInDays: RECOVERY_PERIOD_DAYS,
        },
        deletionProtection: config.stage !== "dev",
        removalPolicy: removalPolicyOf(config),
      });
      for (const index of indexes) addIndex(made, index);
      return made;
    };

    /** A table whose items expire, with one partition per organization (shared/terms/keys.ts). */
    const expiring = (name: string, sortKey: string, ...indexes: readonly TableIndex[]) =>
      table(name, { partitionKey: text("scope"), sortKey: text(sortKey), timeToLiveAttribute: EXPIRY }, indexes);

    this.plants = table("Plants", { partitionKey: text("scope"), sortKey: number("id") });
    this.securityEvents = expiring(
      "SecurityEvents",
      "id",
      ...[EVENTS_BY_USER, EVENTS_BY_TYPE, EVENTS_BY_CATEGORY, EVENTS_BY_RISK, OPEN_EVENTS],
    );
    this.securityRollups = expiring("SecurityRollups", "period", OPEN_HOURS);
    this.circuits = table("Circuits", { partitionKey: text("id") }, [CIRCUITS_NOT_CLOSED]);
    this.connections = table("Connections", { partitionKey: text("id"), timeToLiveAttribute: EXPIRY }, [
      CONNECTED_ORGANIZATIONS,
    ]);
    this.settings = table("Settings", { partitionKey: text("id") });
    this.syncRuns = expiring("SyncRuns", "key", ACTIVE_RUNS);
    this.records = table("Records", { partitionKey: text("scope"), sortKey: text("key") }, [
      RECORDS_BY_CREATION,
      RECORDS_BY_CUSTOMER,
    ]);
    this.webhookEvents = expiring("WebhookEvents", "id", PENDING_WEBHOOKS, WEBHOOKS_BY_RECEIPT);
    this.detection = expiring("Detection", "key", UNJUDGED_HOURS);
    this.reports = expiring("Reports", "key", DUE_REPORTS);
    this.erasures = expiring("Erasures", "key", OPEN_ERASURES);
    this.notifications = expiring("Notifications", "key");
    this.exports = expiring("Exports", "key", OPEN_EXPORTS);
    this.idempotencyKeys = expiring("IdempotencyKeys", "key");
    this.securityAlerts = expiring("SecurityAlerts", "key", ALERTS_BY_STATUS, ALERT_OUTBOX);
  }
}
