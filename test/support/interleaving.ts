import { setImmediate as untilIdle } from "node:timers/promises";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createRandom } from "./random.ts";

/**
 * Lets several actors work at the same time, one call to the store at a time, each next one chosen by the seed: so
 * that every order of their calls comes up sooner or later, and the one that fails can be had again.
 */
export const createTurns = (seed: number) => {
  const random = createRandom(seed);
  const choose = <Value>(values: readonly [Value, ...Value[]]): Value =>
    values[Math.floor(random() * values.length)] ?? values[0];
  const waiting: (() => Promise<void>)[] = [];
  let beforeTurn = () => {};

  /** Waits for a turn; the next begins when `work` is over. */
  const turn = <Result>(work: () => Promise<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push(() => work().then(resolve, reject));
    });

  return {
    choose,
    /** Called before each turn. */
    between: (call: () => void) => {
      beforeTurn = call;
    },
    pause: () => turn(async () => undefined),
    /** Makes each call of a client wait for its turn. */
    delay: (client: DynamoDBDocumentClient) =>
      client.middlewareStack.add((next) => (args) => turn(() => next(args)), { step: "initialize", name: "turns" }),
    /** Gives turns until all actors are done. @throws what the first failing one threw. */
    run: async (actors: readonly Promise<unknown>[]): Promise<void> => {
      let isDone = false;
      const done = Promise.all(actors).finally(() => {
        isDone = true;
      });
      done.catch(() => undefined);
      while (!isDone) {
        await untilIdle();
        const [first, ...others] = waiting;
        if (first === undefined) continue;
        const next = choose([first, ...others]);
        waiting.splice(waiting.indexOf(next), 1);
        beforeTurn();
        await next();
      }
      await done;
    },
  };
};
