import type { FunctionModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import { functionNotFound, type InvocationResult, throttled } from "./function-error.ts";
import {
  createFunctionPool,
  type FunctionPool,
  type FunctionPoolOptions,
  type FunctionUsage,
} from "./function-pool.ts";
import { createSourcePositions } from "./source-positions.ts";

/** Concurrency that an account must keep unreserved. https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html */
const MIN_UNRESERVED = 100;

export type FunctionsOptions = Pick<FunctionPoolOptions, "maxInstances" | "clockOffsetMs" | "watchdog"> & {
  functions: readonly FunctionModel[];
  /** The account's quota of concurrent executions. */
  accountConcurrency: number;
  /** A fresh environment for each instance, see environment.ts. */
  environmentOf: (fn: FunctionModel) => Record<string, string>;
  /** Called with each log line of the function with that logical id. */
  log: (logicalId: string, line: string) => void;
};

/** Every function of the stack with its pool of instances. Its first event starts the first instance. */
export type Functions = {
  /**
   * Invokes synchronously, for a client's request; `payload` is JSON text. See FunctionPool.invoke. Never rejects.
   * A request waits if the function has no free instance: it is never throttled here.
   */
  invoke(functionArn: string, payload: string, onStart?: () => void): Promise<InvocationResult>;
  /**
   * Invokes for a queue or an asynchronous event: `throttled` if the function has used up its reserved concurrency, or
   * all functions without a reservation the rest of the account's. https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
   */
  invokeIfFree(functionArn: string, payload: string): Promise<InvocationResult>;
  /** Runs later events of a function on the code of another directory. See FunctionPool.replaceCode. */
  replaceCode(functionArn: string, codeDirectory: string): Promise<void>;
  list(): ({ name: string; logicalId: string; arn: string; instances: number; coldStarts: number } & FunctionUsage)[];
  stop(): Promise<void>;
};

/**
 * Makes one pool per function of the stack.
 * @throws TemplateError if the reservations leave less than 100 of the account's concurrency: Lambda refuses them too.
 */
export const createFunctions = (options: FunctionsOptions): Functions => {
  const { accountConcurrency, maxInstances } = options;
  const pools = new Map<string, { fn: FunctionModel; pool: FunctionPool }>();
  const toSource = createSourcePositions();
  let unreserved = accountConcurrency;
  for (const fn of options.functions) {
    const { reservedConcurrency = 0 } = fn;
    unreserved -= reservedConcurrency;
    if (reservedConcurrency > 0 && unreserved < MIN_UNRESERVED)
      throw new TemplateError(fn.logicalId, `its reserved concurrency leaves less than ${MIN_UNRESERVED} unreserved`);
    const pool = createFunctionPool({
      functionArn: fn.arn,
      codeDirectory: fn.codeDirectory,
      memoryMb: fn.memoryMb,
      timeoutSeconds: fn.timeoutSeconds,
      environment: (codeDirectory) => options.environmentOf({ ...fn, codeDirectory }),
      maxInstances: Math.min(maxInstances, fn.reservedConcurrency ?? maxInstances),
      clockOffsetMs: options.clockOffsetMs,
      log: (line) => options.log(fn.logicalId, toSource(line)),
      watchdog: options.watchdog,
    });
    pools.set(fn.arn, { fn, pool });
  }

  /** Executions under way: by function with a reservation, and of all other functions together. */
  const underWay = new Map<FunctionModel | undefined, number>();
  const sharerOf = (fn: FunctionModel) => (fn.reservedConcurrency === undefined ? undefined : fn);
  const isFree = (fn: FunctionModel) => (underWay.get(sharerOf(fn)) ?? 0) < (fn.reservedConcurrency ?? unreserved);

  const run = async (
    { fn, pool }: { fn: FunctionModel; pool: FunctionPool },
    payload: string,
    onStart?: () => void,
  ): Promise<InvocationResult> => {
    const sharer = sharerOf(fn);
    underWay.set(sharer, (underWay.get(sharer) ?? 0) + 1);
    const result = await pool.invoke(payload, onStart);
    underWay.set(sharer, (underWay.get(sharer) ?? 0) - 1);
    return result;
  };
  const notFound = (functionArn: string): InvocationResult => {
    return { ok: false, error: functionNotFound(functionArn), reason: "refused" };
  };

  return {
    async invoke(functionArn, payload, onStart) {
      const found = pools.get(functionArn);
      return found === undefined ? notFound(functionArn) : run(found, payload, onStart);
    },
    async invokeIfFree(functionArn, payload) {
      const found = pools.get(functionArn);
      if (found === undefined) return notFound(functionArn);
      return isFree(found.fn) ? run(found, payload) : { ok: false, error: throttled(), reason: "throttled" };
    },
    async replaceCode(functionArn, codeDirectory) {
      await pools.get(functionArn)?.pool.replaceCode(codeDirectory);
    },
    list: () =>
      [...pools.values()].map(({ fn, pool }) => ({
        name: fn.name,
        logicalId: fn.logicalId,
        arn: fn.arn,
        ...pool.counts(),
        ...pool.usage(),
      })),
    async stop() {
      await Promise.all([...pools.values()].map(({ pool }) => pool.stop()));
    },
  };
};
