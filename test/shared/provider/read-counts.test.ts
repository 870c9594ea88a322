import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import {
  createReadCountStore,
  createReadCounts,
  monthOf,
  type ReadAddition,
} from "../../../shared/provider/read-count-store.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerFile } from "../../support/use-started.ts";
import { useEngine } from "../../support/use-table.ts";

const NOW = Date.UTC(2026, 10, 30, 23, 59, 59, 999);

describe("the month of a count", () => {
  it.each([
    [NOW, "2026-11"],
    [NOW + 1, "2026-12"],
  ])("is in UTC: %i", (time, month) => expect(monthOf(time)).toBe(month));
});

describe("the store of read counts", () => {
  const database = useEngine("syncRuns");
  const proxy = usePerFile(() => startLossyProxy(database.endpoint));
  const storeAt = (client = database.documentClient()) => createReadCountStore(createTable(client, "syncRuns"));

  it("adds up per organization and month", async () => {
    const store = storeAt();
    await expect(store.add("a#b", "2026-11", { count: 3, token: "1" })).resolves.toBe(3);
    await expect(store.add("a#b", "2026-11", { count: 4, token: "2" })).resolves.toBe(7);
    await store.add("a#b", "2026-12", { count: 5, token: "3" });
    await store.add("a", "2026-11", { count: 6, token: "4" });
    await expect(store.read("a#b", "2026-11")).resolves.toBe(7);
    await expect(store.read("a#b", "2026-12")).resolves.toBe(5);
    await expect(store.read("a", "2026-11")).resolves.toBe(6);
    await expect(store.read("nobody", "2026-11")).resolves.toBe(0);
    const { Item } = await database
      .documentClient()
      .send(new GetCommand({ TableName: "syncRuns", Key: { scope: "org#a%23b", key: "reads#2026-11" } }));
    expect(Item).toEqual({
      scope: "org#a%23b",
      key: "reads#2026-11",
      n: 7,
      token: "2",
      ttl: Date.UTC(2026, 10, 1) / 1_000 + 400 * 86_400,
    });
  });

  it("adds once if an answer is lost, and if the addition is repeated", async () => {
    const store = storeAt(database.clientAt(proxy.url));
    const addition = { count: 3, token: "once" };
    await store.add("lossy", "2026-11", addition);
    await store.add("lossy", "2026-11", addition);
    await expect(storeAt().read("lossy", "2026-11")).resolves.toBe(3);
  });

  it("throws store_unavailable if the store is unreachable", async () => {
    const away = storeAt(database.clientAt("http://127.0.0.1:1", 1));
    const refusal = { code: "store_unavailable" };
    await expect(away.add("a", "2026-11", { count: 1, token: "1" })).rejects.toMatchObject(refusal);
    await expect(away.read("a", "2026-11")).rejects.toMatchObject(refusal);
  });
});

describe("the counts of an instance", () => {
  quietLog();
  let now = NOW;
  let sent: [string, string, ReadAddition][] = [];
  let failures = 0;
  let tokens = 0;
  let total = 0;
  const counts = () =>
    createReadCounts({
      store: {
        add: async (organizationId, month, addition) => {
          sent.push([organizationId, month, addition]);
          if (failures-- > 0) throw new Error("away");
          total += addition.count;
          return total;
        },
      },
      clock: () => now,
      newToken: () => `token ${++tokens}`,
    });
  beforeEach(() => {
    now = NOW;
    sent = [];
    failures = 0;
    tokens = 0;
    total = 0;
  });

  it("sends each count once, and nothing without a read", async () => {
    const reads = counts();
    await reads.flush();
    for (let i = 0; i < 3; i++) reads.count("acme");
    now += 1;
    reads.count("acme");
    await Promise.all([reads.flush(), reads.flush()]);
    await reads.flush();
    expect(sent).toEqual([
      ["acme", "2026-11", { count: 3, token: "token 1" }],
      ["acme", "2026-12", { count: 1, token: "token 2" }],
    ]);
  });

  it("repeats a failed addition unchanged, then sends later counts, and never throws", async () => {
    const reads = counts();
    reads.count("acme");
    failures = 2;
    await reads.flush();
    reads.count("acme");
    reads.count("acme");
    await reads.flush();
    await reads.flush();
    const first = ["acme", "2026-11", { count: 1, token: "token 1" }];
    expect(sent).toEqual([first, first, first, ["acme", "2026-11", { count: 2, token: "token 2" }]]);
    await reads.flush();
    expect(sent).toHaveLength(4);
    expect(process.stdout.write).toHaveBeenCalledTimes(2);
  });

  it("log an organization's reads of the month each time another 1,000 are full", async () => {
    const reads = counts();
    for (const [before, count] of [
      [997, 2],
      [999, 1],
      [1_000, 5],
      [7_998, 3],
    ] as const) {
      total = before;
      for (let i = 0; i < count; i++) reads.count("acme");
      await reads.flush();
    }
    const lines = jest.mocked(process.stdout.write).mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines).toEqual(
      Array.from({ length: 2 }, () => ({
        level: "info",
        message: "Reads of the provider in a month",
        organizationId: "acme",
        month: "2026-11",
      })),
    );
  });
});
