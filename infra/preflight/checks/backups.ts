import { orUndefined } from "../../aws/call-aws.ts";
import { type Check, type Finding, failed, ok, regionOfArn, skipped, type Target, warning } from "../finding.ts";
import { describeBackupVault, describeRegionSettings } from "../read-operations.ts";

const OPT_IN = "aws backup update-region-settings --resource-type-opt-in-preference DynamoDB=true";
/** What copies to other regions need: https://docs.aws.amazon.com/aws-backup/latest/devguide/advanced-ddb-backup.html */
const ADVANCED = "aws backup update-region-settings --resource-type-management-preference DynamoDB=true";

const checkCopies = async ({ call, config }: Target, arn: string): Promise<Finding[]> => {
  const region = regionOfArn(arn);
  const name = arn.split(":").at(-1) ?? "";
  const vault = await orUndefined(call(describeBackupVault, { name }, region));
  if (vault === undefined) {
    return [
      failed(
        `The vault ${name} of backupCopyVaultArn does not exist in ${region}.`,
        `aws backup create-backup-vault --region ${region} --backup-vault-name ${name}`,
      ),
    ];
  }
  const { MinRetentionDays: least = 0 } = vault;
  return least > config.backupDays
    ? [
        failed(
          `The vault ${name} in ${region} keeps backups for at least ${least} days, longer than backupDays (${config.backupDays}).`,
          `Give another vault, or a backupDays of at least ${least}, at most 10.`,
        ),
      ]
    : [];
};

export const checkBackups: Check = async (target) => {
  const { backup, backupCopyVaultArn } = target.config;
  if (!backup) return [skipped("backup is not given: there is point-in-time recovery in this region only.")];
  const settings = await target.call(describeRegionSettings, {});
  const optIn = settings.ResourceTypeOptInPreference.DynamoDB === true;
  const isAdvanced = settings.ResourceTypeManagementPreference.DynamoDB === true;
  const findings = [
    // The plan names the tables, so AWS Backup takes them in any case. Restores and on-demand backups do not.
    ...(optIn ? [] : [warning(`AWS Backup is not opted in to DynamoDB in ${target.region}.`, OPT_IN)]),
    ...(backupCopyVaultArn === undefined || isAdvanced
      ? []
      : [failed("AWS Backup copies no DynamoDB backups to other regions without its advanced features.", ADVANCED)]),
    ...(backupCopyVaultArn === undefined ? [] : await checkCopies(target, backupCopyVaultArn)),
  ];
  return findings.length > 0 ? findings : [ok("AWS Backup can back the tables up.")];
};
