import { describe, expect, it } from "@jest/globals";
import { putItem } from "../../../shared/runtime/table.ts";
import { OPEN_HOURS, PENDING_WEBHOOKS } from "../../../shared/terms/tables.ts";
import { createDueMarkStore } from "../../../shared/work/due-mark-store.ts";
import { defineShardedIndex } from "../../../shared/work/sharded-index.ts";
import { listWaiting } from "../../../shared/work/sharded-index-store.ts";
import { useDatabase } from "../../support/use-table.ts";

const database = useDatabase("securityRollups", "webhookEvents");
const waiting = defineShardedIndex(OPEN_HOURS, { count: 3 });
const marks = createDueMarkStore(database.table("securityRollups"), waiting);

const listed = async (last?: string) => {
  const found: string[] = [];
  for await (const { scope, period, token } of marks.list(last)) found.push(`${scope} ${period} ${token ?? "-"}`);
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
      scope: "org#a",
      period: "2026-11-21",
      openShard: waiting.shardOf("org#a"),
      ttl: 7,
    });
    expect(waiting.shards).toContain(waiting.shardOf("org#a"));
  });
});

describe("items that wait in an index", () => {
  it("are those from before a time, up to a limit per shard, oldest first", async () => {
    const table = database.table("webhookEvents");
    const pending = defineShardedIndex(PENDING_WEBHOOKS, { count: 3 });
    for (const [pendingShard, receivedAt] of [
      ["0", 30] as const,
      ["0", 10] as const,
      ["0", 20] as const,
      ["2", 15] as const,
      ["2", 40] as const,
    ]) {
      await putItem(table, { scope: "waiting", id: `${pendingShard} ${receivedAt}`, pendingShard, receivedAt });
    }
    const waitingBefore = async (before: number, limit: number) => {
      const items = await listWaiting(table, pending, { before, limit });
      return items.map(({ id }) => id);
    };
    await expect(waitingBefore(40, 10)).resolves.toEqual(["0 10", "0 20", "0 30", "2 15"]);
    await expect(waitingBefore(100, 2)).resolves.toEqual(["0 10", "0 20", "2 15", "2 40"]);
    await expect(waitingBefore(10, 10)).resolves.toEqual([]);
  });
});
