import { Duration, Validations } from "aws-cdk-lib";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import type { DeploymentConfig } from "./deployment-config.ts";
import { removalPolicyOf } from "./removal-policy.ts";

/**
 * The objects of the feed for a SIEM (shared/security/feed/feed-hour.ts): private, encrypted, only over TLS. They expire
 * with the events. There are no versions, so an erasure leaves no copy.
 */
export class FeedBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, config: Pick<DeploymentConfig, "stage" | "RETENTION_DAYS">) {
    super(scope, id);
    this.bucket = new Bucket(this, "Bucket", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: removalPolicyOf(config),
      lifecycleRules: [{ expiration: Duration.days(config.RETENTION_DAYS) }],
    });
    Validations.of(this.bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "Who may read the bucket is the deployment's choice; CloudTrail data events record reads, at a cost.",
    });
  }
}
