import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { hasMultiRegionKey, requireNewKey } from "../../infra/backup-context.ts";
import { parseContext } from "../../infra/config.ts";
import { tables } from "../../shared/terms/tables.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { BACKUP_VAULT, productionAssembly } from "../support/production-assembly.ts";

type Resource = { Type: string; DeletionPolicy?: string; Properties: Record<string, unknown> };

const resourcesOf = (directory: string, stack: string): Resource[] =>
  Object.values(JSON.parse(readFileSync(join(directory, `${stack}.template.json`), "utf8")).Resources);
const ofType = (resources: readonly Resource[], type: string) => resources.filter(({ Type }) => Type.startsWith(type));

describe("backups", () => {
  it("are off by default", () => {
    expect(ofType(resourcesOf(assemblyDirectory, "plant-store-dev"), "AWS::Backup::")).toEqual([]);
  });

  it("are made daily of every table but the idempotency keys, and end with their copies", async () => {
    const resources = resourcesOf(await productionAssembly(), "plant-store-prod");
    const [plan] = ofType(resources, "AWS::Backup::BackupPlan");
    expect(plan?.Properties.BackupPlan).toMatchObject({
      BackupPlanRule: [
        {
          ScheduleExpression: "cron(0 3 * * ? *)",
          Lifecycle: { DeleteAfterDays: 5 },
          CopyActions: [{ DestinationBackupVaultArn: BACKUP_VAULT, Lifecycle: { DeleteAfterDays: 5 } }],
        },
      ],
    });
    const [selection] = ofType(resources, "AWS::Backup::BackupSelection");
    const chosen = selection?.Properties.BackupSelection as { Resources: unknown[] } | undefined;
    expect(chosen?.Resources).toHaveLength(Object.keys(tables).length - 1);
    expect(JSON.stringify(chosen)).not.toContain("IdempotencyKeys");
    const [vault] = ofType(resources, "AWS::Backup::BackupVault");
    expect(vault?.DeletionPolicy).toBe("RetainExceptOnCreate");
  });

  it("raise an alarm of the vault's own failures, also those of copies", async () => {
    const resources = resourcesOf(await productionAssembly(), "plant-store-prod");
    const [alarm] = ofType(resources, "AWS::CloudWatch::Alarm").filter(({ Properties }) =>
      String(Properties.AlarmName).endsWith("BackupsFailing"),
    );
    expect(alarm?.Properties).toMatchObject({
      AlarmDescription: expect.stringMatching(/#backupsfailing$/),
      Threshold: 1,
      EvaluationPeriods: 1,
      TreatMissingData: "notBreaching",
    });
    const metrics = alarm?.Properties.Metrics as { MetricStat?: { Metric: { MetricName: string } } }[];
    const watched = metrics.flatMap(({ MetricStat }) => (MetricStat === undefined ? [] : [MetricStat.Metric]));
    expect(watched.map(({ MetricName }) => MetricName)).toEqual([
      "NumberOfBackupJobsFailed",
      "NumberOfBackupJobsAborted",
      "NumberOfBackupJobsExpired",
      "NumberOfCopyJobsFailed",
    ]);
    for (const metric of watched)
      expect(metric).toMatchObject({
        Namespace: "AWS/Backup",
        Dimensions: [
          {
            Name: "BackupVaultName",
            Value: { "Fn::GetAtt": [expect.stringMatching(/^BackupsVault/), "BackupVaultName"] },
          },
        ],
      });
  });

  it.each([
    [{ backupDays: "11" }, /^the context key backupDays is "11": expected a whole number from 1 to 10/],
    [
      { backup: "true", backupCopyVaultArn: "copies" },
      /backupCopyVaultArn is "copies": expected the ARN of a backup vault/,
    ],
    [{ backupCopyVaultArn: BACKUP_VAULT }, /backupCopyVaultArn needs backup=true/],
    [{ backup: "true", region: "eu-west-1", backupCopyVaultArn: BACKUP_VAULT }, /give a vault of another region/],
  ])("are refused with %j", (keys, sentence) => {
    expect(() => parseContext(keys)).toThrow(sentence);
  });
});

describe("a key of several regions", () => {
  const baselineWith = (fixed: object) => ({ Key: { type: "AWS::KMS::Key", fixed: { ...fixed } } });

  it("is refused where the deployed state has a key of one region", () => {
    expect(() => parseContext({ multiRegionKey: "true" })).toThrow(
      "multiRegionKey is for new deployments only: infra/stateful-resources.json, the deployed state, has a key of one region.",
    );
    expect(() => requireNewKey(baselineWith({}))).toThrow("multiRegionKey");
  });

  it("is accepted where the deployed state has one, and in the local cloud", () => {
    expect(() => requireNewKey(baselineWith({ MultiRegion: true }))).not.toThrow();
    expect(hasMultiRegionKey(baselineWith({ MultiRegion: true }))).toBe(true);
    expect(parseContext({ multiRegionKey: "true" }, undefined, undefined, { isLocal: true }).multiRegionKey).toBe(true);
  });
});
