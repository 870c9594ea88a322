import { describe, expect, it } from "@jest/globals";
import type { Destination } from "../../../shared/notifications/destination.ts";
import { silencingOf } from "../../../shared/notifications/silencing.ts";

type Settings = Pick<Destination, "status" | "filter" | "quietHours" | "digest">;

const settings = (changes: Partial<Settings> = {}): Settings => ({ status: "active", filter: {}, ...changes });
const hours = (from: string, to: string, changes: Partial<NonNullable<Settings["quietHours"]>> = {}) => ({
  quietHours: { from, to, timeZone: "UTC", exceptCritical: true, ...changes },
});
const every = (rhythm: "hour" | "day", at = "08:00") => ({ digest: { every: rhythm, at, timeZone: "UTC" } });
const filtered = (filter: Settings["filter"]) => ({ filter });

describe("a change of an active destination", () => {
  it.each<[string | undefined, string, Partial<Settings>, Partial<Settings>]>([
    [undefined, "nothing", {}, {}],
    ["paused", "a pause", {}, { status: "paused" }],
    ["narrowed", "a list of levels", {}, filtered({ levels: ["HIGH", "CRITICAL"] })],
    [undefined, "a list of all levels", {}, filtered({ levels: ["LOW", "MEDIUM", "HIGH", "CRITICAL"] })],
    [undefined, "more levels", filtered({ levels: ["HIGH"] }), filtered({ levels: ["LOW", "HIGH"] })],
    ["narrowed", "other levels", filtered({ levels: ["HIGH"] }), filtered({ levels: ["LOW", "CRITICAL"] })],
    ["narrowed", "a list of rules", {}, filtered({ rules: ["manual"] })],
    [undefined, "no list of rules any more", filtered({ rules: ["manual"] }), {}],
    ["narrowed", "no changes", {}, filtered({ changes: [] })],
    ["narrowed", "fewer changes", {}, filtered({ changes: ["raised", "resolved"] })],
    [undefined, "fewer levels of no changes", filtered({ changes: [] }), filtered({ changes: [], levels: ["LOW"] })],
    ["held", "quiet hours", {}, hours("22:00", "07:00")],
    [
      undefined,
      "quiet hours that hold no HIGH",
      filtered({ levels: ["LOW"] }),
      { ...filtered({ levels: ["LOW"] }), ...hours("22:00", "07:00") },
    ],
    [
      undefined,
      "quiet hours without CRITICAL",
      filtered({ levels: ["CRITICAL"] }),
      { ...filtered({ levels: ["CRITICAL"] }), ...hours("22:00", "07:00") },
    ],
    [
      "held",
      "quiet hours with CRITICAL",
      filtered({ levels: ["CRITICAL"] }),
      { ...filtered({ levels: ["CRITICAL"] }), ...hours("22:00", "07:00", { exceptCritical: false }) },
    ],
    [undefined, "shorter quiet hours", hours("22:00", "07:00"), hours("23:00", "06:59")],
    [undefined, "no quiet hours any more", hours("22:00", "07:00"), {}],
    ["held", "quiet hours that end later", hours("22:00", "07:00"), hours("22:00", "07:01")],
    ["held", "quiet hours that begin earlier", hours("22:00", "07:00"), hours("21:59", "07:00")],
    ["held", "the other half of the day", hours("22:00", "07:00"), hours("07:00", "22:00")],
    [
      "held",
      "quiet hours of another zone",
      hours("22:00", "07:00"),
      hours("22:00", "07:00", { timeZone: "Asia/Tokyo" }),
    ],
    ["held", "CRITICAL in quiet hours", hours("22:00", "07:00"), hours("22:00", "07:00", { exceptCritical: false })],
    ["held", "a digest", {}, every("hour")],
    ["held", "a rarer digest", every("hour"), every("day")],
    [undefined, "a more frequent digest", every("day"), every("hour")],
    [undefined, "another time of the digest", every("day"), every("day", "09:00")],
    [
      undefined,
      "a digest of lower levels",
      filtered({ levels: ["MEDIUM"] }),
      { ...filtered({ levels: ["MEDIUM"] }), ...every("day") },
    ],
  ])("is %s: %s", (kind, _name, before, after) => {
    expect(silencingOf(settings(before), settings(after), { isMoved: false })).toBe(kind);
  });

  it("is moved with another URL or address, whatever else changes", () => {
    expect(silencingOf(settings(), settings({ status: "unconfirmed" }), { isMoved: true })).toBe("moved");
  });
});

it.each(["paused", "unconfirmed"] as const)("a change of a destination that is %s silences nothing", (status) => {
  for (const after of [settings({ status: "paused" }), settings({ status, filter: { changes: [] } })])
    expect(silencingOf(settings({ status }), after, { isMoved: true })).toBeUndefined();
});
