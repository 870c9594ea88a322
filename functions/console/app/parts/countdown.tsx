import { useNow } from "../clock.ts";
import { formatDuration } from "../format.ts";

const SECOND = 1_000;

/** The time that is left, in whole seconds: "23 sec". After the end, `children`. @param to epoch milliseconds. */
export const Countdown = ({ to, children }: { to: number; children: string }) => {
  const leftMs = to - useNow();
  // A timer speaks only when it is asked: it changes each second.
  return <b role="timer">{leftMs > 0 ? formatDuration(Math.ceil(leftMs / SECOND) * SECOND) : children}</b>;
};
