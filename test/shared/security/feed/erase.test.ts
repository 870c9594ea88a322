import { expect, test } from "@jest/globals";
import { eventId } from "../../../../shared/security/event-id.ts";
import { createAwaitWriters } from "../../../../shared/security/feed/await-writers.ts";
import { allFeed, createEraseFeed, feedOfUser } from "../../../../shared/security/feed/erase.ts";
import { feedKey } from "../../../../shared/security/feed/feed-hour.ts";
import { organizationKey } from "../../../../shared/terms/keys.ts";
import type { DataLocation, Partition } from "../../../../shared/work/location.ts";
import { HOUR, NOW } from "../../../support/security-events.ts";

const acme = organizationKey("acme");
const keyOf = (scope: string, hours: number) => feedKey("eu-central-1", scope, Math.floor(NOW / HOUR - hours) * HOUR);

/** A bucket with pages of two objects; a writer holds the lease for some attempts, and then puts an object. */
const createWorld = ({ keys, heldFor = 0 }: { keys: string[]; heldFor?: number }) => {
  const objects = new Set(keys);
  const marked: number[] = [];
  const lists: string[] = [];
  let held = heldFor;
  const feed = createEraseFeed({
    objects: {
      list: async (prefix, after = "") => {
        lists.push(after);
        const found = [...objects].filter((key) => key.startsWith(prefix) && key > after).sort();
        return { objects: found.slice(0, 2).map((key) => ({ key, bytes: 1 })), isLast: found.length <= 2 };
      },
      delete: async (gone) => {
        for (const key of gone) objects.delete(key);
      },
    },
    dueHours: { markDue: async (_scope, hour) => void marked.push(hour) },
    awaitWriters: createAwaitWriters({
      dueHours: {
        takeLease: async () => (held > 0 ? undefined : "lease"),
        releaseLease: async () => undefined,
      },
      now: () => NOW,
      sleep: async () => {
        held--;
        if (held === 0) objects.add(keyOf(acme, 3));
      },
    }),
    region: "eu-central-1",
  });
  return { feed, objects, marked, lists };
};

const partition = (sortKeys: string[], deleted: string[] = []): Partition => ({
  read: async (after, { prefix = "" } = {}) => {
    const items = sortKeys.filter((key) => key.startsWith(prefix) && key > (after ?? "")).sort();
    const page = items.slice(0, 1).map((sortKey) => ({ sortKey }));
    return { items: page, next: items.length > 1 ? items[0] : undefined };
  },
  apply: async (changes) => void deleted.push(...changes.map(({ key }) => key)),
});

const sweep = async (locations: readonly DataLocation[]) => {
  for (const location of locations) {
    for (let after: string | undefined; ; ) {
      const page = await location.read(after);
      if (page.keys.length > 0) await page.erase();
      if (page.next === undefined) break;
      after = page.next;
    }
  }
};

const emptied = (hours: number) => eventId(NOW - hours * HOUR, new Uint8Array(16));

test("an erasure of all data deletes every object and mark of the organization, and no other", async () => {
  const other = keyOf(organizationKey("acme2"), 1);
  const { feed, objects, marked } = createWorld({ keys: [1, 2, 3, 4, 5].map((one) => keyOf(acme, one)).concat(other) });
  const deleted: string[] = [];
  const rollups = partition(["feed#2026-11-21T10", "hour#2026-11-21T10", "open#2026-11-21T11"], deleted);
  await sweep(allFeed(feed, "acme", { rollups, hasArchive: false }));
  expect([...objects]).toEqual([other]);
  expect(deleted).toEqual(["feed#2026-11-21T10"]);
  expect(marked).toEqual([]);
});

test("an erasure of all data keeps the marks that an archive needs", async () => {
  const { feed, objects } = createWorld({ keys: [keyOf(acme, 1)] });
  const deleted: string[] = [];
  const rollups = partition(["feed#2026-11-21T10"], deleted);
  await sweep(allFeed(feed, "acme", { rollups, hasArchive: true }));
  expect([objects.size, deleted]).toEqual([0, []]);
});

test("an erasure of a user deletes the objects of emptied hours and marks these hours, also one that a writer still puts", async () => {
  const { feed, objects, marked } = createWorld({ keys: [1, 2, 4].map((one) => keyOf(acme, one)), heldFor: 2 });
  const events = partition([emptied(1), emptied(3), emptied(9)]);
  await sweep([feedOfUser(feed, "acme", { events, erasureId: "e" })]);
  expect([...objects].sort()).toEqual([keyOf(acme, 2), keyOf(acme, 4)].sort());
  expect(marked.sort()).toEqual([3, 1].map((hours) => Math.floor(NOW / HOUR - hours) * HOUR).sort());
});

test("an erasure that meets a writer that does not end is continued later", async () => {
  const { feed, objects } = createWorld({ keys: [keyOf(acme, 1)], heldFor: 1_000 });
  await expect(sweep(allFeed(feed, "acme", { rollups: partition([]), hasArchive: false }))).rejects.toMatchObject({
    code: "store_unavailable",
  });
  expect(objects.size).toBe(1);
});

test("a page of keys continues after its last key, and the last page ends the list", async () => {
  const [first, second, third] = [3, 2, 1].map((one) => keyOf(acme, one));
  const { feed } = createWorld({ keys: [3, 2, 1].map((one) => keyOf(acme, one)) });
  await expect(feed.listKeys(acme, undefined)).resolves.toEqual({ keys: [first, second], next: second });
  await expect(feed.listKeys(acme, second)).resolves.toEqual({ keys: [third], next: undefined });
});

test("an erasure of a user lists the objects once, however many pages of events it reads", async () => {
  const { feed, lists } = createWorld({ keys: [keyOf(acme, 1)] });
  await sweep([feedOfUser(feed, "acme", { events: partition([emptied(3), emptied(2), emptied(1)]), erasureId: "e" })]);
  expect(lists).toHaveLength(1);
});

test("an erasure of a user that begins again, or that another instance continues, finds the present objects", async () => {
  const { feed, objects } = createWorld({ keys: [] });
  const events = partition([emptied(3), emptied(2)]);
  const location = feedOfUser(feed, "acme", { events, erasureId: "e" });
  await sweep([location]);
  for (const hours of [3, 2]) objects.add(keyOf(acme, hours));
  await sweep([location]);
  expect(objects.size).toBe(0);
  objects.add(keyOf(acme, 2));
  await (await feedOfUser(feed, "acme", { events, erasureId: "e" }).read(emptied(3))).erase();
  expect(objects.size).toBe(0);
});
