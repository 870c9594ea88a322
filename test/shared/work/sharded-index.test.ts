import { beforeAll, describe, expect, it } from "@jest/globals";
import { putItem } from "../../../shared/runtime/table.ts";
import { OPEN_EVENTS } from "../../../shared/terms/tables.ts";
import { defineShardedIndex } from "../../../shared/work/sharded-index.ts";
import { readIndex } from "../../../shared/work/sharded-index-store.ts";
import { useDatabase } from "../../support/use-table.ts";

const INDEX = defineShardedIndex(OPEN_EVENTS, { count: 3 });

/** Four of them are more than a page. */
const LARGE = "x".repeat(300_000);

const database = useDatabase("securityEvents");
const table = database.table("securityEvents");
beforeAll(async () => {
  const put = (openKey: string, at: string) => putItem(table, { scope: openKey, id: at, openKey, LARGE });
  for (const at of ["d", "a", "e", "c", "b"]) await put("0", at);
  for (const at of ["b", "a"]) await put("2", at);
});

const idsOf = async (last?: string): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { scope, id } of readIndex(table, INDEX, last)) ids.push(`${scope}${id}`);
  return ids;
};

describe("an index that is spread over shards", () => {
  it("is read to its end, shard by shard, page by page", async () => {
    await expect(idsOf()).resolves.toEqual(["0a", "0b", "0c", "0d", "0e", "2a", "2b"]);
  });

  it("is read up to a key, inclusive", async () => {
    await expect(idsOf("b")).resolves.toEqual(["0a", "0b", "2a", "2b"]);
  });

  it("fails once with the store's domain error, whichever shard failed", async () => {
    const nowhere = database.table("securityEvents", database.clientAt("http://127.0.0.1:1", 1));
    await expect(readIndex(nowhere, INDEX).next()).rejects.toMatchObject({
      code: "store_unavailable",
    });
  });

  it("may be left before its end", async () => {
    for await (const { scope, id } of readIndex(table, INDEX)) {
      expect(`${scope}${id}`).toBe("0a");
      break;
    }
  });
});
