import type { EventBus } from "aws-cdk-lib/aws-events";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { CIRCUITS_NOT_CLOSED } from "../../../shared/terms/indexes.ts";
import {
  type Access,
  bucketAccess,
  type Grant,
  NO_ACCESS,
  tableAccess,
  together,
  variables,
} from "../resources/access.ts";
import type { CredentialsKey } from "../resources/credentials-key.ts";
import type { CursorKey } from "../resources/cursor-key.ts";
import type { DeploymentConfig } from "../resources/deployment-config.ts";
import type { ProviderSettings } from "../resources/provider-settings.ts";
import type { Tables } from "../resources/tables.ts";

export type Resources = {
  tables: Tables;
  bus: EventBus;
  config: DeploymentConfig;
  credentialsKey: CredentialsKey;
  cursorKey: CursorKey;
  provider: ProviderSettings;
  exportsBucket: Bucket;
  notificationsToSend: Queue;
  /** Undefined if the deployment has no feed for a SIEM. */
  feedBucket: Bucket | undefined;
};

const onAllObjects = (grant: Grant): Grant => ({
  ...grant,
  objectsReason: "The feed has the objects of all organizations, and nothing else is in its bucket.",
});

/** The building blocks of rights: the access to each table, and rights that functions of several subjects share. */
export const accessParts = ({
  tables,
  bus,
  config,
  cursorKey,
  exportsBucket,
  notificationsToSend,
  feedBucket,
}: Resources) => {
  const plants = tableAccess("PLANTS_TABLE_NAME", tables.plants);
  const events = tableAccess("SECURITY_EVENTS_TABLE_NAME", tables.securityEvents);
  const rollups = tableAccess("SECURITY_ROLLUPS_TABLE_NAME", tables.securityRollups);
  const alerts = tableAccess("SECURITY_ALERTS_TABLE_NAME", tables.securityAlerts);
  const circuits = tableAccess("CIRCUITS_TABLE_NAME", tables.circuits);
  const connections = tableAccess("CONNECTIONS_TABLE_NAME", tables.connections);
  const settings = tableAccess("SETTINGS_TABLE_NAME", tables.settings);
  const syncRuns = tableAccess("SYNC_RUNS_TABLE_NAME", tables.syncRuns);
  const records = tableAccess("RECORDS_TABLE_NAME", tables.records);
  const webhookEvents = tableAccess("WEBHOOK_EVENTS_TABLE_NAME", tables.webhookEvents);
  const detection = tableAccess("DETECTION_TABLE_NAME", tables.detection);
  const reports = tableAccess("REPORTS_TABLE_NAME", tables.reports);
  const erasures = tableAccess("ERASURES_TABLE_NAME", tables.erasures);
  const exports = tableAccess("EXPORTS_TABLE_NAME", tables.exports);
  const exportedFiles = bucketAccess("EXPORTS_BUCKET", exportsBucket);
  const notifications = tableAccess("NOTIFICATIONS_TABLE_NAME", tables.notifications);
  const idempotencyKeys = tableAccess("IDEMPOTENCY_KEYS_TABLE_NAME", tables.idempotencyKeys);

  const retention = variables({ RETENTION_DAYS: String(config.RETENTION_DAYS) });
  const syncInterval = variables({ SYNC_INTERVAL_HOURS: String(config.SYNC_INTERVAL_HOURS) });

  const feedAccess = feedBucket && bucketAccess("FEED_BUCKET", feedBucket);
  /** The feed for a SIEM: actions on its objects. Without a feed, an empty variable and no right. */
  const feed = (...actions: readonly ("PutObject" | "DeleteObject")[]): Access => ({
    grants: (actions.length === 0 ? undefined : feedAccess?.may(...actions).grants.map(onAllObjects)) ?? [],
    environment: { FEED_BUCKET: feedBucket?.bucketName ?? "" },
  });
  const listFeed = feedAccess?.list() ?? NO_ACCESS;

  const publish: Access = {
    grants: [{ actions: ["events:PutEvents"], resources: [bus.eventBusArn] }],
    environment: { EVENT_BUS_NAME: bus.eventBusName },
  };

  /** To hand deliveries over to the function that sends them. */
  const queueNotifications: Access = {
    grants: [{ actions: ["sqs:SendMessage"], resources: [notificationsToSend.queueArn] }],
    environment: { NOTIFICATIONS_QUEUE_URL: notificationsToSend.queueUrl },
  };

  const raiseAlerts = together(publish, retention, alerts.may("UpdateItem"));

  /** To record security events and to raise their alerts. */
  const recordSecurityEvents = together(
    raiseAlerts,
    events.may("PutItem"),
    rollups.may("PutItem"),
    variables({ SECURITY_LOG_LEVEL: config.SECURITY_LOG_LEVEL, ALERT_THRESHOLD: config.ALERT_THRESHOLD }),
  );

  /** To record refusals, which also claims their budget and adds to their counts. */
  const recordRefusals = together(recordSecurityEvents, events.may("UpdateItem"), rollups.may("UpdateItem"));

  /** To take an Idempotency-Key, which is released if the request is refused. */
  const takeIdempotencyKeys = idempotencyKeys.may("PutItem", "UpdateItem", "DeleteItem");

  /** To seal cursors and OAuth states, which clients store and only the service reads. */
  const sealForClients = variables({ CURSOR_KEY: cursorKey.reference });

  /** Includes the number of connected organizations. */
  const readCircuits = together(
    connections.may("GetItem"),
    circuits.may("GetItem", "BatchGetItem"),
    circuits.query(CIRCUITS_NOT_CLOSED),
  );

  /** To run guarded calls or to operate circuits. Both count, publish events and read the totals of all circuits. */
  const changeCircuits = together(readCircuits, circuits.may("UpdateItem"));

  return {
    ...{ plants, events, rollups, alerts, circuits, connections, settings, syncRuns, records, webhookEvents },
    ...{ detection, reports, erasures, exports, exportedFiles, notifications, retention, syncInterval },
    queueNotifications,
    ...{ feed, listFeed },
    ...{ publish, raiseAlerts, recordSecurityEvents, recordRefusals, takeIdempotencyKeys },
    ...{ sealForClients, readCircuits, changeCircuits },
  };
};
export type AccessParts = ReturnType<typeof accessParts>;
