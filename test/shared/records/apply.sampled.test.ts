import { beforeAll, describe, expect, it, jest } from "@jest/globals";
import { type ApplyOptions, createApply } from "../../../shared/records/apply.ts";
import type { ObjectState, Observation } from "../../../shared/records/observation.ts";
import { forEachType } from "../../../shared/records/record.ts";
import type { RecordStore } from "../../../shared/records/record-store.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { newRequestToken } from "../../../shared/runtime/ids.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { isDeep, sampleOf } from "../../support/depth.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { createRandom } from "../../support/random.ts";
import { type RecordStores, recordStoresOver, startRecordTable } from "../../support/record-table.ts";
import {
  customer,
  deleted,
  invoice,
  linked,
  payment,
  recordsInMemory,
  seen,
  subscription,
  touched,
} from "../../support/records.ts";
import { usePerFile } from "../../support/use-started.ts";

const NOW = 1_795_300_000_000;
const nothing = forEachType(() => 0);
const key = { type: "customers", id: "cus_1" } as const;
const bob = { name: "Bob" };

const table = usePerFile(startRecordTable);
const proxy = usePerFile(() => startLossyProxy(table.endpoint));
let stores: RecordStores;
beforeAll(() => {
  stores = table.stores();
});

const applyTo = (store: Pick<RecordStore, "get" | "getMany" | "put">, now = () => NOW) =>
  createApply({ store, now, newToken: newRequestToken });

const neverReread: ApplyOptions["reread"] = async (type, id) => {
  throw new Error(`${type} ${id} needs no reading`);
};
const events: ApplyOptions = { reread: neverReread, updatesObservedAt: true };
const lists: ApplyOptions = { reread: neverReread, updatesObservedAt: false };
const answering = (...answers: ObjectState[]) => {
  let asked = 0;
  return jest.fn<ApplyOptions["reread"]>(async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    if (answer === undefined) throw new Error("there is no answer");
    return answer;
  });
};

describe("apply", () => {
  it("stores observations, and counts changes by type", async () => {
    const organization = table.newOrganization();
    const apply = applyTo(stores);
    const page = [customer(seen(10)), customer(seen(10), {}, "cus_2"), invoice(seen(10)), subscription(seen(10))];
    const first = { ...nothing, customers: 2, subscriptions: 1, invoices: 1 };
    await expect(apply(organization, page, lists)).resolves.toEqual({
      written: first,
      changed: expect.arrayContaining(page.map(({ type, id }) => ({ type, id }))),
    });
    await expect(apply(organization, page, lists)).resolves.toEqual({ written: nothing, changed: [] });
    await expect(apply(organization, [], lists)).resolves.toEqual({ written: nothing, changed: [] });
    await expect(stores.get(organization, key)).resolves.toMatchObject({
      fields: page[0]?.fields,
      createdAt: page[0]?.createdAt,
      updatedAt: NOW,
      observedAt: seen(10),
    });
  });

  it("changes updatedAt with a change, and not with an observation", async () => {
    const organization = table.newOrganization();
    let now = 1_000;
    const apply = applyTo(stores, () => now);
    const updatedAt = async () => (await stores.get(organization, key))?.updatedAt;
    await apply(organization, [customer(seen(10))], events);
    now = 2_000;
    await expect(apply(organization, [customer(seen(11))], events)).resolves.toEqual({ written: nothing, changed: [] });
    await expect(updatedAt()).resolves.toBe(1_000);
    await expect(stores.get(organization, key)).resolves.toMatchObject({ observedAt: seen(11) });
    await expect(apply(organization, [customer(seen(10), bob)], events)).resolves.toEqual({
      written: nothing,
      changed: [],
    });
    await apply(organization, [customer(seen(12), bob)], events);
    await expect(updatedAt()).resolves.toBe(2_000);
  });

  it("applies more than a hundred objects at once, completely and repeatedly", async () => {
    const organization = table.newOrganization();
    const page = Array.from({ length: 110 }, (_, i) => customer(seen(10), {}, `cus_${i}`));
    await expect(applyTo(stores)(organization, page, lists)).resolves.toEqual({
      written: { ...nothing, customers: 110 },
      changed: expect.arrayContaining(page.map(({ type, id }) => ({ type, id }))),
    });
    await expect(applyTo(stores)(organization, page, events)).resolves.toEqual({ written: nothing, changed: [] });
  });

  it("fails if the records cannot be read", async () => {
    const failed = new DomainError("store_unavailable", "no answer");
    const silent = { ...stores, getMany: () => Promise.reject(failed) };
    await expect(applyTo(silent)("o", [customer(seen(10))], events)).rejects.toBe(failed);
  });

  it("keeps organizations apart", async () => {
    const [one, other] = [table.newOrganization(), table.newOrganization()];
    await applyTo(stores)(one, [customer(seen(10), bob)], events);
    await applyTo(stores)(other, [customer(seen(9))], events);
    await expect(stores.get(one, key)).resolves.toMatchObject({ fields: bob });
    await expect(stores.get(other, key)).resolves.toMatchObject({ fields: { name: "Ada" } });
  });
});

describe("reading again", () => {
  it("happens once for an object, and only if the order is unknown", async () => {
    const organization = table.newOrganization();
    const reread = answering(customer(seen(12, 13), bob));
    const apply = applyTo(stores);
    await apply(organization, [customer(seen(10))], { reread, updatesObservedAt: true });
    expect(reread).not.toHaveBeenCalled();
    const burst = [customer(seen(10), bob), customer(seen(10)), touched(key, seen(10))];
    await expect(apply(organization, burst, { reread, updatesObservedAt: true })).resolves.toEqual({
      written: { ...nothing, customers: 1 },
      changed: [key],
    });
    expect(reread.mock.calls).toEqual([["customers", "cus_1"]]);
    // The answer was observed later than all of these observations, so no further read is needed.
    await apply(organization, burst, { reread, updatesObservedAt: false });
    expect(reread).toHaveBeenCalledTimes(1);
  });

  it("comes after a strong read of the stored record", async () => {
    const calls: string[] = [];
    const noting =
      <Args extends unknown[], Result>(name: string, call: (...args: Args) => Result) =>
      (...args: Args): Result => {
        calls.push(name);
        return call(...args);
      };
    const { store } = recordsInMemory();
    const spied: typeof store = {
      get: noting("get", store.get),
      getMany: (organization, keys, how) =>
        noting(how.strongly ? "getMany, strongly" : "getMany", store.getMany)(organization, keys, how),
      put: noting("put", store.put),
    };
    const reread = noting("reread", async () => customer(seen(10)));
    await applyTo(spied)("o", [touched(key, seen(10))], { reread, updatesObservedAt: false });
    await applyTo(spied)("o", [touched(key, seen(10))], { reread, updatesObservedAt: true });
    expect(calls).toEqual(["getMany", "get", "reread", "put", "getMany, strongly", "put", "reread", "put"]);
  });

  it("happens again if another worker wrote concurrently", async () => {
    const organization = table.newOrganization();
    const apply = applyTo(stores);
    await apply(organization, [customer(seen(10))], events);
    const reread = jest.fn<ApplyOptions["reread"]>(async () => {
      if (reread.mock.calls.length > 1) return customer(seen(10), { name: "Cleo" });
      // The object changes after this answer was made, and that change arrives first.
      await apply(organization, [customer(seen(11), { name: "Cleo" })], events);
      return customer(seen(10), bob);
    });
    await apply(organization, [customer(seen(10), bob)], { reread, updatesObservedAt: true });
    await expect(stores.get(organization, key)).resolves.toMatchObject({ fields: { name: "Cleo" } });
  });

  it("does not overwrite a record that another worker confirmed during the read", async () => {
    const organization = table.newOrganization();
    const apply = applyTo(stores);
    await apply(organization, [customer(seen(10))], events);
    const reread = jest.fn<ApplyOptions["reread"]>(async () => {
      if (reread.mock.calls.length > 1) return customer(seen(10));
      // After this answer the object returns to its earlier state, still in the same second.
      await apply(organization, [customer(seen(10))], events);
      return customer(seen(10), bob);
    });
    const { written } = await apply(organization, [customer(seen(10), bob)], { reread, updatesObservedAt: true });
    expect(written).toEqual(nothing);
    expect(reread).toHaveBeenCalledTimes(2);
    await expect(stores.get(organization, key)).resolves.toMatchObject({
      fields: { name: "Ada" },
      isInQuestion: false,
    });
  });

  it("is not repeated if another worker stored the same answer", async () => {
    const organization = table.newOrganization();
    const apply = applyTo(stores);
    await apply(organization, [customer(seen(10))], events);
    const reread = jest.fn<ApplyOptions["reread"]>(async () => {
      if (reread.mock.calls.length === 1) await apply(organization, [touched(key, seen(10))], options);
      return customer(seen(10), bob);
    });
    const options = { reread, updatesObservedAt: true };
    await apply(organization, [customer(seen(10), bob)], options);
    expect(reread).toHaveBeenCalledTimes(2);
    await expect(stores.get(organization, key)).resolves.toMatchObject({ fields: bob, isInQuestion: false });
  });

  it("happens in another attempt if another worker wrote before the record was marked as questioned", async () => {
    const organization = table.newOrganization();
    const apply = applyTo(stores);
    await apply(organization, [customer(seen(10))], events);
    let puts = 0;
    const overtaken: typeof stores = {
      ...stores,
      put: async (...parameters) => {
        if (++puts === 1) await apply(organization, [customer(seen(11), { name: "Cleo" })], events);
        return stores.put(...parameters);
      },
    };
    const reread = answering(customer(seen(12), bob));
    const result = await applyTo(overtaken)(organization, [touched(key, seen(11))], { ...events, reread });
    expect(result).toEqual({ written: { ...nothing, customers: 1 }, changed: [key] });
    expect(reread).toHaveBeenCalledTimes(1);
    await expect(stores.get(organization, key)).resolves.toMatchObject({ fields: bob, isInQuestion: false });
  });

  it("that fails because a store refuses another item sets no object aside", async () => {
    const organization = table.newOrganization();
    const cause = Object.assign(new Error("invalid key"), { name: "ValidationException" });
    const refused = new DomainError("store_unavailable", "refused", { cause });
    const reread = () => Promise.reject(refused);
    const failed = applyTo(stores)(organization, [touched(key, seen(5))], { ...events, reread });
    await expect(failed).rejects.toMatchObject({ code: "store_unavailable", cause: refused });
  });

  it("that fails leaves the record unchanged, and can be repeated", async () => {
    const organization = table.newOrganization();
    const apply = applyTo(stores);
    await apply(organization, [customer(seen(10))], events);
    await expect(apply(organization, [customer(seen(10), bob)], events)).rejects.toThrow("needs no reading");
    await expect(stores.get(organization, key)).resolves.toMatchObject({ fields: { name: "Ada" } });
    await apply(organization, [customer(seen(10), bob)], { ...events, reread: answering(customer(seen(11), bob)) });
    await expect(stores.get(organization, key)).resolves.toMatchObject({ fields: bob });
  });
});

describe("many concurrent observations", () => {
  const shuffled = <Item>(items: readonly Item[], seed: number): Item[] => {
    const random = createRandom(seed);
    return items
      .map((item) => ({ item, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  };

  it.each(sampleOf([1, 2, 3], 1))(
    "of 50 versions of a record in any order end with the newest (seed %i)",
    async (seed) => {
      const organization = table.newOrganization();
      const versions = Array.from({ length: 50 }, (_, i) => customer(seen(10 + i), { name: `version ${i}` }));
      const apply = applyTo(stores);
      await Promise.all(shuffled(versions, seed).map((version) => apply(organization, [version], events)));
      await expect(stores.get(organization, key)).resolves.toMatchObject({
        fields: { name: "version 49" },
        observedAt: seen(59),
      });
    },
  );

  if (isDeep)
    it("of 50 changes in one second, some delivered twice, end with the provider's state", async () => {
      const organization = table.newOrganization();
      const last = customer(seen(10), { name: "last" });
      const changes = Array.from({ length: 25 }, (_, i) => customer(seen(10), { name: `change ${i}` }));
      const apply = applyTo(stores);
      const options = { updatesObservedAt: true, reread: async () => last };
      await Promise.all(
        shuffled([...changes, ...changes, last], 4).map((change) => apply(organization, [change], options)),
      );
      await expect(stores.get(organization, key)).resolves.toMatchObject({ fields: { name: "last" } });
    });

  it("with a deletion among them end with the deletion", async () => {
    const organization = table.newOrganization();
    const versions: Observation[] = Array.from({ length: 20 }, (_, i) => customer(seen(10 + i), { name: `${i}` }));
    const apply = applyTo(stores);
    const all = shuffled([...versions, deleted(key, seen(15)), touched(key, seen(99))], 5);
    const reread = async () => deleted(key, seen(99));
    await Promise.all(all.map((one) => apply(organization, [one], { reread, updatesObservedAt: true })));
    await expect(stores.get(organization, key)).resolves.toMatchObject({ fields: undefined });
  });

  it("of a link and its payment's states keep both", async () => {
    const organization = table.newOrganization();
    const apply = applyTo(stores);
    const final = payment(seen(12), { status: "succeeded" });
    const reread = async () => final;
    const all = [linked(seen(11)), payment(seen(10)), payment(seen(11), { amount: 5 }), final];
    await Promise.all(shuffled(all, 6).map((one) => apply(organization, [one], { reread, updatesObservedAt: true })));
    await expect(stores.get(organization, final)).resolves.toMatchObject({
      fields: { status: "succeeded", invoiceId: "in_1" },
    });
  });

  it("of a record that changes all the time fail, and the other records are written", async () => {
    const { store, of } = recordsInMemory();
    const busy: typeof store = {
      ...store,
      put: async (organization, record, previous) => record.id !== "cus_1" && store.put(organization, record, previous),
    };
    const pause = jest.fn(async () => undefined);
    const apply = createApply({ store: busy, now: () => NOW, newToken: newRequestToken, pause });
    await expect(apply("o", [customer(seen(1)), customer(seen(1), {}, "cus_2")], events)).rejects.toMatchObject({
      code: "store_unavailable",
    });
    expect(pause.mock.calls.length).toBe(12);
    expect(of("o", { type: "customers", id: "cus_2" })).toBeDefined();
  });
});

it("with a lost answer cause no conflict: the change counts once, and nothing is read again", async () => {
  const organization = table.newOrganization();
  const apply = applyTo(table.storesAt(proxy.url));
  const once = { written: { ...nothing, customers: 1 }, changed: [key] };
  await expect(apply(organization, [customer(seen(10))], events)).resolves.toEqual(once);
  await expect(apply(organization, [customer(seen(11), bob)], events)).resolves.toEqual(once);
  await expect(apply(organization, [customer(seen(11), bob)], events)).resolves.toEqual({
    written: nothing,
    changed: [],
  });
  await expect(stores.get(organization, key)).resolves.toMatchObject({ fields: bob });
});

describe("the units of a hundred objects", () => {
  const page = (fields: object, at: number) =>
    Array.from({ length: 100 }, (_, i) => payment(seen(at), { ...fields, customerId: `cus_${i}` }, `pi_${i}`));
  let measured: (observations: Observation[], options: ApplyOptions) => Promise<{ read: number; write: number }>;
  beforeAll(async () => {
    const client = table.translated();
    const measure = countUnits(client);
    const apply = applyTo(recordStoresOver(client));
    const organization = table.newOrganization();
    measured = (observations, options) => measure(() => apply(organization, observations, options));
  });

  it("are one write for the record and each index if it is new or changed, and no write otherwise", async () => {
    await expect(measured(page({}, 10), lists)).resolves.toEqual({ read: 50, write: 300 });
    await expect(measured(page({}, 20), lists)).resolves.toEqual({ read: 50, write: 0 });
    await expect(measured(page({ amount: 2 }, 30), lists)).resolves.toEqual({ read: 50, write: 300 });
    await expect(measured(page({ amount: 2 }, 30), events)).resolves.toEqual({ read: 100, write: 0 });
    await expect(measured(page({ amount: 1 }, 29), events)).resolves.toEqual({ read: 100, write: 0 });
    // The indexes' projection decides whether they are written when only the time of observation changes.
    const { write } = await measured(page({ amount: 2 }, 40), events);
    expect([100, 300]).toContain(write);
  });
});
