import { describe, expect, it } from "@jest/globals";
import { type MuteScope, type Weekday, weekdays } from "../../../shared/mutes/mute.ts";
import { actingOn, lastEnd, nextEnd, spanAt, stateOf, type TimedMute } from "../../../shared/mutes/mute-times.ts";
import { depth } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const at = (time: string): number => Date.parse(time);
const shown = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString().slice(0, 16);

const weekly = (
  days: Weekday[],
  from: string,
  to: string,
  timeZone = "UTC",
  mute: Partial<TimedMute> = {},
): TimedMute => ({
  from: at("2026-01-01T00:00Z"),
  until: at("2027-01-01T00:00Z"),
  weekly: { days, from, to, timeZone },
  ...mute,
});

const spanOf = (mute: TimedMute, time: string) => {
  const span = spanAt(mute, at(time));
  return span && [shown(span.from), shown(span.until)];
};

describe("a mute without weekly spans", () => {
  const once = { from: at("2026-11-20T10:00Z"), until: at("2026-11-20T12:00Z") };

  it("acts from its beginning until before its end", () => {
    expect(
      ["2026-11-20T09:59Z", "2026-11-20T10:00Z", "2026-11-20T11:59Z", "2026-11-20T12:00Z"].map((time) =>
        stateOf(once, at(time)),
      ),
    ).toEqual(["planned", "active", "active", "ended"]);
    expect(spanOf(once, "2026-11-20T11:00Z")).toEqual(["2026-11-20T10:00", "2026-11-20T12:00"]);
    expect(shown(nextEnd(once, at("2026-11-20T09:00Z")))).toBe("2026-11-20T12:00");
    expect(lastEnd(once, once.until - 1)).toBeUndefined();
    expect(lastEnd(once, once.until)).toBe(once.until);
  });

  it("does not act after a user ended it", () => {
    const ended = { ...once, endedAt: at("2026-11-20T11:00Z") };
    expect(spanAt(ended, ended.endedAt - 1)).toBeUndefined();
    expect(stateOf(ended, ended.endedAt)).toBe("ended");
  });

  it("does not act in a span whose end is worked off, for a clock that is late", () => {
    expect(spanAt({ ...once, drainedUntil: once.until }, once.until - 1)).toBeUndefined();
    expect(spanAt({ ...once, drainedUntil: once.from }, once.until - 1)).toEqual({
      from: once.from,
      until: once.until,
    });
  });
});

describe("weekly spans", () => {
  it("begin on their days, also if they end on the next day", () => {
    // The 20th of November 2026 is a Friday.
    const nights = weekly(["friday"], "22:00", "06:00");
    expect(spanOf(nights, "2026-11-20T21:59Z")).toBeUndefined();
    expect(spanOf(nights, "2026-11-21T05:59Z")).toEqual(["2026-11-20T22:00", "2026-11-21T06:00"]);
    expect(spanOf(nights, "2026-11-21T06:00Z")).toBeUndefined();
    expect(spanOf(nights, "2026-11-21T23:00Z")).toBeUndefined();
    expect(stateOf(nights, at("2026-11-21T23:00Z"))).toBe("planned");
    expect(shown(nextEnd(nights, at("2026-11-21T06:00Z")))).toBe("2026-11-28T06:00");
    expect(shown(lastEnd(nights, at("2026-11-27T12:00Z")))).toBe("2026-11-21T06:00");
  });

  it("are cut to the beginning and the end of the mute", () => {
    const [from, until] = [at("2026-11-20T23:00Z"), at("2026-11-28T03:00Z")];
    const nights = weekly(["friday"], "22:00", "06:00", "UTC", { from, until });
    expect(spanOf(nights, "2026-11-20T22:30Z")).toBeUndefined();
    expect(spanOf(nights, "2026-11-21T00:00Z")).toEqual(["2026-11-20T23:00", "2026-11-21T06:00"]);
    expect(spanOf(nights, "2026-11-28T02:00Z")).toEqual(["2026-11-27T22:00", "2026-11-28T03:00"]);
    expect(lastEnd(nights, until + DAY)).toBe(until);
    expect(shown(nextEnd(weekly(["monday"], "22:00", "06:00", "UTC", { from, until: from + HOUR }), from))).toBe(
      "2026-11-21T00:00",
    );
  });

  it("begin and end at the switch where the clock skips their time, and at the first of two equal times", () => {
    // Berlin skips 02:00 to 03:00 on the 29th of March, and has 02:00 to 03:00 twice on the 25th of October.
    const sundays = (from: string, to: string) => weekly(["sunday"], from, to, "Europe/Berlin");
    expect(spanOf(sundays("02:30", "04:00"), "2026-03-29T01:30Z")).toEqual(["2026-03-29T01:00", "2026-03-29T02:00"]);
    expect(spanOf(sundays("00:30", "02:30"), "2026-03-29T00:00Z")).toEqual(["2026-03-28T23:30", "2026-03-29T01:00"]);
    // Both of its times are skipped.
    expect(spanOf(sundays("02:15", "02:45"), "2026-03-29T01:00Z")).toBeUndefined();
    expect(spanOf(sundays("02:30", "04:00"), "2026-10-25T00:45Z")).toEqual(["2026-10-25T00:30", "2026-10-25T03:00"]);
    expect(spanOf(sundays("00:30", "02:30"), "2026-10-25T00:15Z")).toEqual(["2026-10-24T22:30", "2026-10-25T00:30"]);
    expect(spanOf(sundays("00:30", "02:30"), "2026-10-25T01:15Z")).toBeUndefined();
  });

  it("are those that a clock on the wall shows, minute by minute over every change of the clock", () => {
    const zones = [
      "Europe/Berlin",
      "America/New_York",
      "Australia/Lord_Howe",
      "America/Havana",
      "Africa/Casablanca",
      "UTC",
    ];
    const timeOfDay = fc
      .tuple(fc.nat(23), fc.nat(59))
      .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);
    const starts = ["2026-03-06", "2026-03-27", "2026-04-03", "2026-10-02", "2026-10-23", "2026-10-30", "2026-02-13"];
    const spans = fc.record({
      days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1, maxLength: 7 }),
      from: timeOfDay,
      to: timeOfDay,
      timeZone: fc.constantFrom(...zones),
      start: fc.constantFrom(...starts),
    });
    fc.assert(
      fc.property(spans, ({ days, from, to, timeZone, start }) => {
        fc.pre(from !== to);
        const mute = weekly(days, from, to, timeZone);
        const clock = new Intl.DateTimeFormat("en-GB", {
          timeZone,
          weekday: "long",
          year: "numeric",
          month: "2-digit",
          day: "2-digit",
          hour: "2-digit",
          minute: "2-digit",
          hourCycle: "h23",
        });
        const show = (time: number) => {
          const parts = Object.fromEntries(clock.formatToParts(time).map(({ type, value }) => [type, value]));
          return {
            weekday: String(parts.weekday).toLowerCase() as Weekday,
            clock: `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}`,
          };
        };
        // A walk along the wall's clock: what it shows for the first time at each minute decides.
        let isActing = false;
        let endsOn = "";
        let latest = "";
        let date = "";
        for (let time = at(`${start}T00:00Z`); time < at(`${start}T00:00Z`) + 3 * DAY; time += MINUTE) {
          const now = show(time);
          if (now.clock <= latest) {
            // The clock was set back: it shows an earlier time again.
            if (date !== "") expect([shown(time), spanAt(mute, time) !== undefined]).toEqual([shown(time), isActing]);
            continue;
          }
          const today = now.clock.slice(0, 10);
          // From the first midnight on, all beginnings and ends are on the walk; a span of the day before may last until `to`.
          for (const passed of date === "" ? [] : passedBetween(latest, now.clock)) {
            if (isActing && passed === `${endsOn} ${to}`) isActing = false;
            if (passed.endsWith(` ${from}`) && days.includes(weekdayOf(passed))) {
              isActing = true;
              endsOn = to > from ? passed.slice(0, 10) : dayAfter(passed.slice(0, 10));
            }
          }
          if (date === "" && latest !== "" && today !== latest.slice(0, 10)) {
            // The state at the walk's first midnight is taken as it is.
            isActing = spanAt(mute, time) !== undefined;
            endsOn = isActing ? show(spanAt(mute, time)?.until ?? 0).clock.slice(0, 10) : "";
            date = today;
          }
          latest = now.clock;
          if (date !== "") expect([shown(time), spanAt(mute, time) !== undefined]).toEqual([shown(time), isActing]);
        }
      }),
      { numRuns: depth(4, 120) },
    );
  });
});

const utc = (clock: string): number => Date.parse(`${clock.replace(" ", "T")}Z`);
const toClock = (time: number): string => new Date(time).toISOString().slice(0, 16).replace("T", " ");
const weekdayOf = (clock: string): Weekday => weekdays[new Date(utc(clock)).getUTCDay()] ?? "sunday";
const dayAfter = (date: string): string => toClock(utc(`${date} 00:00`) + DAY).slice(0, 10);
/** The minutes that a clock shows or is set forward over after one time, up to another one. */
const passedBetween = (before: string, now: string): string[] => {
  const passed: string[] = [];
  for (let time = utc(before) + MINUTE; time <= utc(now); time += MINUTE) passed.push(toClock(time));
  return passed;
};

describe("actingOn", () => {
  const now = at("2026-11-20T11:00Z");
  const scope = (changes: Partial<MuteScope>): MuteScope => ({
    from: now,
    until: now + HOUR,
    includeCritical: false,
    ...changes,
  });
  const alert = { rule: "manual", subject: "a", level: "HIGH" } as const;
  const acts = (
    mute: MuteScope,
    on: Partial<{ rule: string; subject: string; level: "LOW" | "HIGH" | "CRITICAL" }> = {},
  ) => actingOn([mute], { ...alert, ...on }, now).length === 1;

  it("compares the rule, the exact subject and the level", () => {
    expect(acts(scope({ rules: ["manual"] }))).toBe(true);
    expect(acts(scope({ rules: ["sync_silence"] }))).toBe(false);
    expect(acts(scope({ rules: ["manual"], subject: "a" }))).toBe(true);
    expect(acts(scope({ rules: ["manual"], subject: "A" }))).toBe(false);
    expect(acts(scope({ levels: ["LOW"] }))).toBe(false);
    expect(acts(scope({ levels: ["LOW", "HIGH"] }))).toBe(true);
  });

  it("leaves CRITICAL alerts alone unless the mute includes them", () => {
    expect(acts(scope({ rules: ["manual"] }), { level: "CRITICAL" })).toBe(false);
    expect(acts(scope({ rules: ["manual"], includeCritical: true }), { level: "CRITICAL" })).toBe(true);
  });

  it("never mutes alerts that say that alarms are off", () => {
    const all = scope({ levels: ["LOW", "MEDIUM", "HIGH", "CRITICAL"], includeCritical: true });
    const rules = [
      "notifications_silenced",
      "notifications_paused",
      "detection_rule_off",
      "evidence_incomplete",
      "alerts_muted",
    ];
    for (const rule of rules) expect(acts(all, { rule })).toBe(false);
    expect(acts(all, { rule: "custom_01jd5rb2t0000000000000mute" })).toBe(true);
  });
});
