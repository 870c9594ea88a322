import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { createTable } from "../../../shared/runtime/table.ts";
import { deleteItems, getItems } from "../../../shared/runtime/table-batches.ts";
import { withScriptedClient } from "../../support/scripted-client.ts";
import { attempts } from "../../support/scripted-store.ts";

// Pauses before retries are random; these are of no length.
let random: jest.SpiedFunction<() => number>;
beforeEach(() => {
  random = jest.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => void jest.restoreAllMocks());

const keys = (count: number) => Array.from({ length: count }, (_, index) => ({ id: String(index) }));
const stored = (...ids: number[]) => ids.map((id) => ({ id: { S: String(id) } }));
const units = (count: number) => ({ ConsumedCapacity: [{ TableName: "items", CapacityUnits: count }] });

describe("reading the items of keys", () => {
  const read = async (script: Parameters<typeof withScriptedClient>[0], wanted = keys(2)) => {
    let result: unknown;
    const requests = await withScriptedClient(script, async (client) => {
      result = await getItems(createTable<"circuits">(client, "items"), wanted, { isConsistent: true }).catch(
        (error: unknown) => error,
      );
    });
    return { result, requests };
  };
  const left = (...ids: number[]) => ({ UnprocessedKeys: { items: { Keys: stored(...ids) } } });

  it("asks again for unprocessed keys, each time after a pause, and adds items and units", async () => {
    const { result, requests } = await read([
      attempts.succeed({ Responses: { items: stored(0) }, ...left(1), ...units(2) }),
      attempts.succeed({ ...left(1), ...units(0.5) }),
      attempts.succeed({ Responses: { items: stored(1) }, UnprocessedKeys: {}, ...units(1) }),
    ]);
    expect(result).toEqual({ items: keys(2), units: 3.5 });
    expect(requests).toEqual(
      [stored(0, 1), stored(1), stored(1)].map((Keys) => ({
        RequestItems: { items: { ConsistentRead: true, Keys } },
        ReturnConsumedCapacity: "TOTAL",
      })),
    );
    expect(random).toHaveBeenCalledTimes(2);
  });

  it("fails after four attempts, without losing what it cannot read", async () => {
    const { result, requests } = await read([attempts.succeed(left(1))]);
    expect(result).toMatchObject({ code: "store_unavailable" });
    expect(requests).toHaveLength(4);
    expect(random).toHaveBeenCalledTimes(3);
  });

  it("reads at most 100 keys by a call, and nothing without keys", async () => {
    const { result, requests } = await read([attempts.succeed()], keys(201));
    expect(result).toEqual({ items: [], units: 0 });
    const sizes = requests.map(
      ({ RequestItems }) => (RequestItems as { items: { Keys: unknown[] } }).items.Keys.length,
    );
    expect(sizes.toSorted((one, other) => one - other)).toEqual([1, 100, 100]);
    expect((await read([attempts.succeed()], [])).requests).toEqual([]);
    expect(random).not.toHaveBeenCalled();
  });
});

describe("deleting the items of keys", () => {
  const erase = async (script: Parameters<typeof withScriptedClient>[0], wanted = keys(2)) => {
    let error: unknown;
    const requests = await withScriptedClient(script, async (client) => {
      await deleteItems(createTable<"circuits">(client, "items"), wanted).catch((thrown: unknown) => {
        error = thrown;
      });
    });
    return { error, requests };
  };
  const requestsOf = (...ids: number[]) => ({ items: stored(...ids).map((Key) => ({ DeleteRequest: { Key } })) });

  it("sends unprocessed items again, each time after a pause", async () => {
    const { error, requests } = await erase([
      attempts.succeed({ UnprocessedItems: requestsOf(1) }),
      attempts.succeed({ UnprocessedItems: requestsOf(1) }),
      attempts.succeed(),
    ]);
    expect(error).toBeUndefined();
    expect(requests.map(({ RequestItems }) => RequestItems)).toEqual([requestsOf(0, 1), requestsOf(1), requestsOf(1)]);
    expect(random).toHaveBeenCalledTimes(2);
  });

  it("fails after eight attempts", async () => {
    const { error, requests } = await erase([attempts.succeed({ UnprocessedItems: requestsOf(1) })]);
    expect(error).toMatchObject({ code: "store_unavailable" });
    expect(requests).toHaveLength(8);
    expect(random).toHaveBeenCalledTimes(7);
  });

  it("sends at most 25 keys by a call, and no call without keys", async () => {
    const { requests } = await erase([attempts.succeed()], keys(51));
    const sizes = requests.map(({ RequestItems }) => (RequestItems as { items: unknown[] }).items.length);
    expect(sizes.toSorted((one, other) => one - other)).toEqual([1, 25, 25]);
    expect((await erase([attempts.succeed()], [])).requests).toEqual([]);
    expect(random).not.toHaveBeenCalled();
  });
});
