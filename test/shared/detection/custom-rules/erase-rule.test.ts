import { describe, expect, it } from "@jest/globals";
import { customRuleKey, type StoredRule } from "../../../../shared/detection/custom-rules/custom-rule-item.ts";
import { detectionOfUser } from "../../../../shared/detection/erase.ts";
import { createUserMatcher } from "../../../../shared/terms/mentions-user.ts";
import type { ItemChange, Partition, StoredItem } from "../../../../shared/work/location.ts";

const rule: StoredRule = {
  id: "r",
  name: "Requests",
  level: "HIGH",
  mode: "live",
  filter: { userIds: ["ada", "bob"], success: true },
  measure: "count",
  windowMinutes: 60,
  condition: { gte: 1 },
  revision: 4,
  createdAt: 1,
  createdBy: "mia",
  changedAt: 2,
  changedBy: "mia",
  version: "4",
};

/** The changes of an erasure of ada. */
const erase = async (fields: Partial<StoredRule>, item: Partial<StoredItem> = {}): Promise<ItemChange[]> => {
  const changes: ItemChange[] = [];
  const stored = { sortKey: customRuleKey("acme", "r").key, ...rule, ...fields, ...item };
  const partition: Partition = {
    read: async () => ({ items: [stored], next: undefined }),
    apply: async (some) => void changes.push(...some),
  };
  const matcher = createUserMatcher(["ada"]);
  const page = await detectionOfUser(partition, { scope: "org#acme", userId: "ada", matcher }).read(undefined);
  await page.erase();
  return changes;
};

const set = (fields: object) => [{ key: "custom#r", change: { remove: [], set: fields } }];

describe("the erasure of a user", () => {
  it("takes the user out of a rule, and raises its revision", async () => {
    expect(await erase({})).toEqual(
      set({ filter: { userIds: ["bob"], success: true }, mode: "live", revision: 5, version: "erased 5" }),
    );
  });

  it("never widens a rule: without its last user it matches nothing and raises nothing", async () => {
    expect(await erase({ filter: { userIds: ["ada"] } })).toEqual(
      set({ filter: { userIds: [] }, mode: "dryRun", revision: 5, version: "erased 5" }),
    );
  });

  it("takes the user out of the name and the authors, and keeps other rules", async () => {
    const filter = { success: true };
    expect(await erase({ filter, name: "What ada does", createdBy: "ada" })).toEqual(
      set({ name: "[erased]", createdBy: "" }),
    );
    expect(await erase({ filter, changedBy: "ada" })).toEqual(set({ changedBy: "" }));
    expect(await erase({ filter: { userIds: ["adam"] } })).toEqual([]);
  });

  it("removes the user's samples of a dry run", async () => {
    const sample = { subject: "userId:ada", hour: 0, count: 1, firstSeen: 0, lastSeen: 0, eventIds: [] };
    const samples = JSON.stringify([sample, { ...sample, subject: "userId:bob" }]);
    const changes = await erase({}, { sortKey: "custom#r#dryRun", samples, filter: undefined, name: undefined });
    expect(changes).toEqual([
      {
        key: "custom#r#dryRun",
        change: { remove: [], set: { samples: JSON.stringify([{ ...sample, subject: "userId:bob" }]) } },
      },
    ]);
  });
});
