import { describe, expect, it } from "@jest/globals";
import { createPartitions } from "../../../shared/erasure/partition-store.ts";
import { createTable, getItem, putItem } from "../../../shared/runtime/table.ts";
import { pagesOf } from "../../../shared/work/location.ts";
import { followPlan } from "../../faults/fault-plan.ts";
import { startFaultProxy } from "../../faults/fault-proxy.ts";
import { usePerFile } from "../../support/use-started.ts";
import { useDatabase } from "../../support/use-table.ts";

const database = useDatabase("records");
const records = database.table("records");

const proxy = usePerFile(() => startFaultProxy(database.running().endpoint));

describe("a partition", () => {
  it("is read to its end, in pages of at most 1 MB", async () => {
    const keys = ["one", "two", "three", "four"].sort();
    for (const key of keys) await putItem(records, { scope: "org#large", key, text: "x".repeat(380_000) });
    const pages: string[][] = [];
    const partition = createPartitions((name) => database.table(name))("large").records;
    for await (const items of pagesOf(partition)) pages.push(items.map(({ sortKey }) => sortKey));
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flat()).toEqual(keys);
  });
});

describe("an item that a transaction holds", () => {
  it("is cleaned by another attempt, so that the next pass does not count it again", async () => {
    const key = { scope: "org#acme", key: "one" };
    await putItem(records, { ...key, userId: "eve" });
    const throughProxy = database.clientAt(proxy.url);
    const partition = createPartitions((name) => createTable(throughProxy, name))("acme").records;
    proxy.use(followPlan({ call: "dynamodb:UpdateItem:records#1", fault: "conflict", times: "twice" }));
    await partition.apply([{ key: "one", change: { remove: ["userId"], set: {} } }]);
    proxy.use(undefined);
    expect(await getItem(records, key)).toEqual(key);
  });
});
