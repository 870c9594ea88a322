/** The context keys on backups and on a second region: docs/recovery.md. */
import * as z from "zod";
import { ContextError } from "./context-problems.ts";
import type { StatefulResource } from "./stateful-resources.ts";
import { wholeNumber } from "./whole-number.ts";

const isTrue = z.union([z.boolean(), z.stringbool()], { error: "expected true or false" }).default(false);

export const backupKeys = {
  /** Whether AWS Backup copies the tables once a day, at a cost. */
  backup: isTrue,
  /** Days after which a backup and its copy are deleted. Erasures promise that erased data is gone after 30 days. */
  backupDays: wholeNumber(1, 10).default(7),
  /** A vault of AWS Backup in another region, which gets a copy of each backup. */
  backupCopyVaultArn: z
    .string("expected the ARN of a backup vault")
    .regex(/^arn:[^:]+:backup:[^:]+:\d{12}:backup-vault:[A-Za-z0-9_-]{2,50}$/, "expected the ARN of a backup vault")
    .optional(),
  /** A KMS key that can be replicated to other regions. Only for new deployments: an existing key would be replaced. */
  multiRegionKey: isTrue,
};

type BackupContext = z.output<z.ZodObject<typeof backupKeys>>;
type Check = (payload: z.core.ParsePayload<BackupContext & { region?: string | undefined }>) => void;

export const backupChecks: readonly Check[] = [
  ({ value, issues }) => {
    if (value.backup || value.backupCopyVaultArn === undefined) return;
    issues.push({ code: "custom", input: value, message: "backupCopyVaultArn needs backup=true" });
  },
  ({ value: { region, backupCopyVaultArn: arn }, issues }) => {
    if (arn === undefined || region === undefined || arn.split(":")[3] !== region) return;
    const message = `backupCopyVaultArn is in ${region}, the region of the stack: give a vault of another region`;
    issues.push({ code: "custom", input: arn, message });
  },
];

type Baseline = Readonly<Record<string, Pick<StatefulResource, "type" | "fixed">>>;

/** Whether the KMS key of the deployed state can be replicated to other regions. */
export const hasMultiRegionKey = (baseline: Baseline): boolean =>
  Object.values(baseline).some(({ type, fixed }) => type === "AWS::KMS::Key" && fixed.MultiRegion === true);

/**
 * CloudFormation refuses to change a key of one region into one of several:
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-kms-key.html
 * @throws ContextError if the deployed state has a key of one region
 */
export const requireNewKey = (baseline: Baseline): void => {
  if (hasMultiRegionKey(baseline)) return;
  throw new ContextError(
    "multiRegionKey is for new deployments only: infra/stateful-resources.json, the deployed state, has a key of one region. " +
      "If nothing is deployed, write that file first: npm run baseline -- --accept --multi-region-key",
  );
};
