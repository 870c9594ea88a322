import { describe, expect, it } from "@jest/globals";
import { decideHold, holdForStorm } from "../../../shared/notifications/decide-hold.ts";
import type { Destination } from "../../../shared/notifications/destination.ts";
import type { RiskLevel } from "../../../shared/terms/risk-levels.ts";

type Rhythm = Pick<Destination, "quietHours" | "digest">;

const night = { from: "22:00", to: "07:00", timeZone: "Europe/Berlin", exceptCritical: true };
const hourly = { every: "hour", at: "08:00", timeZone: "UTC" } as const;
const daily = { every: "day", at: "08:00", timeZone: "America/New_York" } as const;

const DAY = "2026-11-21T12:20Z";
const NIGHT = "2026-11-21T23:20Z";

const shown = (hold: ReturnType<typeof decideHold>) =>
  hold && `${hold.reason} ${new Date(hold.dueAt).toISOString().slice(0, 16)}Z`;

describe("a notification", () => {
  it.each<[string, Rhythm, RiskLevel, string, string | undefined]>([
    ["is sent at once", {}, "LOW", NIGHT, undefined],
    ["is sent at once outside of quiet hours", { quietHours: night }, "HIGH", DAY, undefined],
    ["waits for the end of quiet hours", { quietHours: night }, "HIGH", NIGHT, "quiet_hours 2026-11-22T06:00Z"],
    ["of CRITICAL does not", { quietHours: night }, "CRITICAL", NIGHT, undefined],
    [
      "of CRITICAL does if that is wanted",
      { quietHours: { ...night, exceptCritical: false } },
      "CRITICAL",
      NIGHT,
      "quiet_hours 2026-11-22T06:00Z",
    ],
    ["waits for the next hour's digest", { digest: hourly }, "CRITICAL", DAY, "digest 2026-11-21T13:00Z"],
    [
      "at the time of a digest waits for the next",
      { digest: hourly },
      "LOW",
      "2026-11-21T13:00Z",
      "digest 2026-11-21T14:00Z",
    ],
    ["waits for the day's digest", { digest: daily }, "LOW", DAY, "digest 2026-11-21T13:00Z"],
    ["after the day's digest waits for the next day's", { digest: daily }, "LOW", NIGHT, "digest 2026-11-22T13:00Z"],
    [
      "waits for a digest, and then for the end of quiet hours",
      { digest: hourly, quietHours: night },
      "HIGH",
      NIGHT,
      "digest 2026-11-22T06:00Z",
    ],
    [
      "of CRITICAL waits for the digest only",
      { digest: hourly, quietHours: night },
      "CRITICAL",
      NIGHT,
      "digest 2026-11-22T00:00Z",
    ],
  ])("%s", (_, rhythm, level, at, expected) => {
    expect(shown(decideHold(rhythm, level, Date.parse(at)))).toBe(expected);
  });
});

describe("the summary of a storm", () => {
  it.each<[string, Rhythm, RiskLevel, string]>([
    ["is sent ten minutes after the storm began", {}, "LOW", "storm 2026-11-21T21:05Z"],
    ["waits for the end of quiet hours that have begun", { quietHours: night }, "LOW", "storm 2026-11-22T06:00Z"],
    ["has CRITICAL alerts at once", { quietHours: night }, "CRITICAL", "storm 2026-11-21T21:05Z"],
  ])("%s", (_, rhythm, level, expected) => {
    expect(shown(holdForStorm(rhythm, level, Date.parse("2026-11-21T20:55Z")))).toBe(expected);
  });
});
