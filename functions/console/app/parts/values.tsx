/** How single values look: words with a colour, risk levels, times, and ids of records. */
import type { ComponentChildren } from "preact";
import { useMayRead } from "../access.ts";
import type { Alert, RecordType } from "../api/types.ts";
import { useNow } from "../words/clock.ts";
import {
  formatAge,
  formatDay,
  formatDuration,
  formatRelative,
  formatShortTime,
  formatTime,
  formatUtc,
  type Tone,
} from "../words/format.ts";
import { recordAddress } from "../words/record-types.ts";

/** A word with a colour. The word says everything that the colour says. */
export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);

/** Marks what a fire drill made; nothing for all else. */
export const DrillBadge = ({ of: { drill } }: { of: { drill?: boolean } }) =>
  drill === true ? <Badge tone="accent">Drill</Badge> : null;

/** A risk level. */
export const Level = ({ level }: { level: Alert["level"] }) => (
  <span class={`badge level ${level.toLowerCase()}`}>{level.charAt(0) + level.slice(1).toLowerCase()}</span>
);

/** A time in the user's zone, with UTC on hover. @param at epoch milliseconds. */
export const Time = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={formatUtc(at)}>
    {formatTime(at)}
  </time>
);

/** The day of a time, with the time on hover. @param at epoch milliseconds. */
export const Day = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={`${formatTime(at)} · ${formatUtc(at)}`}>
    {formatDay(at)}
  </time>
);

type RelativeProps = {
  /** Epoch milliseconds. */
  at: number;
  /** Whether the time may be ahead. What has happened is never ahead, whatever the clocks say. */
  isDue?: boolean;
};

/** Such as "3 minutes ago", with the time on hover. */
export const RelativeTime = ({ at, isDue = false }: RelativeProps) => (
  <time dateTime={new Date(at).toISOString()} title={`${formatTime(at)} · ${formatUtc(at)}`}>
    {(isDue ? formatRelative : formatAge)(at, useNow())}
  </time>
);

export const TimeAndAge = ({ at, isDue = false }: RelativeProps) => (
  <>
    <Time at={at} />{" "}
    <span class="quiet">
      (<RelativeTime at={at} isDue={isDue} />)
    </span>
  </>
);

/** Without the year, for rows of recent times; the whole time on hover. @param at epoch milliseconds. */
export const ShortTime = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={`${formatTime(at)} · ${formatUtc(at)}`}>
    {formatShortTime(at)}
  </time>
);

const SECOND = 1_000;

/** The time that is left, in whole seconds: "23 sec". After the end, `children`. @param to epoch milliseconds. */
export const Countdown = ({ to, children }: { to: number; children: string }) => {
  const leftMs = to - useNow();
  // A timer speaks only when it is asked: it changes each second.
  return <b role="timer">{leftMs > 0 ? formatDuration(Math.ceil(leftMs / SECOND) * SECOND) : children}</b>;
};

/** Longer ids are shortened in the middle. */
const MOST_CHARACTERS = 16;
const FIRST_CHARACTERS = 8;
const LAST_CHARACTERS = 4;

/** An id in one line. The page has all of it: on hover, for who selects it, and for who reads it aloud. */
export const Id = ({ of }: { of: string }) => {
  const [start, end] = of.length > MOST_CHARACTERS ? [FIRST_CHARACTERS, of.length - LAST_CHARACTERS] : [0, 0];
  return (
    <code class="id" title={of}>
      {of.slice(0, start)}
      {end > 0 && <span class="id-middle">{of.slice(start, end)}</span>}
      {of.slice(end)}
    </code>
  );
};

/** A text of somebody else in one line, cut at its end; the whole is on hover. @param isWide for long texts, such as addresses */
export const Cut = ({ isWide, children }: { isWide?: boolean; children: string }) => (
  <span class={isWide ? "cut wide" : "cut"} title={children}>
    {children}
  </span>
);

/** A record by its name, or else by its id, as a link if the user may read the record. */
export const RecordLink = ({ type, id, name }: { type: RecordType; id: string; name?: string | undefined }) => {
  const text = name === undefined ? <Id of={id} /> : <Cut>{name}</Cut>;
  return useMayRead(type) ? <a href={recordAddress(type, id)}>{text}</a> : text;
};
