import type { FunctionModel } from "../core/model.ts";
import { functionNotFound, type InvocationResult } from "./function-error.ts";
import { createFunctionPool, type FunctionPool, type FunctionPoolOptions } from "./function-pool.ts";

export type FunctionsOptions = Pick<FunctionPoolOptions, "maxInstances" | "clockOffsetMs" | "watchdog"> & {
  functions: readonly FunctionModel[];
  /** A fresh environment for each instance, see environment.ts. */
  environmentOf: (fn: FunctionModel) => Record<string, string>;
  /** Called with each log line of the function with that logical id. */
  log: (logicalId: string, line: string) => void;
};

/** Every function of the stack with its pool of instances. Its first event starts the first instance. */
export type Functions = {
  /** Invokes synchronously; `payload` is JSON text. See FunctionPool.invoke. Never rejects. */
  invoke(functionArn: string, payload: string, onStart?: () => void): Promise<InvocationResult>;
  list(): { name: string; logicalId: string; arn: string; instances: number; coldStarts: number }[];
  stop(): Promise<void>;
};

/** Makes one pool per function of the stack. */
export const createFunctions = (options: FunctionsOptions): Functions => {
  const pools = new Map<string, { fn: FunctionModel; pool: FunctionPool }>();
  for (const fn of options.functions) {
    const pool = createFunctionPool({
      functionArn: fn.arn,
      codeDirectory: fn.codeDirectory,
      memoryMb: fn.memoryMb,
      timeoutSeconds: fn.timeoutSeconds,
      environment: () => options.environmentOf(fn),
      maxInstances: options.maxInstances,
      clockOffsetMs: options.clockOffsetMs,
      log: (line) => options.log(fn.logicalId, line),
      watchdog: options.watchdog,
    });
    pools.set(fn.arn, { fn, pool });
  }
  return {
    async invoke(functionArn, payload, onStart) {
      const found = pools.get(functionArn);
      if (!found) return { ok: false, error: functionNotFound(functionArn), reason: "refused" };
      return found.pool.invoke(payload, onStart);
    },
    list: () =>
      [...pools.values()].map(({ fn, pool }) => ({
        name: fn.name,
        logicalId: fn.logicalId,
        arn: fn.arn,
        ...pool.counts(),
      })),
    async stop() {
      await Promise.all([...pools.values()].map(({ pool }) => pool.stop()));
    },
  };
};
