import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, BillingMode, ProjectionType, Table, type TableProps } from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";
import type { DeploymentConfig } from "../config.ts";

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
  /** Items: shared/security/event-item.ts; indexes: shared/security/event-indexes.ts. */
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

    this.plants = table("Plants", { partitionKey: text("scope"), sortKey: number("id") });

    this.securityEvents = table("SecurityEvents", {
      partitionKey: text("scope"),
      sortKey: text("id"),
      timeToLiveAttribute: EXPIRY,
    });
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

    this.securityRollups = table("SecurityRollups", {
      partitionKey: text("scope"),
      sortKey: text("period"),
      timeToLiveAttribute: EXPIRY,
    });
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
    this.connections.addGlobalSecondaryIndex({
      indexName: "byConnected",
      partitionKey: text("connectedShard"),
      sortKey: text("id"),
      projectionType: ProjectionType.KEYS_ONLY,
    });

    this.settings = table("Settings", { partitionKey: text("id") });

    this.syncRuns = table("SyncRuns", {
      partitionKey: text("scope"),
      sortKey: text("key"),
      timeToLiveAttribute: EXPIRY,
    });
    this.syncRuns.addGlobalSecondaryIndex({
      indexName: "byActive",
      partitionKey: text("activeShard"),
      sortKey: text("scope"),
      projectionType: ProjectionType.KEYS_ONLY,
    });

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

    this.webhookEvents = table("WebhookEvents", {
      partitionKey: text("scope"),
      sortKey: text("id"),
      timeToLiveAttribute: EXPIRY,
    });
    this.webhookEvents.addGlobalSecondaryIndex({
      indexName: "byPending",
      partitionKey: text("pendingShard"),
      sortKey: number("receivedAt"),
      projectionType: ProjectionType.KEYS_ONLY,
    });

    this.detection = table("Detection", {
      partitionKey: text("scope"),
      sortKey: text("key"),
      timeToLiveAttribute: EXPIRY,
    });
    this.detection.addGlobalSecondaryIndex({
      indexName: "byUnjudged",
      partitionKey: text("unjudgedShard"),
      sortKey: text("key"),
      projectionType: ProjectionType.KEYS_ONLY,
    });

    this.reports = table("Reports", {
      partitionKey: text("scope"),
      sortKey: text("key"),
      timeToLiveAttribute: EXPIRY,
    });
    this.reports.addGlobalSecondaryIndex({
      indexName: "byDue",
      partitionKey: text("dueShard"),
      sortKey: text("key"),
      projectionType: ProjectionType.KEYS_ONLY,
    });

    this.erasures = table("Erasures", {
      partitionKey: text("scope"),
      sortKey: text("key"),
      timeToLiveAttribute: EXPIRY,
    });
    this.erasures.addGlobalSecondaryIndex({
      indexName: "byOpen",
      partitionKey: text("openShard"),
      sortKey: text("key"),
      projectionType: ProjectionType.KEYS_ONLY,
    });

    this.securityAlerts = table("SecurityAlerts", {
      partitionKey: text("scope"),
      sortKey: text("key"),
      timeToLiveAttribute: EXPIRY,
    });
    this.securityAlerts.addGlobalSecondaryIndex({
      indexName: "byStatus",
      partitionKey: text("statusKey"),
      sortKey: text("listKey"),
    });
    this.securityAlerts.addGlobalSecondaryIndex({
      indexName: "byOutbox",
      partitionKey: text("outboxShard"),
      sortKey: number("outboxAt"),
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }
}
