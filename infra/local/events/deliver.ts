import { setTimeout as sleep } from "node:timers/promises";
import type { Activity } from "../core/activity.ts";
import type { Clock } from "../core/clock.ts";
import type { TargetModel } from "../core/model.ts";
import type { DeadLetter, DeliveringRule, Send, Undelivered } from "./send-to-target.ts";
import { targetPayload } from "./target-input.ts";

/** EventBridge waits longer from try to try, for a day; here for a fifth of a second at most, in real time. */
const MAX_DELAY_MS = 200;
const FIRST_DELAY_MS = 20;

/**
 * Hands an event to one target of a rule: again where that may help, as the target's RetryPolicy says, then to its
 * dead-letter queue, then to the log. Resolves when nothing more follows, the function's own work included. Never rejects.
 */
export type Deliver = (rule: DeliveringRule, target: TargetModel, event: unknown) => Promise<void>;

export const createDeliver = (options: {
  send: Send;
  /** Puts an event that was given up into the queue. @returns why it could not be put there, if so. */
  sendDeadLetter: (deadLetterArn: string, rule: DeliveringRule, letter: DeadLetter) => string | undefined;
  activity: Pick<Activity, "begin">;
  clock: Pick<Clock, "now">;
  log: (line: string) => void;
  /** Once aborted, nothing is tried again. */
  stopping: AbortSignal;
}): Deliver => {
  const { send, sendDeadLetter, activity, clock, log, stopping } = options;

  const tryTarget = async (rule: DeliveringRule, target: TargetModel, event: unknown): Promise<DeadLetter | "sent"> => {
    const { maximumRetryAttempts, maximumEventAgeSeconds } = target.retryPolicy;
    const startedAt = clock.now();
    const letter = (failure: Undelivered, retries: number, exhausted?: string): DeadLetter => ({
      event,
      targetArn: target.arn,
      code: failure.code,
      message: failure.message,
      retries,
      ...(exhausted !== undefined && { exhausted }),
    });
    let payload: string;
    try {
      payload = targetPayload(target.input, {
        event,
        ruleArn: rule.arn,
        ingestedAt: `${new Date(startedAt).toISOString().slice(0, 19)}Z`,
      });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return letter({ code: "INVALID_JSON", message, retriable: false }, 0);
    }
    for (let retries = 0; ; retries++) {
      const outcome = await send(rule.arn, target.arn, payload);
      if (outcome === "sent") return "sent";
      if (!outcome.retriable || stopping.aborted) return letter(outcome, retries);
      if (retries >= maximumRetryAttempts) return letter(outcome, retries, "MaximumRetryAttempts");
      if (clock.now() - startedAt >= maximumEventAgeSeconds * 1000)
        return letter(outcome, retries, "MaximumEventAgeInSeconds");
      const delayMs = Math.min(FIRST_DELAY_MS * 2 ** retries, MAX_DELAY_MS);
      await sleep(delayMs, undefined, { signal: stopping }).catch(() => {});
    }
  };

  return async (rule, target, event) => {
    const end = activity.begin();
    try {
      const outcome = await tryTarget(rule, target, event);
      if (outcome === "sent") return;
      const what = `the rule ${rule.name} ${outcome.message} (${outcome.code}, after ${outcome.retries} retries)`;
      const { deadLetterArn } = target;
      const problem =
        deadLetterArn === undefined
          ? `its target ${target.id} has no dead-letter queue`
          : sendDeadLetter(deadLetterArn, rule, outcome);
      log(problem === undefined ? `${what}: the event went to ${deadLetterArn}` : `LOST an event: ${what}; ${problem}`);
    } catch (error) {
      log(`LOST an event: the rule ${rule.name}: ${error instanceof Error ? error.stack : String(error)}`);
    } finally {
      end();
    }
  };
};
