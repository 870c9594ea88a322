/** One page of a type's list, with the provider and the stores in memory. */
import { describe, expect, it } from "@jest/globals";
import type { Provider, ProviderPage } from "../../../shared/provider/provider.ts";
import type { ObjectState, Observation } from "../../../shared/records/observation.ts";
import type { RecordType } from "../../../shared/records/record.ts";
import { readList } from "../../../shared/sync/read-list.ts";
import type { RunContext } from "../../../shared/sync/run-context.ts";
import type { ListPosition, SyncWork } from "../../../shared/sync/sync-work.ts";
import { providerError } from "../../support/provider-errors.ts";
import { contextWith, customer, runWith, unusable } from "./step.ts";

type Situation = {
  page?: Partial<ProviderPage<ObjectState>> | Error;
  at?: Partial<ListPosition>;
  work?: Partial<SyncWork>;
  /** The ids on the page that repeats. */
  repeated?: string[];
  members?: Partial<RunContext>;
};

const missing = providerError("missing");
const broken = providerError("network");

/** Reads a page. */
const read = async ({ page = {}, at = {}, work = {}, repeated = [], members = {} }: Situation) => {
  const seen = {
    asked: [] as unknown[],
    applied: [] as (readonly Observation[])[],
    put: [] as unknown[],
    readPages: [] as number[],
    linksOf: [] as unknown[],
  };
  const listObjects: Provider["listObjects"] = async (type, query) => {
    seen.asked.push([type, query]);
    if (page instanceof Error) throw page;
    return { items: [], next: undefined, ...page };
  };
  const base = contextWith({});
  const context = contextWith({
    provider: { ...base.provider, listObjects },
    apply: async (observations, source) => {
      expect(source).toBe("list");
      seen.applied.push(observations);
      return { written: { customers: 1 }, setAside: [] };
    },
    pageIds: {
      ...base.pageIds,
      put: async (list, number, ids, now) => void seen.put.push([list, number, ids, now]),
      read: async (_list, number) => {
        seen.readPages.push(number);
        return repeated;
      },
    },
    links: {
      ...base.links,
      of: async (runId, ids) => {
        seen.linksOf.push([runId, ids]);
        return [];
      },
    },
    ...members,
  });
  const position: ListPosition = { phase: "list", type: "customers", ...at };
  const run = await readList(context, runWith({ at: position, ...work }), position);
  return { run, seen };
};

const list = (type: RecordType) => ({ organizationId: "acme", runId: "run_1", type });

describe("the first page of a list", () => {
  it("is applied, its ids are stored, and the next page continues after it", async () => {
    const items = [customer("b", 9_999), customer("a", 5_500)];
    const { run, seen } = await read({ page: { items, next: "a" } });
    expect(seen).toEqual({
      asked: [["customers", { after: undefined, createdUntil: undefined }]],
      applied: [items],
      put: [[list("customers"), 0, ["b", "a"], 7]],
      readPages: [],
      linksOf: [],
    });
    expect(run.work.lists).toEqual({ customers: { pages: 1, bound: 1_000 } });
    expect(run.work.at).toEqual({ phase: "list", type: "customers", until: 1_001, lastSeconds: 5, after: "a" });
    expect(run.progress.customers).toEqual({ read: 2, written: 1 });
  });

  it("that is the last one ends the list", async () => {
    const { run } = await read({ page: { items: [customer("a", 1)] } });
    expect(run.work.at).toEqual({ phase: "list", type: "subscriptions" });
  });

  it("bounds the later pages by objects dated after the answer", async () => {
    const { run } = await read({ page: { items: [customer("b", 2_000_000), customer("a", 0)], next: "a" } });
    // The last object has no time of creation, so the list can continue at the one before it.
    expect(run.work.at).toMatchObject({ until: 2_000, lastSeconds: 2_000 });
  });

  it("has objects of the first millisecond, which have a time", async () => {
    const { run } = await read({ page: { items: [customer("b", 5_000), customer("a", 1)], next: "a" } });
    expect(run.work.at).toMatchObject({ lastSeconds: 0 });
  });

  it("without objects is complete up to the time when the feed was read", async () => {
    const { run } = await read({ work: { feedStart: { known: "", readAt: 77 } } });
    expect(run.work.lists).toEqual({ customers: { pages: 1, bound: 77 } });
    expect((await read({})).run.work.lists).toEqual({ customers: { pages: 1 } });
    const { run: continued } = await read({ page: { next: "x" }, at: { lastSeconds: 3 } });
    expect(continued.work.at).toEqual({ phase: "list", type: "customers", lastSeconds: 3, after: "x" });
  });
});

describe("a later page of a list", () => {
  const at = { after: "c", until: 50, lastSeconds: 40 };

  it("keeps the bound and the upper limit of the first one, and adds to its counts", async () => {
    const { run, seen } = await read({
      page: { items: [customer("b", 30_000)], next: "b" },
      at,
      work: { lists: { customers: { pages: 2, bound: 900, setAside: 4, nameless: 1 } } },
    });
    expect(seen.asked).toEqual([["customers", { after: "c", createdUntil: 50 }]]);
    expect(seen.put).toStrictEqual([[list("customers"), 2, ["b"], 7]]);
    expect(run.work.lists).toEqual({ customers: { pages: 3, bound: 900, setAside: 4, nameless: 1 } });
    expect(run.work.at).toEqual({ phase: "list", type: "customers", until: 50, lastSeconds: 30, after: "b" });
  });

  it("counts objects that cannot be stored, lists their ids, and does not apply them", async () => {
    const { run, seen } = await read({
      page: { items: [customer("b", 1)], setAside: [unusable("x"), unusable()] },
      members: {
        apply: async (observations) => ({ written: {}, setAside: observations.map(({ id }) => unusable(id)) }),
      },
      work: { lists: { customers: { pages: 1, setAside: 1 } } },
    });
    expect(seen.put).toStrictEqual([[list("customers"), 1, ["b", "x"], 7]]);
    expect(run.work.lists.customers).toEqual({ pages: 2, bound: 1_000, setAside: 4, nameless: 1 });
    expect(run.work.setAside?.count).toBe(3);
    expect(run.progress.customers).toEqual({ read: 3, written: 0 });
  });

  it("of payments is applied with the links of its payments, and other types have none", async () => {
    const link = {
      kind: "linked",
      type: "payments",
      id: "p",
      invoiceId: "in",
      observedAt: { from: 1, to: 1 },
    } as const;
    const of = async (runId: string, ids: readonly string[]) => {
      expect([runId, ids]).toEqual(["run_1", ["p"]]);
      return [link];
    };
    const base = contextWith({});
    const page = { items: [customer("p", 1)] };
    const links = { links: { ...base.links, of } };
    const { seen } = await read({ at: { type: "payments" }, page, members: links });
    expect(seen.applied).toEqual([[...page.items, link]]);
    expect((await read({ page })).seen.linksOf).toEqual([]);
  });
});

describe("a page that repeats objects of an earlier one", () => {
  const at = { until: 30, lastSeconds: 30, repeats: 4 };

  it("leaves these out, and may repeat again within the same second", async () => {
    const { run, seen } = await read({
      page: { items: [customer("b", 30_000), customer("a", 30_999)], setAside: [unusable("b"), unusable()], next: "a" },
      at,
      repeated: ["b"],
    });
    expect(seen.readPages).toEqual([4]);
    expect(seen.applied[0]?.map(({ id }) => id)).toEqual(["a"]);
    expect(run.progress.customers.read).toBe(2);
    expect(run.work.at).toEqual({
      phase: "list",
      type: "customers",
      until: 30,
      lastSeconds: 30,
      after: "a",
      repeats: 4,
    });
  });

  it("does not repeat any more in an earlier second, nor if none repeated before", async () => {
    const page = { items: [customer("a", 29_000)], next: "a" };
    expect((await read({ page, at })).run.work.at).not.toHaveProperty("repeats");
    const same = { items: [customer("a", 30_000)], next: "a" };
    const { repeats: _, ...fresh } = at;
    const { run, seen } = await read({ page: same, at: fresh, repeated: ["a"] });
    expect(run.work.at).not.toHaveProperty("repeats");
    expect(seen.readPages).toStrictEqual([]);
  });
});

describe("a page that cannot be read", () => {
  const at = { after: "c", until: 50, lastSeconds: 40 };

  it.each([
    [undefined, 0],
    [3, 2],
  ])("because its first object was deleted continues by time, after %p pages from page %i", async (pages, repeats) => {
    const lists = pages === undefined ? {} : { customers: { pages } };
    const { run } = await read({ page: missing, at, work: { lists } });
    expect(run.work.at).toEqual({ phase: "list", type: "customers", until: 40, lastSeconds: 40, repeats });
    expect(run.work.failures).toEqual({});
  });

  it.each([
    ["another failure", broken, at],
    ["a missing object, but the page starts after none", missing, { until: 50, lastSeconds: 40 }],
    ["a missing object, but no object has a time", missing, { after: "c" }],
    ["a missing object again in the same second", missing, { ...at, until: 40, repeats: 1 }],
  ])("because of %s ends the type", async (_what, page, position) => {
    const { run } = await read({ page, at: position });
    expect(run.work.at).toEqual({ phase: "list", type: "subscriptions" });
    expect(run.work.failures.customers).toMatchObject({ category: page.kind });
  });

  it("because of a missing object in an earlier second, or the first time, continues", async () => {
    for (const position of [
      { ...at, repeats: 1 },
      { ...at, until: 40 },
    ]) {
      const { run } = await read({ page: missing, at: position });
      expect(run.work.at).toMatchObject({ phase: "list", type: "customers", until: 40 });
    }
  });

  it("because of a fault of the service fails the run", async () => {
    const alike = Object.assign(new Error("fault"), { reason: "missing" });
    await expect(read({ page: alike, at })).rejects.toThrow("fault");
    await expect(read({ page: new TypeError("fault"), at })).rejects.toThrow("fault");
  });
});
