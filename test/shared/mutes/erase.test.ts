import { describe, expect, it } from "@jest/globals";
import { mutesOfUser } from "../../../shared/mutes/erase.ts";
import { type MuteItem, muteKey } from "../../../shared/mutes/mute-item.ts";
import { actingOn } from "../../../shared/mutes/mute-times.ts";
import { createUserMatcher } from "../../../shared/terms/mentions-user.ts";
import type { ItemChange, Partition } from "../../../shared/work/location.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;

const mute: MuteItem = {
  id: "01KB0000000000000000000000",
  rules: ["custom_r"],
  subject: "userId:ada",
  from: NOON,
  until: NOON + HOUR,
  includeCritical: false,
  reason: "ada asked for it",
  createdBy: "mia",
  createdAt: NOON,
  hiddenAlerts: 0,
  hiddenNotifications: 0,
  hiddenLOW: 0,
  hiddenMEDIUM: 0,
  hiddenHIGH: 0,
  hiddenCRITICAL: 0,
  ttl: 4_000_000_000,
};

/** The mute after an erasure of ada, which ends a mute in the store before it changes the item. */
const erase = async (fields: Partial<MuteItem>): Promise<MuteItem> => {
  let stored = { ...mute, ...fields };
  const apply = (changes: readonly ItemChange[]) => {
    for (const { change } of changes) {
      if (change === "delete") throw new Error("A mute must stay.");
      const kept = Object.entries({ ...stored, ...change.set }).filter(([name]) => !change.remove.includes(name));
      stored = Object.fromEntries(kept) as MuteItem;
    }
  };
  const partition: Partition = {
    read: async () => ({ items: [{ sortKey: muteKey("acme", mute.id).key, ...stored }], next: undefined }),
    apply: async (changes) => apply(changes),
  };
  const end = async (_: string, id: string, { at }: { at: number }) => {
    expect([id, stored.subject]).toEqual([mute.id, fields.subject ?? mute.subject]);
    stored = { ...stored, endedAt: at };
    return true;
  };
  const mutes = { end, delete: async () => {} };
  const user = { userId: "ada", matcher: createUserMatcher(["ada"]), findAlerts: async () => new Map() };
  const [location] = mutesOfUser({ mutes, clock: () => NOON + 1 }, "acme", partition, user as never);
  const page = await location?.read(undefined);
  await page?.erase();
  return stored;
};

const alert = (subject: string) => ({ rule: "custom_r", subject, level: "HIGH" as const });
const subjectsMutedBy = (one: MuteItem): string[] =>
  ["userId:ada", "userId:bob", "[erased]", ""].filter(
    (subject) => actingOn([one], alert(subject), NOON + 2).length > 0,
  );

describe("the erasure of a user", () => {
  it("ends the mutes about the user, which mute nothing more", async () => {
    expect(subjectsMutedBy(mute)).toEqual(["userId:ada"]);
    const erased = await erase({});
    expect(subjectsMutedBy(erased)).toEqual([]);
    expect(erased).toMatchObject({ endedAt: NOON + 1, subject: "[erased]", reason: "[erased]" });
  });

  it("never widens a mute: what it takes out of other mutes decides nothing", async () => {
    const all = ["userId:ada", "userId:bob", "[erased]", ""];
    const byUser = { createdBy: "ada", endedBy: "ada", reason: "for ada" };
    for (const [fields, muted] of [
      [{ subject: "userId:bob" }, ["userId:bob"]],
      [{ subject: undefined }, all],
      [{ subject: "userId:adam" }, []],
    ] as const) {
      const erased = await erase({ ...fields, ...byUser });
      expect(subjectsMutedBy(erased)).toEqual(muted);
      expect(JSON.stringify(erased)).not.toMatch(/"ada"|for ada/);
      expect(erased).not.toHaveProperty("endedAt");
    }
  });
});
