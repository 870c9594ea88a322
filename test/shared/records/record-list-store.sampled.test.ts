import { beforeAll, describe, expect, it } from "@jest/globals";
import type { RecordType } from "../../../shared/records/record.ts";
import type { ListedId, StoredRecord } from "../../../shared/records/record-item.ts";
import type { RecordPosition, RecordQuery } from "../../../shared/records/record-query.ts";
import { inParallel } from "../../../shared/runtime/in-parallel.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { depth, isDeep } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { type RecordStores, recordStoresOver, startRecordTable } from "../../support/record-table.ts";
import { CREATED_AT, customer, invoice, payment, seen, storedAs, subscription } from "../../support/records.ts";
import { usePerFile } from "../../support/use-started.ts";

const table = usePerFile(startRecordTable);
let store: RecordStores;
beforeAll(() => {
  store = table.stores();
});

const put = (organization: string, records: readonly StoredRecord[]) =>
  inParallel(records, 25, async (record) => void (await store.put(organization, record, undefined)));

const listAll = async (organization: string, type: RecordType, query: RecordQuery = {}, limit = 1000) => {
  const pages: string[][] = [];
  let after: RecordPosition | undefined;
  do {
    const page = await store.list(organization, type, query, { limit, after });
    pages.push(page.items.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  return pages;
};

const idsOf = async (ids: AsyncGenerator<ListedId, void, void>): Promise<ListedId[]> => {
  const found: ListedId[] = [];
  for await (const id of ids) found.push(id);
  return found;
};

const paymentAt = (createdAt: number, id: string, changes: Partial<StoredRecord> = {}): StoredRecord => ({
  ...storedAs(payment(seen(1), {}, id)),
  createdAt,
  ...changes,
});

describe("a listed record", () => {
  it("has exactly the fields of its type, with null if it was deleted", async () => {
    const organization = table.newOrganization();
    const common = { createdAt: CREATED_AT, updatedAt: CREATED_AT, deleted: false };
    const states = [customer(seen(1)), subscription(seen(1)), invoice(seen(1)), payment(seen(1))];
    await put(organization, states.map(storedAs));
    for (const { type, id, fields } of states) {
      const { items, next } = await store.list(organization, type, {}, { limit: 10, after: undefined });
      expect(items).toStrictEqual([{ id, type, ...common, ...fields }]);
      expect(next).toBeUndefined();
    }
    const other = table.newOrganization();
    await put(
      other,
      states.map((state) => ({ ...storedAs(state), fields: undefined })),
    );
    for (const { type, id, fields } of states) {
      const nulls = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
      const { items } = await store.list(other, type, {}, { limit: 10, after: undefined });
      expect(items).toStrictEqual([{ id, type, ...common, deleted: true, ...nulls }]);
    }
  });
});

describe("a list", () => {
  it("is newest first, whatever the page size, each record once", async () => {
    const organization = table.newOrganization();
    const times = [0, 1, 999, CREATED_AT, CREATED_AT, CREATED_AT + 1, 2 * CREATED_AT];
    const records = times.map((createdAt, i) => paymentAt(createdAt, `pi_${i}`));
    await put(organization, records);
    const expected = ["pi_6", "pi_5", "pi_4", "pi_3", "pi_2", "pi_1", "pi_0"];
    for (const query of [{}, { customerId: "cus_1" }, { status: "processing" }, { updatedSince: 1 }]) {
      for (let limit = 1; limit <= records.length + 1; limit++) {
        const pages = await listAll(organization, "payments", query, limit);
        expect(pages.flat()).toEqual(expected);
        expect(pages.length).toBe(Math.ceil(records.length / limit));
      }
    }
  });

  it("has the records that match its filters", async () => {
    const organization = table.newOrganization();
    const all = Array.from({ length: 60 }, (_, i): StoredRecord => {
      const fields = { customerId: `cus_${i % 3}`, status: i % 4 === 0 ? "succeeded" : "canceled" };
      return {
        ...storedAs(payment(seen(1), fields, `pi_${i}`)),
        createdAt: CREATED_AT + i,
        updatedAt: 1_000 + (i % 5),
      };
    });
    const graves = [
      { ...storedAs(payment(seen(1), {}, "pi_gone")), createdAt: 5, updatedAt: 1_004, fields: undefined },
    ];
    await put(organization, [...all, ...graves]);
    const query = fc.record(
      {
        customerId: fc.constantFrom("cus_0", "cus_1", "cus", "cus_1#"),
        status: fc.constantFrom("succeeded", "canceled", "other"),
        updatedSince: fc.integer({ min: 999, max: 1_006 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 30 }), async (asked, limit) => {
        const { customerId, status, updatedSince = 0 } = asked;
        const expected = [...all.toReversed(), ...graves].filter(({ fields, updatedAt }) => {
          const { customerId: owner, status: word } = { customerId: null, status: null, ...fields };
          return (customerId ?? owner) === owner && (status ?? word) === word && updatedAt >= updatedSince;
        });
        const pages = await listAll(organization, "payments", asked, limit);
        expect(pages.flat()).toEqual(expected.map(({ id }) => id));
        expect(pages.every((page) => page.length <= limit)).toBe(true);
      }),
      { seed: 20_261_121, numRuns: depth(12, 60) },
    );
  });

  it("has the record with an id, if it matches the other filters, for one read", async () => {
    const organization = table.newOrganization();
    await put(organization, [
      paymentAt(1, "pi_1"),
      { ...paymentAt(2, "pi_2"), fields: undefined },
      storedAs(customer(seen(1), {}, "cus_1")),
    ]);
    const client = table.translated();
    const measure = countUnits(client);
    const { list } = recordStoresOver(client);
    const found = async (type: RecordType, query: RecordQuery) => {
      let ids: string[] = [];
      const { read } = await measure(async () => {
        const page = await list(organization, type, query, { limit: 5, after: undefined });
        expect(page.next).toBeUndefined();
        ids = page.items.map(({ id }) => id);
      });
      expect(read).toBeLessThanOrEqual(0.5);
      return ids;
    };
    expect(await found("payments", { id: "pi_1" })).toEqual(["pi_1"]);
    expect(await found("payments", { id: "pi_1", customerId: "cus_1", status: "processing" })).toEqual(["pi_1"]);
    expect(await found("payments", { id: "pi_1", customerId: "cus_2" })).toEqual([]);
    expect(await found("payments", { id: "pi_1", status: "succeeded" })).toEqual([]);
    expect(await found("payments", { id: "pi_1", updatedSince: CREATED_AT + 1 })).toEqual([]);
    expect(await found("payments", { id: "pi_2" })).toEqual(["pi_2"]);
    expect(await found("payments", { id: "pi_2", customerId: "cus_1" })).toEqual([]);
    expect(await found("payments", { id: "cus_1" })).toEqual([]);
    expect(await found("invoices", { id: "pi_1" })).toEqual([]);
    expect(await found("payments", { id: "🌵".repeat(256) })).toEqual([]);
    expect(await found("customers", { id: "cus_1", customerId: "cus_1" })).toEqual(["cus_1"]);
    expect(await found("customers", { id: "cus_1", customerId: "cus_2" })).toEqual([]);
    const after = { createdAt: 1, id: "pi_1" };
    expect(await store.list(organization, "payments", { id: "pi_1" }, { limit: 5, after })).toMatchObject({
      items: [],
    });
  });

  it("has the records with some ids, newest first, if they match the other filters, for half a read unit each", async () => {
    const organization = table.newOrganization();
    const stored = [paymentAt(1, "pi_1"), paymentAt(3, "pi_2"), paymentAt(3, "pi_3"), paymentAt(2, "pi_4")];
    await put(organization, [...stored, paymentAt(4, "pi_5")]);
    const ids = ["pi_1", "pi_2", "pi_3", "pi_4", "pi_unknown", "🌵".repeat(256)];
    const client = table.translated();
    const measure = countUnits(client);
    const { read } = await measure(async () => {
      const page = await recordStoresOver(client).list(
        organization,
        "payments",
        { ids },
        { limit: 50, after: undefined },
      );
      expect(page).toMatchObject({ items: ["pi_3", "pi_2", "pi_4", "pi_1"].map((id) => ({ id })), next: undefined });
    });
    expect(read).toBeLessThanOrEqual(2.5);
    expect(await listAll(organization, "payments", { ids }, 2)).toEqual([
      ["pi_3", "pi_2"],
      ["pi_4", "pi_1"],
    ]);
    expect(await listAll(organization, "payments", { ids, id: "pi_1" })).toEqual([["pi_1"]]);
    expect(await listAll(organization, "payments", { ids, id: "pi_5" })).toEqual([[]]);
    expect(await listAll(organization, "payments", { ids, status: "succeeded" })).toEqual([[]]);
    expect(await listAll(table.newOrganization(), "payments", { ids })).toEqual([[]]);
  });

  it("of customers matches the customer itself", async () => {
    const organization = table.newOrganization();
    await put(
      organization,
      ["cus_1", "cus_2"].map((id) => storedAs(customer(seen(1), {}, id))),
    );
    const only = async (query: RecordQuery) => (await listAll(organization, "customers", query)).flat();
    await expect(only({ customerId: "cus_2" })).resolves.toEqual(["cus_2"]);
    await expect(only({ customerId: "cus_3" })).resolves.toEqual([]);
    await expect(only({ customerId: "cus_2", updatedSince: CREATED_AT })).resolves.toEqual(["cus_2"]);
    await expect(only({ customerId: "cus_2", updatedSince: CREATED_AT + 1 })).resolves.toEqual([]);
    await expect(only({ status: "active" })).rejects.toMatchObject({ code: "invalid_field" });
    const after = { createdAt: CREATED_AT, id: "cus_2" };
    await expect(store.list(organization, "customers", { customerId: "cus_2" }, { limit: 5, after })).resolves.toEqual({
      items: [],
      next: undefined,
    });
  });

  it("shows no records of other organizations and types, whatever their names contain", async () => {
    const organization = table.newOrganization();
    await put(organization, [paymentAt(1, "pi_1")]);
    await put(`${organization}#payments`, [paymentAt(1, "pi_2")]);
    for (const other of [`${organization}#`, organization.toUpperCase(), `${organization}%23payments`]) {
      await expect(listAll(other, "payments")).resolves.toEqual([[]]);
      await expect(listAll(other, "payments", { customerId: "cus_1" })).resolves.toEqual([[]]);
    }
    await expect(listAll(organization, "payments")).resolves.toEqual([["pi_1"]]);
    await expect(listAll(organization, "invoices")).resolves.toEqual([[]]);
    await expect(listAll(organization, "invoices", { customerId: "cus_1" })).resolves.toEqual([[]]);
  });

  it.each(["#", "a#b", "%23", "🌵".repeat(256), "\u0000", "é", "x".repeat(256)])(
    "of the customer %j has only that customer's records",
    async (customerId) => {
      const organization = table.newOrganization();
      const own = storedAs(payment(seen(1), { customerId }, "own"));
      await put(organization, [own, storedAs(payment(seen(1), { customerId: `${customerId}x` }, "other"))]);
      await expect(listAll(organization, "payments", { customerId })).resolves.toEqual([["own"]]);
      await expect(listAll(organization, "customers", { customerId })).resolves.toEqual([[]]);
      await expect(store.get(organization, own)).resolves.toEqual(own);
    },
  );
});

describe.each(["x", "é", "€", "🌱"])("the longest ids of the character %s", (character) => {
  it.each([113, 128])("are stored and listed for an organization of %i characters", async (length) => {
    const organization = character.repeat(length);
    // The provider's ids have at most 255 UTF-16 units.
    const longest = (last: number) => character.repeat(Math.floor(254 / character.length)) + last;
    const customerId = longest(0);
    const ids = [longest(3), longest(2), longest(1)];
    await put(
      organization,
      ids.map((id) => storedAs(payment(seen(1), { customerId }, id))),
    );
    const onePerPage = ids.map((id) => [id]);
    await expect(listAll(organization, "payments", {}, 1)).resolves.toEqual(onePerPage);
    await expect(listAll(organization, "payments", { customerId }, 1)).resolves.toEqual(onePerPage);
    await expect(listAll(organization, "payments", { customerId: longest(1) })).resolves.toEqual([[]]);
  });
});

describe("the cost of a page", () => {
  it("is low for a page without filters", async () => {
    const organization = table.newOrganization();
    await put(
      organization,
      Array.from({ length: 100 }, (_, i) => paymentAt(i, `pi_${i}`)),
    );
    const client = table.translated();
    const measure = countUnits(client);
    const { list } = recordStoresOver(client);
    const { read } = await measure(() => list(organization, "payments", {}, { limit: 50, after: undefined }));
    expect(read).toBeLessThanOrEqual(6);
  });

  if (isDeep)
    it("is limited to 4 MB: the page ends, with a next page, even if it is empty", async () => {
      const organization = table.newOrganization();
      const failureCode = "x".repeat(20_000);
      const total = 300;
      await put(
        organization,
        Array.from({ length: total }, (_, i) => {
          const isOldest = i === 0;
          const fields = { failureCode, status: isOldest ? "succeeded" : "canceled" };
          return { ...storedAs(payment(seen(1), fields, `pi_${i}`)), createdAt: CREATED_AT + i };
        }),
      );
      const client = table.translated();
      const measure = countUnits(client);
      const { list } = recordStoresOver(client);
      const query = { status: "succeeded" };
      let page = await list(organization, "payments", query, { limit: 1, after: undefined });
      expect(page).toMatchObject({ items: [], next: expect.anything() });
      const found: string[] = [];
      let after = page.next;
      while (after !== undefined) {
        const { read } = await measure(async () => {
          page = await list(organization, "payments", query, { limit: 1, after });
        });
        expect(read).toBeLessThanOrEqual(512);
        found.push(...page.items.map(({ id }) => id));
        after = page.next;
      }
      expect(found).toEqual(["pi_0"]);
      const pages = await listAll(organization, "payments");
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.flat()).toEqual(Array.from({ length: total }, (_, i) => `pi_${total - 1 - i}`));
    });
});

describe("the ids of a type", () => {
  it("are complete and in order over several calls, with deleted records marked", async () => {
    const organization = table.newOrganization();
    const failureCode = "x".repeat(20_000);
    const records = Array.from({ length: 120 }, (_, i): StoredRecord => {
      const id = `pi_${String(i).padStart(3, "0")}`;
      const record = { ...storedAs(payment(seen(1), { failureCode }, id)), createdAt: i };
      return i % 10 === 0 ? { ...record, fields: undefined } : record;
    });
    await put(organization, [...records, storedAs(customer(seen(1))), storedAs(invoice(seen(1)))]);
    await put(`${organization}#`, [storedAs(payment(seen(1), {}, "foreign"))]);
    const found = await idsOf(store.listIds(organization, "payments"));
    expect(found).toEqual(
      records.map(({ id, createdAt, fields }) => ({ id, createdAt, deleted: fields === undefined })),
    );
    await expect(idsOf(store.listIds(organization, "subscriptions"))).resolves.toEqual([]);
    for (const [after, upTo, from, end] of [
      [undefined, "pi_040", 0, 41],
      ["pi_040", undefined, 41, 120],
      ["pi_040", "pi_0405", 41, 41],
      ["pi_0405", "pi_080", 41, 81],
      ["pi", "pj", 0, 120],
    ] as const) {
      const range = await idsOf(store.listIds(organization, "payments", { after, upTo }));
      expect(range).toEqual(found.slice(from, end));
    }
  });
});
