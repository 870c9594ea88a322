import { setImmediate as untilIdle } from "node:timers/promises";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createRandom } from "./random.ts";

/**
 * Interleaves the store calls of several actors. One call runs at a time; the seed chooses the next actor. Many seeds
 * cover many orders, and a failing order can be replayed by its seed.
 */
export const createTurns = (seed: number) => {
  const random = createRandom(seed);
  const choose = <Value>(values: readonly [Value, ...Value[]]): Value =>
    values[Math.floor(random() * values.length)] ?? values[0];
  const waiting: (() => Promise<void>)[] = [];
  let beforeTurn = () => {};

  /** Waits for a turn. The next turn begins when `work` has ended. */
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
    /** Makes each call of a client wait for its turn. The call's own deadline does not count, because it would include the wait. */
    delay: (client: DynamoDBDocumentClient) => {
      const { requestHandler } = client.config;
      const handle = requestHandler.handle.bind(requestHandler);
      requestHandler.handle = (request, options) => handle(request, { ...options, abortSignal: undefined });
      client.middlewareStack.add((next) => (args) => turn(() => next(args)), { step: "initialize", name: "turns" });
    },
    /**
     * Gives turns until all actors are done, and the calls that an actor had begun when it failed. @throws the error of the
     * first actor that failed
     */
    run: async (actors: readonly Promise<unknown>[]): Promise<void> => {
      let isDone = false;
      const done = Promise.all(actors).finally(() => {
        isDone = true;
      });
      done.catch(() => undefined);
      for (;;) {
        await untilIdle();
        const [first, ...others] = waiting;
        if (first === undefined && isDone) break;
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
