/** Function instances that may crash at every await, and calls that may fail before or after their effect. */
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import type { createTurns } from "../../support/interleaving.ts";

export type Turns = ReturnType<typeof createTurns>;

/** One invocation. After its end, its calls have no effect and no answer. */
export type Life = { isOver: boolean; over: Promise<"died">; end: () => void };

/** Probabilities per call, from 0 to 1. */
export type Rates = { crash: number; fail: number };

const never = <Result>() => new Promise<Result>(() => undefined);

export const createMortality = (turns: Turns, random: () => number) => {
  const rates: Rates = { crash: 0, fail: 0 };

  const newLife = (): Life => {
    const { promise: over, resolve } = Promise.withResolvers<"died">();
    const life: Life = {
      isOver: false,
      over,
      end: () => {
        life.isOver = true;
        resolve("died");
      },
    };
    return life;
  };

  /** Whether the invocation ends here or has ended meanwhile. */
  const isEnd = (life: Life): boolean => {
    if (!life.isOver && random() < rates.crash) life.end();
    return life.isOver;
  };

  const failure = () => new DomainError("store_unavailable", "The store did not answer.");

  /** A call of an invocation: it executes at one turn, and its answer arrives at a later one. */
  const call = async <Result>(life: Life, work: () => Promise<Result>): Promise<Result> => {
    await turns.pause();
    if (isEnd(life)) return never();
    if (random() < rates.fail) throw failure();
    const result = await work();
    await turns.pause();
    if (isEnd(life)) return never();
    if (random() < rates.fail) throw failure();
    return result;
  };

  type Method = (...args: never[]) => Promise<unknown>;

  return {
    rates,
    call,

    /** Wraps a store or another dependency for an invocation: each method becomes a call. */
    mortal: <Part extends Record<string, Method>>(life: Life, part: Part): Part =>
      Object.fromEntries(
        Object.entries(part).map(([name, method]) => [name, (...args: never[]) => call(life, () => method(...args))]),
      ) as Part,

    /** Runs an invocation to its end or crash. */
    async live<Result>(work: (life: Life) => Promise<Result>): Promise<Result | "died" | "failed"> {
      const life = newLife();
      try {
        return await Promise.race([work(life), life.over]);
      } catch (error) {
        if (error instanceof DomainError) return "failed";
        throw error;
      } finally {
        life.end();
      }
    },
  };
};

export type Mortality = ReturnType<typeof createMortality>;
