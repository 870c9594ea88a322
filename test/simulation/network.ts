/**
 * Requests between the parts of a simulation. Each request and each answer is an entry of the scheduler. The dice decide
 * what happens to a request: it may be late, refused, lost before or after the work was done, hang, or outlive its sender.
 */
import type { Process, Scheduler } from "./scheduler.ts";

/** The probabilities of faults, from 0 to 1 for each request. They may change while a simulation runs. */
export type FaultRates = { refuse: number; loseRequest: number; loseAnswer: number; hang: number; kill: number };

export const NO_FAULTS: FaultRates = { refuse: 0, loseRequest: 0, loseAnswer: 0, hang: 0, kill: 0 };

export type Outgoing<Answer> = {
  owner: Process | undefined;
  /** Does the work at the other side. */
  execute: () => Answer;
  /** Answers of the other side that does not do the work; they may throw. */
  refusals: readonly (() => Answer)[];
  /** When the client stops waiting. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** What happens to the request whatever the dice say. */
  fate?: Fate | undefined;
};

/** An error of the network with the code that Node gives it. */
const networkError = (code: "ECONNRESET" | "ETIMEDOUT"): Error =>
  Object.assign(new Error(code), { code, name: code === "ETIMEDOUT" ? "TimeoutError" : "Error" });

const FATES = ["refuse", "loseRequest", "loseAnswer", "hang", "kill"] as const;
export type Fate = (typeof FATES)[number] | "succeed";

export type Network = ReturnType<typeof createNetwork>;

export const createNetwork = (scheduler: Scheduler, kill: (owner: Process) => void) => {
  const { chance, between, after } = scheduler;
  const rates: FaultRates = { ...NO_FAULTS };

  /** The instance of a function that dies at its nth request from now on. */
  let doomed: { name: string; requests: number } | undefined;

  const isDoomed = (owner: Process | undefined): boolean => {
    if (doomed === undefined || owner?.name.startsWith(`${doomed.name} `) !== true) return false;
    doomed.requests--;
    if (doomed.requests > 0) return false;
    doomed = undefined;
    return true;
  };

  const chooseFate = (): Fate => {
    let dice = scheduler.random();
    for (const fate of FATES) {
      dice -= rates[fate];
      if (dice < 0) return fate;
    }
    return "succeed";
  };

  /** Most requests take some milliseconds, some much longer. */
  const latency = (): number => (chance(0.03) ? between(20, 400) : between(1, 8));

  return {
    rates,
    /** Kills the instance of a function at its nth request from now on. */
    doom(name: string, requests: number): void {
      doomed = { name, requests };
    },
    send<Answer>({ owner, execute, refusals, timeoutMs, signal, fate: decided }: Outgoing<Answer>): Promise<Answer> {
      let fate = isDoomed(owner) ? "kill" : (decided ?? chooseFate());
      if (fate === "kill" && owner === undefined) fate = "succeed";
      return new Promise((resolve, reject) => {
        const abort = () =>
          reject(Object.assign(new Error("Request aborted"), { name: "AbortError", code: "ABORT_ERR" }));
        if (signal?.aborted) return abort();
        signal?.addEventListener("abort", abort, { once: true });
        const conclude = (ms: number, work: () => void) =>
          after(
            ms,
            () => {
              signal?.removeEventListener("abort", abort);
              work();
            },
            owner,
          );
        const settle = (ms: number, work: () => Answer) =>
          conclude(ms, () => {
            try {
              resolve(work());
            } catch (error) {
              reject(error);
            }
          });

        const arrive = () => {
          if (fate === "refuse") return settle(latency(), scheduler.pick(refusals));
          if (fate === "loseRequest") return conclude(latency(), () => reject(networkError("ECONNRESET")));
          let answer: () => Answer;
          try {
            const value = execute();
            answer = () => value;
          } catch (error) {
            answer = () => {
              throw error;
            };
          }
          if (fate === "loseAnswer") return conclude(latency(), () => reject(networkError("ECONNRESET")));
          if (fate === "kill" && owner !== undefined) return kill(owner);
          if (fate !== "hang") settle(latency(), answer);
        };

        if (fate === "hang") conclude(timeoutMs, () => reject(networkError("ETIMEDOUT")));
        // Half of the hanging requests arrive, and half of the dying senders die before their request leaves.
        const isLeft = chance(0.5);
        if (fate === "hang" && isLeft) return;
        if (fate === "kill" && isLeft && owner !== undefined) return void after(latency(), () => kill(owner));
        after(latency(), arrive);
      });
    },
  };
};
