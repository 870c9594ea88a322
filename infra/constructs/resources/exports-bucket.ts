import { Duration, Validations } from "aws-cdk-lib";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import type { DeploymentConfig } from "./deployment-config.ts";
import { removalPolicyOf } from "./removal-policy.ts";

/**
 * The bucket whose objects are the files of exports (shared/exports/write-file.ts): private and encrypted. The worker deletes
 * files 7 days after their export was complete. The lifecycle, which counts from the writing of a file, does so a day later.
 */
export class ExportsBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, config: Pick<DeploymentConfig, "stage">) {
    super(scope, id);
    this.bucket = new Bucket(this, "Bucket", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [{ expiration: Duration.days(8), abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      // CloudFormation deletes only an empty bucket: docs/upgrade.md, "Removals".
      removalPolicy: removalPolicyOf(config),
    });
    Validations.of(this.bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason:
        "Every download link is recorded as a security event; the bucket's access log would need a bucket that outlives it.",
    });
  }
}
