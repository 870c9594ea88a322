import { beforeAll, describe, expect, it } from "@jest/globals";
import type { RecordKey, StoredRecord } from "../../../shared/records/record-item.ts";
import { createRecordStore } from "../../../shared/records/record-store.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { depth } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { type RecordStores, startRecordTable } from "../../support/record-table.ts";
import { customer, invoice, payment, seen, storedAs, subscription } from "../../support/records.ts";
import { usePerFile } from "../../support/use-started.ts";

const table = usePerFile(startRecordTable);
const proxy = usePerFile(() => startLossyProxy(table.endpoint));
let store: RecordStores;
beforeAll(() => {
  store = table.stores();
});

const records: StoredRecord[] = [
  customer(seen(10)),
  subscription(seen(10, 12)),
  invoice(seen(11)),
  payment(seen(10)),
].map(storedAs);
const byKey = (some: readonly StoredRecord[]) =>
  some.toSorted((a, b) => (`${a.type} ${a.id}` < `${b.type} ${b.id}` ? -1 : 1));

describe("a record", () => {
  it("is read as it was stored, for every type and deleted", async () => {
    const organization = table.newOrganization();
    const grave = { ...storedAs(customer(seen(10), {}, "cus_2")), fields: undefined };
    const all = [...records, grave];
    for (const record of all) await expect(store.put(organization, record, undefined)).resolves.toBe(true);
    for (const record of all) await expect(store.get(organization, record)).resolves.toEqual(record);
    const found = await store.getMany(organization, all, { strongly: false });
    expect(byKey(found)).toEqual(byKey(all));
    await expect(store.get(table.newOrganization(), records[0] as RecordKey)).resolves.toBeUndefined();
  });

  it("keeps any text, also in its id and its organization's id", async () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 30 });
    const odd = fc.constantFrom("#", "a#b", "customers#a", "%23", "org#a", "../..", "🌵", "\u0000", " ");
    const id = fc.oneof(text, odd);
    await fc.assert(
      fc.asyncProperty(id, id, fc.option(text), async (organizationId, ownId, name) => {
        const organization = `${table.newOrganization()} ${organizationId}`;
        const record = storedAs(payment(seen(1), { customerId: ownId, failureCode: name }, ownId));
        await store.put(organization, record, undefined);
        await expect(store.get(organization, record)).resolves.toEqual(record);
        await expect(store.getMany(`${organization}#`, [record], { strongly: true })).resolves.toEqual([]);
      }),
      { seed: 20_261_121, numRuns: depth(12, 60) },
    );
  });

  it("is found among many ids that do not exist, over several calls", async () => {
    const organization = table.newOrganization();
    await store.put(organization, storedAs(customer(seen(1), {}, "cus_250")), undefined);
    const keys = Array.from({ length: 300 }, (_, i) => ({ type: "customers" as const, id: `cus_${i}` }));
    await expect(store.getMany(organization, keys, { strongly: true })).resolves.toMatchObject([{ id: "cus_250" }]);
    await expect(store.getMany(organization, [], { strongly: true })).resolves.toEqual([]);
  });
});

describe.each([
  ["by calls of their own", () => createRecordStore(createTable(table.translated(), "records"))],
  ["in batches", () => table.stores()],
])("put, of records that are written %s,", (_how, open) => {
  const first = storedAs(customer(seen(10)));
  const second = { ...first, version: "v1" };
  /** Another record, so that the one under test is not written alone. */
  const other = storedAs(customer(seen(10), {}, "cus_other"));

  it("replaces only the version that was read", async () => {
    const puts = open();
    const organization = table.newOrganization();
    const put = async (record: StoredRecord, previous: StoredRecord | undefined) => {
      const unrelated = table.newOrganization();
      return (await Promise.all([puts.put(organization, record, previous), puts.put(unrelated, other, undefined)]))[0];
    };
    await expect(put(second, first)).resolves.toBe(false);
    await expect(put(first, undefined)).resolves.toBe(true);
    await expect(put(second, undefined)).resolves.toBe(false);
    await expect(put(second, { ...first, version: "other" })).resolves.toBe(false);
    await expect(store.get(organization, first)).resolves.toEqual(first);
    await expect(put(second, first)).resolves.toBe(true);
    await expect(store.get(organization, first)).resolves.toEqual(second);
  });

  it("leaves nothing of the previous record", async () => {
    const puts = open();
    const organization = table.newOrganization();
    const inQuestion = { ...storedAs(payment(seen(10), { customerId: "cus_1" })), isInQuestion: true };
    const answered = { ...storedAs(payment(seen(11), { customerId: "cus_1" })), version: "v1" };
    const anonymous = { ...storedAs(payment(seen(12), { customerId: null })), version: "v2" };
    const deleted = { ...anonymous, fields: undefined, version: "v3" };
    const history = [inQuestion, answered, anonymous, { ...inQuestion, version: "v4" }, { ...deleted, version: "v5" }];
    let previous: StoredRecord | undefined;
    for (const record of history) {
      const unrelated = table.newOrganization();
      await Promise.all([puts.put(organization, record, previous), puts.put(unrelated, other, undefined)]);
      await expect(store.get(organization, record)).resolves.toEqual(record);
      const { items } = await store.list(
        organization,
        "payments",
        { customerId: "cus_1" },
        { limit: 9, after: undefined },
      );
      const isListed = record.fields !== undefined && record !== anonymous;
      expect(items.map(({ id }) => id)).toEqual(isListed ? [record.id] : []);
      previous = record;
    }
  });

  it("succeeds for one of 50 concurrent writers", async () => {
    const puts = open();
    const organization = table.newOrganization();
    await store.put(organization, first, undefined);
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) => puts.put(organization, { ...first, version: `w${i}` }, first)),
    );
    expect(results.filter((isWritten) => isWritten)).toHaveLength(1);
    await expect(store.get(organization, first)).resolves.toMatchObject({ version: `w${results.indexOf(true)}` });
  });
});

describe("put through a connection that loses answers", () => {
  const first = storedAs(customer(seen(10)));
  const second = { ...first, version: "v1" };

  it("does not conflict with its own first attempt", async () => {
    const organization = table.newOrganization();
    const lossy = table.storesAt(proxy.url);
    await expect(lossy.put(organization, first, undefined)).resolves.toBe(true);
    await expect(lossy.put(organization, second, first)).resolves.toBe(true);
    await expect(lossy.put(organization, { ...second, version: "v2" }, first)).resolves.toBe(false);
    await expect(store.get(organization, first)).resolves.toEqual(second);
  });
});

it("throws one domain error if the store is unreachable", async () => {
  const nowhere = table.storesAt("http://127.0.0.1:9");
  const key = { type: "customers", id: "cus_1" } as const;
  const calls: (() => Promise<unknown>)[] = [
    () => nowhere.get("o", key),
    () => nowhere.getMany("o", [key], { strongly: true }),
    () => nowhere.put("o", storedAs(customer(seen(1))), undefined),
    () => nowhere.list("o", "customers", {}, { limit: 1, after: undefined }),
    () => nowhere.listIds("o", "customers").next(),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "store_unavailable" });
});
