import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, BillingMode, ProjectionType, Table, type TableProps } from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";
import type { DeploymentConfig } from "./deployment-config.ts";

/** Decisions: copies of erased data must not outlive the erasure for long. */
const RECOVERY_PERIOD_DAYS = 7;

/** The attribute that holds an item's expiry in epoch seconds, in every table whose items expire. */
const EXPIRY = "ttl";

type Key = NonNullable<TableProps["sortKey"]>;

const text = (name: string): Key => ({ name, type: AttributeType.STRING });
const number = (name: string): Key => ({ name, type: AttributeType.NUMBER });

/** What the narrow indexes of events hold besides keys: enough to filter and to count, nothing that ever changes. */
const COUNTED_FIELDS = ["riskLevel", "eventType", "category", "success", "ms", EXPIRY];

/** What lists of records answer: what changes only with the record, so that seeing it unchanged costs no index write. */
const LISTED_FIELDS = ["createdAt", "updatedAt", "deleted", "fields"];

/** The tables of the service, one per subject: on demand, recoverable, and kept outside of development. */
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
  /** Items: shared/detection/detection-keys.ts. */
  readonly detection: Table;
  /** Items: shared/reports/report-store.ts. */
  readonly reports: Table;
  /** Items: shared/erasure/erasure-store.ts. */
  readonly erasures: Table;

  constructor(scope: Construct, id: string, { stage }: Pick<DeploymentConfig, "stage">) {
    super(scope, id);
    const isKept = stage !== "dev";
    const table = (name: string, keys: Pick<TableProps, "partitionKey" | "sortKey" | "timeToLiveAttribute">) =>
      new Table(this, name, {
        ...keys,
        billingMode: BillingMode.PAY_PER_REQUEST,
        pointInTimeRecoverySpecification: {
          pointInTimeRecoveryEnabled: true,
          recoveryPeriodInDays: RECOVERY_PERIOD_DAYS,
        },
        deletionProtection: isKept,
        removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      });

    /** By organization, or whoever else the items are of. */
    const expiring = (name: string, sortKey: Key) =>
      table(name, { partitionKey: text("scope"), sortKey, timeToLiveAttribute: EXPIRY });
    /** A sparse index, spread over shards, that lists what waits or is under way: shared/runtime/read-shards.ts. */
    const listed = (of: Table, indexName: string, shard: string, sortKey: Key) =>
      of.addGlobalSecondaryIndex({
        indexName,
        partitionKey: text(shard),
        sortKey,
        projectionType: ProjectionType.KEYS_ONLY,
      });

    this.plants = table("Plants", { partitionKey: text("scope"), sortKey: number("id") });

    this.securityEvents = expiring("SecurityEvents", text("id"));
    const sortKey = text("id");
    const narrow = { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: COUNTED_FIELDS };
    for (const [indexName, key, projection] of [
      ["byUser", "userKey", narrow],
      ["byType", "typeKey", narrow],
      ["byCategory", "categoryKey", narrow],
      ["byRisk", "riskKey", {}],
      ["byOpen", "openKey", {}],
    ] as const) {
      this.securityEvents.addGlobalSecondaryIndex({ indexName, partitionKey: text(key), sortKey, ...projection });
    }

    this.securityRollups = expiring("SecurityRollups", text("period"));
    this.securityRollups.addGlobalSecondaryIndex({
      indexName: "byOpenHour",
      partitionKey: text("openShard"),
      sortKey: text("period"),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ["token", "markedAt"],
    });

    this.circuits = table("Circuits", { partitionKey: text("id") });
    this.circuits.addGlobalSecondaryIndex({
      indexName: "notClosed",
      partitionKey: text("sh"),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ["ou"],
    });

    this.connections = table("Connections", { partitionKey: text("id"), timeToLiveAttribute: EXPIRY });
    listed(this.connections, "byConnected", "connectedShard", text("id"));

    this.settings = table("Settings", { partitionKey: text("id") });

    this.syncRuns = expiring("SyncRuns", text("key"));
    listed(this.syncRuns, "byActive", "activeShard", text("scope"));

    this.records = table("Records", { partitionKey: text("scope"), sortKey: text("key") });
    for (const [indexName, key] of [
      ["byCreated", "listKey"],
      ["byCustomer", "customerKey"],
    ] as const) {
      this.records.addGlobalSecondaryIndex({
        indexName,
        partitionKey: text(key),
        sortKey: text("createdKey"),
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: LISTED_FIELDS,
      });
    }

    this.webhookEvents = expiring("WebhookEvents", text("id"));
    listed(this.webhookEvents, "byPending", "pendingShard", number("receivedAt"));

    this.detection = expiring("Detection", text("key"));
    listed(this.detection, "byUnjudged", "unjudgedShard", text("key"));

    this.reports = expiring("Reports", text("key"));
    listed(this.reports, "byDue", "dueShard", text("key"));

    this.erasures = expiring("Erasures", text("key"));
    listed(this.erasures, "byOpen", "openShard", text("key"));

    this.securityAlerts = expiring("SecurityAlerts", text("key"));
    this.securityAlerts.addGlobalSecondaryIndex({
      indexName: "byStatus",
      partitionKey: text("statusKey"),
      sortKey: text("listKey"),
    });
    listed(this.securityAlerts, "byOutbox", "outboxShard", number("outboxAt"));
  }
}
