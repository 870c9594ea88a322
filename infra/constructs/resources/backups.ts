import { Duration, Validations } from "aws-cdk-lib";
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from "aws-cdk-lib/aws-backup";
import { Schedule } from "aws-cdk-lib/aws-events";
import { Construct } from "constructs";
import type { TableName } from "../../../shared/terms/tables.ts";
import type { DeploymentConfig } from "./deployment-config.ts";
import { removalPolicyOf } from "./removal-policy.ts";
import type { Tables } from "./tables.ts";

/** Their items live for a day: a restored one would answer for a request that nobody repeats any more. */
const WITHOUT_BACKUP: readonly TableName[] = ["idempotencyKeys"];

type Config = Pick<DeploymentConfig, "isProtected" | "backupDays" | "backupCopyVaultArn">;

/**
 * A backup of each table once a day, in a vault that the stack keeps, with a copy in a vault of another region if one is
 * given. Both are deleted after `backupDays`, because an erasure promises that no copy is left after 30 days.
 */
export class Backups extends Construct {
  readonly vault: BackupVault;

  constructor(scope: Construct, id: string, { tables, config }: { tables: Tables; config: Config }) {
    super(scope, id);
    const deleteAfter = Duration.days(config.backupDays);
    const { backupCopyVaultArn: copyArn } = config;
    this.vault = new BackupVault(this, "Vault", { removalPolicy: removalPolicyOf(config) });
    const plan = new BackupPlan(this, "Plan", {
      backupVault: this.vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: "Daily",
          scheduleExpression: Schedule.cron({ hour: "3", minute: "0" }),
          deleteAfter,
          ...(copyArn !== undefined && {
            copyActions: [
              {
                destinationBackupVault: BackupVault.fromBackupVaultArn(this, "CopyVault", copyArn),
                deleteAfter,
              },
            ],
          }),
        }),
      ],
    });
    const backedUp = Object.entries(tables).filter(([name]) => !WITHOUT_BACKUP.includes(name as TableName));
    const selection = plan.addSelection("Tables", {
      resources: backedUp.map(([, table]) => BackupResource.fromDynamoDbTable(table)),
    });
    Validations.of(selection).acknowledge({
      id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]",
      reason:
        "AWS Backup's own policy for its role: it changes with what AWS Backup needs, and only AWS Backup has the role.",
    });
  }
}
