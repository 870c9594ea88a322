/** Requests that change something: one at a time, and safe to send again when their answer was lost. */
import { useRef, useState } from "preact/hooks";
import { asProblem, type Problem } from "./problem.ts";

export type Action<Input, Output> = {
  /** @returns the answer; undefined if the request failed, which `problem` then explains. */
  run(input: Input): Promise<Output | undefined>;
  isRunning: boolean;
  problem: Problem | undefined;
  clear(): void;
};

/**
 * @param call sends the request; `key` is its `Idempotency-Key`. The same input after an uncertain failure has the same key,
 *   so the service does it once.
 */
export const useAction = <Input, Output>(
  call: (input: Input, key: string) => Promise<Output>,
): Action<Input, Output> => {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const running = useRef(false);
  const uncertain = useRef<{ input: string; key: string } | undefined>(undefined);
  return {
    isRunning,
    problem,
    clear: () => setProblem(undefined),
    async run(input) {
      if (running.current) return undefined;
      const text = JSON.stringify(input) ?? "";
      const key = uncertain.current?.input === text ? uncertain.current.key : crypto.randomUUID();
      running.current = true;
      setRunning(true);
      setProblem(undefined);
      try {
        const output = await call(input, key);
        uncertain.current = undefined;
        return output;
      } catch (error) {
        const failure = asProblem(error);
        uncertain.current = failure.isTemporary ? { input: text, key } : undefined;
        setProblem(failure);
        return undefined;
      } finally {
        running.current = false;
        setRunning(false);
      }
    },
  };
};
