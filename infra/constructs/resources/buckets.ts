import { Duration, Validations } from "aws-cdk-lib";
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  ObjectLockRetention,
  StorageClass,
} from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import type { DeploymentConfig } from "./deployment-config.ts";
import { removalPolicyOf } from "./removal-policy.ts";

type Protection = Pick<DeploymentConfig, "isProtected">;

/** A private and encrypted bucket, only over TLS. @param withoutLog why it has no access log */
const addBucket = (
  scope: Construct,
  config: Protection,
  kept: Pick<BucketProps, "lifecycleRules" | "objectLockEnabled" | "objectLockDefaultRetention">,
  withoutLog: string,
): Bucket => {
  const bucket = new Bucket(scope, "Bucket", {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    ...kept,
    // CloudFormation deletes only an empty bucket: docs/upgrade.md, "Removals".
    removalPolicy: removalPolicyOf(config),
  });
  Validations.of(bucket).acknowledge({ id: "AwsSolutions-S1", reason: withoutLog });
  return bucket;
};

/**
 * The bucket whose objects are the files of exports (shared/exports/write-file.ts). The worker deletes files 7 days after
 * their export was complete. The lifecycle, which counts from the writing of a file, does so a day later.
 */
export class ExportsBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, config: Protection) {
    super(scope, id);
    this.bucket = addBucket(
      this,
      config,
      { lifecycleRules: [{ expiration: Duration.days(8), abortIncompleteMultipartUploadAfter: Duration.days(1) }] },
      "Every download link is recorded as a security event; the bucket's access log would need a bucket that outlives it.",
    );
  }
}

/**
 * The objects of the feed for a SIEM (shared/security/feed/feed-hour.ts). They expire with the events. There are no versions,
 * so an erasure leaves no copy.
 */
export class FeedBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, config: Protection & Pick<DeploymentConfig, "RETENTION_DAYS">) {
    super(scope, id);
    this.bucket = addBucket(
      this,
      config,
      { lifecycleRules: [{ expiration: Duration.days(config.RETENTION_DAYS) }] },
      "Who may read the bucket is the deployment's choice; CloudTrail data events record reads, at a cost.",
    );
  }
}

/** From then on the API reads no hour from the tables, and almost nobody reads its object. */
const RARELY_READ_DAYS = 90;
/** S3 bills the cheaper class for at least 30 days. https://aws.amazon.com/s3/pricing/ */
const MIN_DAYS_OF_CLASS = 30;

/**
 * The archive: the events of each hour of each organization (shared/archive/archive-hour.ts). The service deletes an object
 * when its hour ends. The lifecycle is the net, because it counts from the last writing of an object. There are no versions,
 * so an erasure leaves no copy.
 */
export class ArchiveBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, config: Protection & Pick<DeploymentConfig, "archiveMonths">) {
    super(scope, id);
    const days = config.archiveMonths * 31 + 1;
    const isLong = days >= RARELY_READ_DAYS + MIN_DAYS_OF_CLASS;
    const transitions = [
      { storageClass: StorageClass.INFREQUENT_ACCESS, transitionAfter: Duration.days(RARELY_READ_DAYS) },
    ];
    this.bucket = addBucket(
      this,
      config,
      { lifecycleRules: [{ expiration: Duration.days(days), ...(isLong && { transitions }) }] },
      "Only functions read the bucket. An export, which is a security event, shows its objects.",
    );
  }
}

/**
 * The signed checkpoints of the sealed log (shared/sealing/checkpoint-store.ts). They never expire and contain no personal
 * data, so they can be locked: then nobody can replace or delete one for the days of the lock.
 */
export class CheckpointsBucket extends Construct {
  readonly bucket: Bucket;

  constructor(
    scope: Construct,
    id: string,
    config: Protection & Pick<DeploymentConfig, "checkpointLock" | "checkpointLockDays">,
  ) {
    super(scope, id);
    const { checkpointLock: lock, checkpointLockDays: days } = config;
    const retentions = {
      none: undefined,
      governance: ObjectLockRetention.governance(Duration.days(days)),
      compliance: ObjectLockRetention.compliance(Duration.days(days)),
    };
    const retention = retentions[lock];
    this.bucket = addBucket(
      this,
      config,
      // A bucket cannot get a lock later, so every bucket can have one.
      { objectLockEnabled: true, ...(retention !== undefined && { objectLockDefaultRetention: retention }) },
      "The checkpoints are public to every organization of the deployment; the lock keeps them from being replaced.",
    );
  }
}
