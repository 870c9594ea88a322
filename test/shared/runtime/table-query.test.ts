import { describe, expect, it } from "@jest/globals";
import { createTable } from "../../../shared/runtime/table.ts";
import { queryFilteredPage, queryPage, queryPages } from "../../../shared/runtime/table-query.ts";
import { withScriptedClient } from "../../support/scripted-client.ts";
import { attempts } from "../../support/scripted-store.ts";

const query = { where: "#p = :p", values: { p: "a" } };
const stored = (n: number) => ({ id: { S: String(n) } });
const item = (n: number) => ({ id: String(n) });

type Answer = { count: number; more?: boolean; units?: number };

/** Answers with this many items, numbered on; `more` names the last of them as the position of the next call. */
const scriptOf = (answers: readonly Answer[]) => {
  let last = 0;
  return answers.map(({ count, more = false, units }) => {
    const Items = Array.from({ length: count }, (_, index) => stored(last + index + 1));
    last += count;
    return attempts.succeed({
      ...(count > 0 && { Items }),
      ...(more && { LastEvaluatedKey: stored(last) }),
      ...(units !== undefined && { ConsumedCapacity: { TableName: "items", CapacityUnits: units } }),
    });
  });
};
const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, index) => item(from + index));

describe("a page of a partition", () => {
  const pageOf = async (answers: Answer[], limit: number, options: { maxCalls?: number; start?: number } = {}) => {
    let page: unknown;
    const { maxCalls, start } = options;
    const asked = { ...query, ...(start !== undefined && { after: item(start) }) };
    const requests = await withScriptedClient(scriptOf(answers), async (client) => {
      page = await queryPage(createTable(client, "items"), asked, limit, maxCalls);
    });
    return { page, calls: requests.map(({ Limit, ExclusiveStartKey }) => [Limit, ExclusiveStartKey]) };
  };
  const more = true;

  it.each<[string, Answer[], number, object, [number, object?][]]>([
    ["shorter than the limit", [{ count: 2 }], 3, { items: numbers(2), hasMore: false }, [[4]]],
    ["as long as the limit", [{ count: 3 }], 3, { items: numbers(3), hasMore: false }, [[4]]],
    ["longer than the limit", [{ count: 4 }], 3, { items: numbers(3), hasMore: true }, [[4]]],
    ["longer, with a position", [{ count: 4, more }], 3, { items: numbers(3), hasMore: true }, [[4]]],
    ["empty", [{ count: 0 }], 3, { items: [], hasMore: false }, [[4]]],
    [
      "of two calls, as long as the limit",
      [{ count: 1, more }, { count: 2 }],
      3,
      { items: numbers(3), hasMore: false },
      [[4], [3, stored(1)]],
    ],
    [
      "as long as the limit, which the next call shows",
      [{ count: 3, more }, { count: 0 }],
      3,
      { items: numbers(3), hasMore: false },
      [[4], [1, stored(3)]],
    ],
    [
      "of four calls, with more to come",
      [{ count: 1, more }, { count: 0, more }, { count: 1, more }, { count: 1, more }, { count: 9 }],
      3,
      { items: numbers(3), hasMore: true },
      [[4], [3, stored(1)], [3, stored(1)], [2, stored(2)]],
    ],
  ])("may be %s", async (_what, answers, limit, page, calls) => {
    await expect(pageOf(answers, limit)).resolves.toEqual({ page, calls: calls.map(([l, start]) => [l, start]) });
  });

  it("begins after the given key, and makes only the given number of calls", async () => {
    const { page, calls } = await pageOf([{ count: 1, more }, { count: 2 }], 3, { maxCalls: 1, start: 7 });
    expect(page).toEqual({ items: numbers(1), hasMore: true });
    expect(calls).toEqual([[4, stored(7)]]);
  });
});

describe("a page of what a filter lets through", () => {
  const pageOf = async (answers: Answer[], limit: number, start?: number) => {
    let page: unknown;
    const asked = { ...query, ...(start !== undefined && { after: item(start) }) };
    const requests = await withScriptedClient(scriptOf(answers), async (client) => {
      page = await queryFilteredPage(createTable(client, "items"), asked, limit);
    });
    for (const request of requests) expect(request.ReturnConsumedCapacity).toBe("TOTAL");
    return { page, steps: requests.map(({ Limit }) => Limit), starts: requests.map((one) => one.ExclusiveStartKey) };
  };
  const more = true;

  it("ends with the partition", async () => {
    await expect(pageOf([{ count: 3, units: 1 }], 3)).resolves.toMatchObject({
      page: { items: numbers(3), last: undefined },
      steps: [4],
    });
  });

  it("names the last shown item if there are more", async () => {
    const expected = { page: { items: numbers(3), last: item(3) }, steps: [4] };
    await expect(pageOf([{ count: 4, units: 1 }], 3)).resolves.toMatchObject(expected);
    await expect(pageOf([{ count: 4, more, units: 512 }], 3)).resolves.toMatchObject(expected);
  });

  it("asks for twice as many each time, and at most for 1,000, from where it stopped", async () => {
    const answers = [
      ...Array.from({ length: 9 }, (_, n) => ({ count: n === 1 ? 1 : 0, more, units: 1 })),
      { count: 0 },
    ];
    const { page, steps, starts } = await pageOf(answers, 4, 9);
    expect(page).toEqual({ items: [item(1)], last: undefined });
    expect(steps).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]);
    expect(starts.slice(0, 4)).toEqual([stored(9), stored(0), stored(1), stored(1)]);
  });

  it.each([
    [
      "goes on while 128 units of 512 are left",
      [
        { count: 1, more, units: 384 },
        { count: 1, units: 1 },
      ],
      2,
      undefined,
    ],
    ["ends before it could read more than 512 units", [{ count: 1, more, units: 384.5 }], 1, item(1)],
    [
      "adds the units of its calls",
      [
        { count: 1, more, units: 300 },
        { count: 0, more, units: 85 },
      ],
      1,
      item(1),
    ],
    [
      "counts 128 units for a call that names none",
      [
        { count: 1, more },
        { count: 0, more },
        { count: 0, more },
        { count: 0, more },
      ],
      1,
      item(1),
    ],
  ])("%s", async (_what, answers, count, last) => {
    const { page, steps } = await pageOf(answers, 3);
    expect(page).toEqual({ items: numbers(count), last });
    expect(steps).toHaveLength(answers.length);
  });
});

it("all pages of a query come one after another, also empty ones", async () => {
  const pages: unknown[] = [];
  const script = scriptOf([{ count: 2, more: true }, { count: 0, more: true }, { count: 1 }]);
  const requests = await withScriptedClient(script, async (client) => {
    for await (const page of queryPages(createTable(client, "items"), query)) pages.push(page);
  });
  expect(pages).toEqual([numbers(2), [], numbers(1, 3)]);
  expect(requests.map(({ ExclusiveStartKey }) => ExclusiveStartKey)).toEqual([undefined, stored(2), stored(2)]);
});
