/**
 * Rollups: what the events of an hour or of a day count up to, kept so that nobody reads the events again.
 * An hour that may have events which its rollup lacks is called open; its marker says so (open-hour-store.ts).
 */
import { type Counters, mergeCounters } from "./counters.ts";

/** Events are counted with the seconds at which they expire; all of an hour expire together, or at few moments. */
export type Rollup = {
  counters: Counters;
  /** Epoch seconds at which the first of its events expires: from then on it counts too many. */
  exactUntil: number;
  /** Epoch seconds at which the last of its events expires: from then on there is nothing to count. */
  expiresAt: number;
};

/** An hour, or all of its day, with when it begins: epoch ms. */
export type PeriodKind = "hour" | "day";
export type Period = { kind: PeriodKind; start: number };

/** Whether all that a rollup counts has expired. @param now epoch ms. */
export const isExpired = ({ expiresAt }: Pick<Rollup, "expiresAt">, now: number): boolean => expiresAt * 1_000 <= now;

/** Whether a rollup counts exactly what has not expired. @param now epoch ms. */
export const isExact = ({ exactUntil }: Pick<Rollup, "exactUntil">, now: number): boolean => exactUntil * 1_000 > now;

/** The sum of rollups of which none has expired; undefined where there is none. */
export const sumRollups = (rollups: readonly Rollup[]): Rollup | undefined =>
  rollups.length === 0
    ? undefined
    : {
        counters: mergeCounters(rollups.map(({ counters }) => counters)),
        exactUntil: Math.min(...rollups.map(({ exactUntil }) => exactUntil)),
        expiresAt: Math.max(...rollups.map(({ expiresAt }) => expiresAt)),
      };
