import { describe, expect, it } from "@jest/globals";
import {
  archiveKey,
  endOfArchive,
  firstArchivedHour,
  firstHourInTables,
  hourOfKey,
  isInTables,
} from "../../../shared/archive/archive-hour.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { fc } from "../../support/fixed-seed.ts";

const at = (text: string): number => Date.parse(`${text}Z`);

describe("the key of an hour's object", () => {
  it.each(["acme", "a b/ü#", "😀".repeat(128)])("has the organization %j in base64url, the day and the hour", (id) => {
    const key = archiveKey(organizationKey(id), at("2026-11-21T09:00"));
    expect(key).toBe(`${Buffer.from(id).toString("base64url")}/2026-11-21/09.ndjson.gz`);
    expect(hourOfKey(key)).toBe(at("2026-11-21T09:00"));
    expect(Buffer.byteLength(key)).toBeLessThan(1_024);
  });
});

describe("the end of an hour in the archive", () => {
  it.each([
    ["2026-11-21T09:00", 13, "2027-12-21T09:00"],
    ["2026-01-31T10:00", 1, "2026-03-01T00:00"],
    ["2027-10-31T23:00", 4, "2028-03-01T00:00"],
    ["2027-10-29T23:00", 4, "2028-02-29T23:00"],
    ["2026-12-31T00:00", 84, "2033-12-31T00:00"],
  ])("of %s is after %i months: %s", (hour, months, end) => {
    expect(endOfArchive(at(hour), months)).toBe(at(end));
  });

  it("decides which hour is the oldest", () => {
    const anyTime = fc.integer({ min: at("2020-01-01T00:00"), max: at("2040-01-01T00:00") });
    fc.assert(
      fc.property(anyTime, fc.integer({ min: 1, max: 84 }), (now, months) => {
        const first = firstArchivedHour(now, months);
        expect(first % HOUR_MS).toBe(0);
        expect(endOfArchive(first, months)).toBeGreaterThan(now);
        expect(endOfArchive(first - HOUR_MS, months)).toBeLessThanOrEqual(now);
      }),
    );
  });
});

describe("an hour that the tables are about to lose", () => {
  const span = { retentionMs: 90 * DAY_MS };
  const hour = at("2026-08-01T10:00");

  it("is read from the archive an hour before its events expire, and written from the tables until shortly before", () => {
    expect(firstHourInTables(hour + span.retentionMs - 1, span)).toBe(hour);
    expect(firstHourInTables(hour + span.retentionMs, span)).toBe(hour + HOUR_MS);
    expect(isInTables(hour, hour + span.retentionMs + HOUR_MS - 15 * 60_000 - 1, span)).toBe(true);
    expect(isInTables(hour, hour + span.retentionMs + HOUR_MS - 15 * 60_000, span)).toBe(false);
  });
});
