import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "@jest/globals";
import { createErased } from "../../../infra/recovery/erased-since.ts";
import { restoreDeleted, restoredName } from "../../../infra/recovery/restored-table.ts";
import { nothingRemoved } from "../../../shared/erasure/erasure.ts";
import { lateItemOf } from "../../../shared/erasure/late-store.ts";
import { laterErasures } from "../../../shared/erasure/repeat-store.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";

/** A client that answers by the command's name, and keeps the commands. */
const clientWith = (answers: Readonly<Record<string, object>>) => {
  const sent: [string, unknown][] = [];
  const send = async (command: { constructor: { name: string }; input: unknown }) => {
    const name = command.constructor.name.replace(/Command$/, "");
    sent.push([name, command.input]);
    return answers[name] ?? {};
  };
  return { sent, client: { send } as unknown as DynamoDBClient };
};

describe("a deleted table", () => {
  it("comes back under its name from the latest backup, with the settings that a restore leaves out", async () => {
    const backup = (day: number) => ({ BackupArn: `backup-${day}`, BackupCreationDateTime: new Date(2026, 10, day) });
    const { client, sent } = clientWith({
      ListBackups: { BackupSummaries: [backup(1), backup(3), backup(2)] },
      DescribeTable: { Table: { TableStatus: "ACTIVE" } },
    });
    await restoreDeleted(client, "syncRuns", "Runs");
    expect(sent.filter(([name]) => name !== "DescribeTable")).toEqual([
      ["ListBackups", { TableName: "Runs", BackupType: "SYSTEM" }],
      ["RestoreTableFromBackup", { TargetTableName: "Runs", BackupArn: "backup-3" }],
      ["UpdateTimeToLive", { TableName: "Runs", TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true } }],
      [
        "UpdateContinuousBackups",
        {
          TableName: "Runs",
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 },
        },
      ],
      ["UpdateTable", { TableName: "Runs", DeletionProtectionEnabled: true }],
    ]);
  });

  it("cannot come back without a backup", async () => {
    await expect(restoreDeleted(clientWith({ ListBackups: {} }).client, "records", "Records")).rejects.toThrow(
      "DynamoDB has no backup of the deleted table Records.",
    );
  });
});

describe("a restored table", () => {
  it("has a name that says of which time it is", () => {
    expect(restoredName("Records", new Date("2026-11-27T12:00:00.123Z"))).toBe("Records-restored-20261127T120000Z");
  });
});

describe("the erasures since a restored point", () => {
  const since = Date.UTC(2026, 10, 20);
  const erasure = (id: string, what: "all" | "user", completedAt?: number) => ({
    scope: organizationKey("acme"),
    key: `erasure#${id}`,
    what,
    status: completedAt === undefined ? "running" : "completed",
    requestedAt: 1,
    requestedBy: "ada",
    removed: nothingRemoved,
    ...(completedAt !== undefined && { completedAt }),
  });
  const rule = (id: string, userId: string) => lateItemOf("acme", { id, what: "user", userId, requestedAt: since });
  const later = (...items: { scope: string; key: string }[]) => laterErasures(items, since);

  it("are those that were open or completed after it", () => {
    const found = later(
      erasure("before", "user", since - 1),
      erasure("after", "user", since),
      rule("after", "bob"),
      erasure("open", "all"),
    );
    expect(found.map(({ id, isOpen, digest }) => [id, isOpen, digest !== undefined])).toEqual([
      ["after", false, true],
      ["open", true, false],
    ]);
  });

  it.each([
    ["a text", { userId: { S: "auth0|bob" } }],
    ["a word of a text", { errorMessage: { S: "refused (auth0|bob), again" } }],
    ["JSON in a text", { metadata: { S: '{"by":"auth0|bob"}' } }],
    ["a part of a key", { userKey: { S: "org#acme#auth0%7Cbob" } }],
    ["a list in a map", { evidence: { M: { users: { L: [{ S: "auth0|bob" }] } } } }],
  ])("find the user's id in %s", (_, attributes) => {
    const erased = createErased("securityEvents", later(erasure("1", "user", since), rule("1", "auth0|bob")));
    erased.lookAt({ scope: { S: organizationKey("other") }, ...attributes });
    expect(erased.toRepeat()).toEqual([]);
    erased.lookAt({ scope: { S: organizationKey("acme") }, ...attributes });
    expect(erased.toRepeat().map(({ userId }) => userId)).toEqual(["auth0|bob"]);
  });

  it("keep everything of an erased organization away, but for plants", () => {
    const found = later(erasure("1", "all", since));
    const isAway = (table: "records" | "plants" | "settings", item: Record<string, { S: string }>) =>
      createErased(table, found).isOfErasedOrganization(item);
    expect(isAway("records", { scope: { S: organizationKey("acme") } })).toBe(true);
    expect(isAway("settings", { id: { S: organizationKey("acme") } })).toBe(true);
    expect(isAway("records", { scope: { S: organizationKey("acme-2") } })).toBe(false);
    expect(isAway("records", { scope: { S: "none#3" } })).toBe(false);
    expect(isAway("plants", { scope: { S: organizationKey("acme") } })).toBe(false);
  });
});
