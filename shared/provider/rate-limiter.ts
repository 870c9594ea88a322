/**
 * Our own pace towards the provider, per organization and instance: below what the provider allows an account (25
 * requests a second in its sandbox), and few at a time, because it limits concurrency as well. Requests wait for their
 * turn in the order in which they came.
 */
import type { Clock } from "../runtime/clock.ts";

export const REQUESTS_PER_SECOND = 20;
/** So many go at once after a pause; with the rate, no second ever sees more than 25. */
export const BURST = 5;
export const MAX_CONCURRENT = 4;

const INTERVAL_MS = 1_000 / REQUESTS_PER_SECOND;
const MAX_IDLE_LANES = 1_000;

type Lane = { underWay: number; waiting: (() => void)[]; nextAt: number };

/** `pacedMs`: how long it was waited for. `end` gives the place to the next. */
export type Turn = { pacedMs: number; end: () => void };

export type Pace = ReturnType<typeof createPace>;

export const createPace = ({ clock, sleep }: { clock: Clock; sleep: (ms: number) => Promise<unknown> }) => {
  const lanes = new Map<string, Lane>();

  /** A lane that nobody uses and that would let anybody pass is as good as a new one. */
  const forgetIdle = (): void => {
    const now = clock();
    for (const [organizationId, { underWay, nextAt }] of lanes) {
      if (underWay === 0 && nextAt <= now - BURST * INTERVAL_MS) lanes.delete(organizationId);
    }
  };

  const laneOf = (organizationId: string): Lane => {
    const known = lanes.get(organizationId);
    if (known !== undefined) return known;
    if (lanes.size >= MAX_IDLE_LANES) forgetIdle();
    const lane: Lane = { underWay: 0, waiting: [], nextAt: 0 };
    lanes.set(organizationId, lane);
    return lane;
  };

  const takePlace = async (lane: Lane): Promise<void> => {
    if (lane.underWay < MAX_CONCURRENT) lane.underWay++;
    // Whoever ends hands over the place itself.
    else await new Promise<void>((resolve) => lane.waiting.push(resolve));
  };

  const leavePlace = (lane: Lane): void => {
    const next = lane.waiting.shift();
    if (next === undefined) lane.underWay--;
    else next();
  };

  return {
    /** Waits until one request may be made. Whoever got a turn ends it. */
    async turn(organizationId: string): Promise<Turn> {
      const askedAt = clock();
      const lane = laneOf(organizationId);
      await takePlace(lane);
      const now = clock();
      // Only those that have a place have a time, so the next one cannot be later, unless the clock was set back.
      const nextAt = Math.min(lane.nextAt, now + MAX_CONCURRENT * INTERVAL_MS);
      const at = Math.max(nextAt, now - (BURST - 1) * INTERVAL_MS);
      lane.nextAt = at + INTERVAL_MS;
      if (at > now) await sleep(at - now);
      return { pacedMs: Math.max(0, clock() - askedAt), end: () => leavePlace(lane) };
    },
  };
};
