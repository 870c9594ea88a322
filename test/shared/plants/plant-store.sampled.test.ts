import { createServer } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { listen } from "../../../infra/local/http/listen.ts";
import { INT64_MAX, INT64_MIN } from "../../../shared/json/int64.ts";
import { createPlantStore } from "../../../shared/plants/plant-store.ts";
import { newRequestToken } from "../../../shared/runtime/ids.ts";
import { depth, isDeep } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { usePerFile } from "../../support/use-started.ts";
import { useDatabase } from "../../support/use-table.ts";

const database = useDatabase("plants");
const plants = createPlantStore(database.table("plants"));
let scopes = 0;
const freshScope = () => `org:${++scopes}` as const;

const storeAt = (endpoint: string, attempts?: number) =>
  createPlantStore(database.table("plants", database.clientAt(endpoint, attempts)));

describe("create and list", () => {
  it("keep any int64 and any text exactly, in ascending order of id", async () => {
    const plant = fc.record({
      id: fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
      name: fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
      tag: fc.option(fc.string({ unit: "binary", minLength: 1, maxLength: 20 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(plant, { maxLength: 12, selector: ({ id }) => id }), async (created) => {
        const scope = freshScope();
        for (const one of created) await plants.create(scope, one, newRequestToken());
        const { items } = await plants.list(scope, { limit: 100, after: undefined });
        const sorted = [...created].sort((a, b) => (a.id < b.id ? -1 : 1));
        expect(items).toEqual(sorted.map(({ tag, ...rest }) => ({ ...rest, ...(tag !== undefined && { tag }) })));
      }),
      { seed: 20_261_121, numRuns: depth(1, 30) },
    );
  });

  it("page through every plant once, whatever the page size", async () => {
    const scope = freshScope();
    const ids = [INT64_MIN, -9007199254740993n, -1n, 0n, 1n, 9007199254740992n, 9007199254740993n, INT64_MAX];
    for (const id of ids) await plants.create(scope, { id, name: "x" }, newRequestToken());
    for (let limit = 1; limit <= ids.length + 1; limit++) {
      const seen: bigint[] = [];
      let after: { id: bigint } | undefined;
      for (let more = true; more; ) {
        const page = await plants.list(scope, { limit, after });
        seen.push(...page.items.map(({ id }) => id));
        after = page.next;
        more = page.next !== undefined;
        expect(page.items.length === limit || !more).toBe(true);
      }
      expect(seen).toEqual(ids);
    }
  });

  if (isDeep)
    it("end a page after 4 MB of items, with more to come", async () => {
      const scope = freshScope();
      const name = "🌵".repeat(256);
      const total = 4_500;
      const ids = Array.from({ length: total }, (_, i) => BigInt(i));
      for (let from = 0; from < total; from += 100) {
        await Promise.all(
          ids
            .slice(from, from + 100)
            .map((id) => plants.create(scope, { id, name, tag: "🌱".repeat(128) }, newRequestToken())),
        );
      }
      const first = await plants.list(scope, { limit: 10_000, after: undefined });
      expect(first.next).toBeDefined();
      const second = await plants.list(scope, { limit: 10_000, after: first.next });
      expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
      expect(second.next).toBeUndefined();
    });
});

describe("create", () => {
  it("succeeds for one of 50 concurrent calls with the same id", async () => {
    const scope = freshScope();
    const attempts = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) => plants.create(scope, { id: 7n, name: `plant ${i}` }, newRequestToken())),
    );
    const winners = attempts.filter(({ status }) => status === "fulfilled");
    expect(winners).toHaveLength(1);
    for (const attempt of attempts) {
      if (attempt.status === "rejected") expect(attempt.reason).toMatchObject({ code: "plant_exists" });
    }
    const { items } = await plants.list(scope, { limit: 10, after: undefined });
    expect(items).toEqual([expect.objectContaining((winners[0] as PromiseFulfilledResult<{ name: string }>).value)]);
  });

  it("separates scopes, whatever their names contain", async () => {
    await plants.create("org:a", { id: 1n, name: "organization's" }, newRequestToken());
    await plants.create("user:a", { id: 1n, name: "user's" }, newRequestToken());
    await plants.create("org:a:1", { id: 1n, name: "other's" }, newRequestToken());
    await expect(plants.list("org:a", { limit: 5, after: undefined })).resolves.toEqual({
      items: [{ id: 1n, name: "organization's" }],
      next: undefined,
    });
  });
});

describe("delete", () => {
  it("removes one plant, once", async () => {
    const scope = freshScope();
    await plants.create(scope, { id: 1n, name: "a" }, newRequestToken());
    await plants.create(scope, { id: 2n, name: "b" }, newRequestToken());
    await plants.delete(scope, 1n);
    await expect(plants.delete(scope, 1n)).rejects.toMatchObject({ code: "plant_not_found" });
    await expect(plants.delete(freshScope(), 2n)).rejects.toMatchObject({ code: "plant_not_found" });
    await expect(plants.list(scope, { limit: 5, after: undefined })).resolves.toMatchObject({ items: [{ id: 2n }] });
  });
});

describe("a lost answer", () => {
  const proxy = usePerFile(() => startLossyProxy(database.running().endpoint));

  it("does not make a create conflict with itself", async () => {
    const scope = freshScope();
    await expect(storeAt(proxy.url).create(scope, { id: 1n, name: "mine" }, newRequestToken())).resolves.toEqual({
      name: "mine",
    });
    await expect(storeAt(proxy.url).create(scope, { id: 1n, name: "other" }, newRequestToken())).rejects.toMatchObject({
      code: "plant_exists",
    });
    await expect(plants.list(scope, { limit: 5, after: undefined })).resolves.toMatchObject({
      items: [{ name: "mine" }],
    });
  });

  it("does not make a delete report a missing plant", async () => {
    const scope = freshScope();
    await plants.create(scope, { id: 1n, name: "x" }, newRequestToken());
    await expect(storeAt(proxy.url).delete(scope, 1n)).resolves.toBeUndefined();
  });
});

describe("an unreachable store", () => {
  it.each([
    ["no server listens", "http://127.0.0.1:9"],
    ["a web server answers", undefined],
  ])("causes one domain error: %s", async (_what, url) => {
    const server = createServer((_request, response) => void response.writeHead(502).end("<html>bad gateway</html>"));
    const listening = await listen(server, 0);
    const store = storeAt(url ?? listening.url, 1);
    for (const call of [
      store.create("org:x", { id: 1n, name: "x" }, newRequestToken()),
      store.list("org:x", { limit: 1, after: undefined }),
      store.delete("org:x", 1n),
    ]) {
      await expect(call).rejects.toMatchObject({
        code: "store_unavailable",
        message: "The store did not answer. Try again.",
      });
    }
    await listening.close();
  });
});
