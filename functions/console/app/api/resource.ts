/**
 * Reads that a view shows. The last answer stays visible while a newer one is on its way or fails, and when the user comes
 * back to a view. A tab that is hidden reads nothing.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { pauseAfter } from "./back-off.ts";
import { asProblem, type Problem } from "./problem.ts";

/** Answers that are kept for a return to their view. */
const MOST_KEPT = 100;

export type Resource<Value> = {
  /** The last answer. */
  value: Value | undefined;
  /** Why the last read failed. */
  problem: Problem | undefined;
  isLoading: boolean;
  reload(): void;
  /** Shows a value that the service is expected to have soon. @returns how to take it back. */
  show(next: Value): () => void;
};

const kept = new Map<string, unknown>();

const others: (() => void)[] = [];

/** Has something else forgotten with the answers. */
export const forgetWithAnswers = (forget: () => void): void => void others.push(forget);

/** Forgets all answers: another user may sign in. */
export const forgetAnswers = (): void => {
  kept.clear();
  for (const forget of others) forget();
};

const keep = (key: string, value: unknown): void => {
  kept.delete(key);
  kept.set(key, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) return;
    kept.delete(oldest);
  }
};

type State<Value> = { key: string; value: Value | undefined; problem: Problem | undefined; isLoading: boolean };

/**
 * Reads now, every `everyMs` while the tab is visible, and again after failures that may pass. Another `everyMs` moves the
 * next read, and does not read at once.
 * @param key identifies what is read: another key is another read. Equal keys share the last answer.
 * @param options.everyMs as a function: by the last answer, such as more often while something is under way
 */
export const useResource = <Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  { everyMs: pause }: { everyMs?: number | ((value: Value | undefined) => number) } = {},
): Resource<Value> => {
  const initial = (): State<Value> => {
    const value = kept.get(key) as Value | undefined;
    return { key, value, problem: undefined, isLoading: true };
  };
  const [stored, setState] = useState(initial);
  // The state of another key must not be shown for a moment.
  const state = stored.key === key ? stored : initial();
  const loadNow = useRef(load);
  loadNow.current = load;
  const everyMs = typeof pause === "function" ? pause(state.value) : pause;
  const everyNow = useRef(everyMs);
  everyNow.current = everyMs;
  const readNow = useRef<() => void>(() => undefined);
  const planNow = useRef<() => void>(() => undefined);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let controller: AbortController | undefined;
    let isReading = false;
    let failures = 0;
    let dueAt = 0;

    const plan = (pauseMs: number | undefined): void => {
      clearTimeout(timer);
      dueAt = pauseMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + pauseMs;
      if (pauseMs !== undefined && !document.hidden) timer = setTimeout(read, pauseMs);
    };
    const read = async (): Promise<void> => {
      controller?.abort();
      controller = new AbortController();
      const { signal } = controller;
      clearTimeout(timer);
      isReading = true;
      setState((before) => ({ ...(before.key === key ? before : initial()), isLoading: true }));
      try {
        const value = await loadNow.current(signal);
        if (signal.aborted) return;
        isReading = false;
        failures = 0;
        keep(key, value);
        setState({ key, value, problem: undefined, isLoading: false });
        plan(pauseAfter(failures, everyNow.current));
      } catch (error) {
        if (signal.aborted) return;
        isReading = false;
        failures++;
        const problem = asProblem(error);
        setState((before) => ({ ...before, key, problem, isLoading: false }));
        plan(pauseAfter(failures, everyNow.current, problem));
      }
    };
    const onVisibility = (): void => {
      if (document.hidden) clearTimeout(timer);
      else if (Number.isFinite(dueAt)) plan(Math.max(0, dueAt - Date.now()));
    };
    const onOnline = (): void => {
      if (failures > 0 && Number.isFinite(dueAt)) plan(0);
    };

    readNow.current = () => void read();
    planNow.current = () => {
      if (!isReading && failures === 0) plan(everyNow.current);
    };
    void read();
    document.addEventListener("visibilitychange", onVisibility);
    addEventListener("online", onOnline);
    return () => {
      removeEventListener("online", onOnline);
      document.removeEventListener("visibilitychange", onVisibility);
      clearTimeout(timer);
      controller?.abort();
    };
  }, [key]);

  useEffect(() => planNow.current(), [everyMs]);

  const reload = useCallback(() => readNow.current(), []);
  const show = useCallback(
    (next: Value) => {
      let previous: Value | undefined;
      setState((before) => {
        previous = before.value;
        return { ...before, value: next };
      });
      return () => setState((before) => ({ ...before, value: previous }));
    },
    [key],
  );
  const { value, problem, isLoading } = state;
  return { value, problem, isLoading, reload, show };
};
