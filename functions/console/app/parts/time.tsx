/** A time in the user's zone, with UTC and the exact value on hover. */
import { useNow } from "../clock.ts";
import { formatRelative, formatShortTime, formatTime, formatUtc } from "../format.ts";

/** @param at epoch milliseconds. */
export const Time = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={formatUtc(at)}>
    {formatTime(at)}
  </time>
);

/** Such as "3 minutes ago", with the time on hover. @param at epoch milliseconds. */
export const RelativeTime = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={`${formatTime(at)} · ${formatUtc(at)}`}>
    {formatRelative(at, useNow())}
  </time>
);

/** @param at epoch milliseconds. */
export const TimeAndAge = ({ at }: { at: number }) => (
  <>
    <Time at={at} />{" "}
    <span class="quiet">
      (<RelativeTime at={at} />)
    </span>
  </>
);

/** Without the year, for rows of recent times; the whole time on hover. @param at epoch milliseconds. */
export const ShortTime = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={`${formatTime(at)} · ${formatUtc(at)}`}>
    {formatShortTime(at)}
  </time>
);
