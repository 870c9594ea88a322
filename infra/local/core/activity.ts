/** Ends what was begun; calling it again does nothing. */
export type End = () => void;

export type Activity = {
  /** A request from outside begins. Waits while the clock is about to move. */
  enter(): Promise<End>;
  /** Work begins that something else has caused (an asynchronous invocation, a delivery). Never waits. */
  begin(): End;
  /** Resolves as soon as nothing that was begun is under way; requests from outside do not count. */
  idle(): Promise<void>;
  /** Runs the step at a moment when nothing at all is under way; requests that arrive meanwhile wait. */
  quiesce(step: () => void): Promise<void>;
};

/**
 * Counts what is under way in the whole local cloud, so that the clock never moves during an invocation
 * and "everything that it caused is done" can be awaited. Whoever hands work over begins the next before ending its own.
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
