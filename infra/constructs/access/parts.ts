import { Aws } from "aws-cdk-lib";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { CIRCUITS_NOT_CLOSED, type TableName } from "../../../shared/terms/tables.ts";
import {
  type Access,
  bucketAccess,
  type Grant,
  NO_ACCESS,
  tableAccess,
  together,
  variables,
} from "../resources/access.ts";
import type { CheckpointKey } from "../resources/checkpoint-key.ts";
import type { CredentialsKey } from "../resources/credentials-key.ts";
import type { DeploymentConfig } from "../resources/deployment-config.ts";
import type { ProviderSettings } from "../resources/provider-settings.ts";
import type { SealingKey } from "../resources/sealing-key.ts";
import type { Tables } from "../resources/tables.ts";

export type Resources = {
  tables: Tables;
  config: DeploymentConfig;
  credentialsKey: CredentialsKey;
  sealingKey: SealingKey;
  provider: ProviderSettings;
  exportsBucket: Bucket;
  notificationsToSend: Queue;
  /** The name of SES's configuration set; undefined if the deployment sends no mail. */
  mailConfigurationSet: string | undefined;
  /** Undefined if the deployment has no feed for a SIEM. */
  feedBucket: Bucket | undefined;
  /** Undefined if the deployment has no archive. */
  archiveBucket: Bucket | undefined;
  checkpointsBucket: Bucket;
  checkpointKey: CheckpointKey;
  /** The name of the sealed log. */
  checkpointOrigin: string;
};

const onAllObjects = (grant: Grant): Grant => ({
  ...grant,
  wildcardReason: "The bucket has the objects of all organizations, and nothing else is in it.",
});

/** The building blocks of rights: the access to each table, and rights that functions of several subjects share. */
export const accessParts = ({
  tables,
  config,
  sealingKey,
  exportsBucket,
  notificationsToSend,
  feedBucket,
  archiveBucket,
  checkpointsBucket,
  checkpointKey,
  checkpointOrigin,
}: Resources) => {
  const access = Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [name, tableAccess(name as TableName, table)]),
  ) as Record<TableName, ReturnType<typeof tableAccess>>;
  const { securityEvents, securityRollups, securityAlerts, circuits, connections, idempotencyKeys, settings } = access;
  const exportedFiles = bucketAccess("EXPORTS_BUCKET", exportsBucket);

  const retention = variables({ RETENTION_DAYS: String(config.RETENTION_DAYS) });
  const syncInterval = variables({ SYNC_INTERVAL_HOURS: String(config.SYNC_INTERVAL_HOURS) });

  const feedAccess = feedBucket && bucketAccess("FEED_BUCKET", feedBucket);
  /** The feed for a SIEM: actions on its objects. Without a feed, an empty variable and no right. */
  const feed = (...actions: readonly ("GetObject" | "PutObject" | "DeleteObject")[]): Access => ({
    grants: (actions.length === 0 ? undefined : feedAccess?.may(...actions).grants.map(onAllObjects)) ?? [],
    environment: { FEED_BUCKET: feedBucket?.bucketName ?? "" },
  });
  const listFeed = feedAccess?.list() ?? NO_ACCESS;

  const archiveAccess = archiveBucket && bucketAccess("ARCHIVE_BUCKET", archiveBucket);
  /** The archive: actions on its objects, and their list. Without an archive, empty variables and no right. */
  const archive = (...actions: readonly ("GetObject" | "PutObject" | "DeleteObject")[]): Access => ({
    grants:
      (actions.length === 0
        ? undefined
        : archiveAccess && together(archiveAccess.may(...actions), archiveAccess.list()).grants.map(onAllObjects)) ??
      [],
    environment: {
      ARCHIVE_BUCKET: archiveBucket?.bucketName ?? "",
      ARCHIVE_MONTHS: String(config.archiveMonths),
      RETENTION_DAYS: String(config.RETENTION_DAYS),
    },
  });

  const checkpointFiles = bucketAccess("CHECKPOINTS_BUCKET", checkpointsBucket);
  const readCheckpoints = together(checkpointFiles.may("GetObject"), checkpointFiles.list());
  const { checkpointCopyBucket: copies } = config;
  /** To sign the log's checkpoints and to store them. */
  const signCheckpoints = together(
    checkpointKey.sign,
    checkpointFiles.may("PutObject"),
    variables({ CHECKPOINT_ORIGIN: checkpointOrigin, CHECKPOINT_COPY_BUCKET: copies ?? "" }),
    copies === undefined
      ? NO_ACCESS
      : {
          grants: [
            {
              actions: ["s3:PutObject"],
              resources: [`arn:${Aws.PARTITION}:s3:::${copies}/checkpoints/*`],
              wildcardReason: "One object for each hour.",
            },
          ],
          environment: {},
        },
  );

  /** To hand deliveries over to the function that sends them. */
  const queueNotifications: Access = {
    grants: [{ actions: ["sqs:SendMessage"], resources: [notificationsToSend.queueArn] }],
    environment: { NOTIFICATIONS_QUEUE_URL: notificationsToSend.queueUrl },
  };

  const raiseAlerts = together(retention, securityAlerts.may("UpdateItem"));

  /** To resolve alerts whose cause is gone: a resolved alert moves to another key. */
  const resolveAlerts = together(retention, securityAlerts.may("GetItem", "PutItem", "DeleteItem"));

  /** To record security events and to raise their alerts. */
  const recordSecurityEvents = together(
    raiseAlerts,
    { ...NO_ACCESS, isRecorder: true },
    securityEvents.may("PutItem"),
    securityRollups.may("PutItem"),
    // Of the rules that judge failures and refusals at once.
    settings.may("GetItem"),
    variables({ SECURITY_LOG_LEVEL: config.SECURITY_LOG_LEVEL, ALERT_THRESHOLD: config.ALERT_THRESHOLD }),
  );

  /** To record refusals, which also claims their budget and adds to their counts. */
  const recordRefusals = together(
    recordSecurityEvents,
    securityEvents.may("UpdateItem"),
    securityRollups.may("UpdateItem"),
  );

  /** To read the settings, which decide whether a request is admitted. */
  const readSettings = settings.may("GetItem");

  /** To seal texts that only the service reads: cursors and OAuth states, which clients store, and stored answers. */
  const seal = sealingKey.read;

  /** To take an Idempotency-Key, which is released if the request is refused, and to seal the answer that is stored. */
  const takeIdempotencyKeys = together(idempotencyKeys.may("PutItem", "UpdateItem", "DeleteItem"), seal);

  /** Includes the number of connected organizations. */
  const readCircuits = together(
    connections.may("GetItem"),
    circuits.may("GetItem", "BatchGetItem"),
    circuits.query(CIRCUITS_NOT_CLOSED),
  );

  /** To run guarded calls or to operate circuits. Both count and read the totals of all circuits. */
  const changeCircuits = together(readCircuits, circuits.may("UpdateItem"));

  return {
    ...access,
    exportedFiles,
    retention,
    syncInterval,
    queueNotifications,
    resolveAlerts,
    feed,
    listFeed,
    archive,
    readCheckpoints,
    readCheckpointKeys: checkpointKey.read,
    signCheckpoints,
    raiseAlerts,
    recordSecurityEvents,
    recordRefusals,
    takeIdempotencyKeys,
    readSettings,
    seal,
    readCircuits,
    changeCircuits,
  };
};
export type AccessParts = ReturnType<typeof accessParts>;
