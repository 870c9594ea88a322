/** A number of organizations without a store: what the dispatchers read and publish, on a simulated clock. */
import { type BackgroundFunctionName, backgroundFunctions } from "../../shared/api/background-functions.ts";
import type { BusEvent } from "../../shared/runtime/event-bus.ts";
import { createSimulatedStore } from "./simulated-store.ts";
import { createSimulatedTime } from "./simulated-time.ts";

/** A quarter past an hour: the hour before it is to be judged, reported and closed. */
export const START = Date.UTC(2026, 10, 21, 11, 15);
/** A chain of invocations that is longer than this is reported as one that never ends. */
const MAX_INVOCATIONS = 100;

/** The bytes of an entry of an index that has only keys, and of one with the marks of an open hour. */
export const ENTRY_BYTES = 110;
export const MARK_BYTES = 190;

export type Outcome = {
  /** Of the whole work, in simulated ms. */
  ms: number;
  invocations: number;
  read: number;
  write: number;
  events: number;
};

export const nameAt = (index: number): string => `organization-${String(index).padStart(7, "0")}`;
const indexAfter = (after?: string): number => (after === undefined ? 0 : Number(after.split("-")[1]) + 1);

export const createWorld = (count: number) => {
  const time = createSimulatedTime(START);
  const store = createSimulatedStore(time);
  let last: BusEvent | undefined;
  let invocations = 0;
  return {
    time,
    store,
    bus: {
      publish: async (events: readonly BusEvent[]) => {
        last = events.at(-1);
        await store.publish(events.length);
        return [];
      },
    },
    lastDetail: () => last?.detail,
    connectedOrganizations: (after?: string) => {
      const first = indexAfter(after);
      return store.list(count - first, ENTRY_BYTES, (index) => nameAt(first + index));
    },
    /**
     * Runs invocations of a function until one asks for no other: each at once after the last, or `everyMs` after its beginning.
     * @throws Error if one exceeds the function's time
     */
    async chain(
      name: BackgroundFunctionName,
      invoke: (remainingMs: () => number) => Promise<boolean>,
      everyMs = 0,
    ): Promise<void> {
      const limitMs = backgroundFunctions[name].timeoutSeconds * 1_000;
      for (let isOver = false; !isOver; ) {
        if (++invocations > MAX_INVOCATIONS) throw new Error(`not over after ${MAX_INVOCATIONS} invocations`);
        const began = time.now();
        const end = began + limitMs;
        isOver = !(await invoke(() => end - time.now()));
        if (time.now() > end) throw new Error(`an invocation took ${Math.round((time.now() - began) / 1_000)} s`);
        if (!isOver) await time.sleep(began + everyMs - time.now());
      }
    },
    outcome: (): Outcome => ({ ms: time.now() - START, invocations, ...store.units, events: store.events() }),
  };
};

export type World = ReturnType<typeof createWorld>;
