import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import { createDueMarkStore, type DueMarkStore } from "../../../shared/work/due-mark-store.ts";
import { listWaiting } from "../../../shared/work/sharded-index-store.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { jobTable, TABLE, waiting } from "./job-table.ts";

let engine: EmbeddedDynamoDb;
let marks: DueMarkStore;
beforeAll(async () => {
  engine = await startEmbeddedDynamoDb(jobTable);
  marks = createDueMarkStore(engine.documentClient(documentTranslation), TABLE, waiting);
});
afterAll(() => engine.stop());

const listed = async (last?: string) => {
  const found: string[] = [];
  for await (const { scope, key, token } of marks.list(last)) found.push(`${scope} ${key} ${token ?? "-"}`);
  return found.sort();
};

describe("due marks", () => {
  it("are listed until they are cleared; marked again, work is due once", async () => {
    await marks.mark("org#a", "2026-11-21", { token: "1" });
    await marks.mark("org#a", "2026-11-21", { token: "2" });
    await marks.mark("org#a", "2026-11-22", {});
    await marks.mark("org#b", "2026-11-23", { token: "3", ttl: 7 });
    await expect(listed()).resolves.toEqual(["org#a 2026-11-21 2", "org#a 2026-11-22 -", "org#b 2026-11-23 3"]);
    await expect(listed("2026-11-22")).resolves.toEqual(["org#a 2026-11-21 2", "org#a 2026-11-22 -"]);
    await expect(marks.clear("org#a", "2026-11-21", "1")).resolves.toBe(false);
    await expect(marks.clear("org#a", "2026-11-21", "2")).resolves.toBe(true);
    await expect(marks.clear("org#a", "2026-11-22")).resolves.toBe(true);
    await expect(marks.clear("org#a", "2026-11-22")).resolves.toBe(true);
    await expect(listed()).resolves.toEqual(["org#b 2026-11-23 3"]);
  });

  it("lie in the shard of their scope", () => {
    expect(marks.itemOf("org#a", "2026-11-21", { ttl: 7 })).toEqual({
      ...{ scope: "org#a", key: "2026-11-21", shard: waiting.shardOf("org#a"), ttl: 7 },
    });
    expect(waiting.shards).toContain(waiting.shardOf("org#a"));
  });
});

describe("items that wait in an index", () => {
  it("are those from before a time, up to a limit per shard, oldest first", async () => {
    const client = engine.documentClient(documentTranslation);
    for (const [shard, at] of [
      ...[["0", 30] as const, ["0", 10] as const, ["0", 20] as const],
      ...[["2", 15] as const, ["2", 40] as const],
    ]) {
      await client.send(
        new PutCommand({ TableName: TABLE, Item: { scope: "waiting", key: `${shard} ${at}`, shard, at } }),
      );
    }
    const byTime = { ...waiting, name: "byTime", sortKey: "at" };
    const waitingBefore = async (before: number, limit: number) => {
      const items = await listWaiting(client, TABLE, byTime, { before, limit });
      return items.map(({ key }) => key);
    };
    await expect(waitingBefore(40, 10)).resolves.toEqual(["0 10", "0 20", "0 30", "2 15"]);
    await expect(waitingBefore(100, 2)).resolves.toEqual(["0 10", "0 20", "2 15", "2 40"]);
    await expect(waitingBefore(10, 10)).resolves.toEqual([]);
  });
});
