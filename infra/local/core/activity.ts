/** Ends an activity; a second call does nothing. */
export type End = () => void;

export type Activity = {
  /** Begins a request from outside. Waits while the clock is about to move. */
  enter(): Promise<End>;
  /** Begins work that other work has caused (an asynchronous invocation, a delivery). Never waits. */
  begin(): End;
  /** Resolves when all work that was begun has ended; requests from outside do not count. */
  idle(): Promise<void>;
  /** Runs the step when nothing is under way; requests that arrive at that moment wait. */
  quiesce(step: () => void): Promise<void>;
};

/**
 * Counts all work in the local cloud, so that the clock never moves during an invocation
 * and a caller can wait for everything that it caused. Work that causes more work begins it before its own end.
 */
export const createActivity = (): Activity => {
  let entered = 0;
  let caused = 0;
  let held = false;
  const checks = new Set<() => void>();

  const changed = () => {
    for (const check of [...checks]) check();
  };
  const until = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!condition()) return;
        checks.delete(check);
        resolve();
      };
      checks.add(check);
      check();
    });
  const once = (end: () => void): End => {
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      end();
      changed();
    };
  };

  return {
    async enter() {
      while (held) await until(() => !held);
      entered++;
      return once(() => {
        entered--;
      });
    },
    begin() {
      caused++;
      return once(() => {
        caused--;
      });
    },
    idle: () => until(() => caused === 0),
    async quiesce(step) {
      // Requests are held back only once nothing caused is left, because caused work may itself send requests.
      for (;;) {
        await until(() => caused === 0 && !held);
        held = true;
        await until(() => entered === 0);
        const quiet = caused === 0;
        if (quiet) step();
        held = false;
        changed();
        if (quiet) return;
      }
    },
  };
};
