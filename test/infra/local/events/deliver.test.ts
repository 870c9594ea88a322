import { describe, expect, it } from "@jest/globals";
import { createActivity } from "../../../../infra/local/core/activity.ts";
import type { TargetModel } from "../../../../infra/local/core/model.ts";
import { createDeliver } from "../../../../infra/local/events/deliver.ts";
import type { DeadLetter, Undelivered } from "../../../../infra/local/events/send-to-target.ts";

const rule = { name: "alerts", arn: "arn:aws:events:r:1:rule/alerts" };
const unavailable: Undelivered = { code: "SERVICE_FAILURE", message: "cannot reach it", retriable: true };
const forbidden: Undelivered = { code: "NO_PERMISSIONS", message: "may not", retriable: false };

/** Delivers one event to a target that answers so, and tells what came of it. */
const deliver = async (
  outcomes: (Undelivered | "sent")[],
  target: Partial<TargetModel> = {},
  options: { stepMs?: number; letterProblem?: string; stopped?: boolean } = {},
) => {
  let now = 1_000_000;
  const [sent, letters, lines]: [string[], DeadLetter[], string[]] = [[], [], []];
  const stopping = new AbortController();
  if (options.stopped) stopping.abort();
  const activity = createActivity();
  const work = createDeliver({
    send: async (_rule, _target, payload) => {
      sent.push(payload);
      now += options.stepMs ?? 0;
      return outcomes[Math.min(sent.length, outcomes.length) - 1] ?? "sent";
    },
    sendDeadLetter: (_arn, _rule, letter) => {
      letters.push(letter);
      return options.letterProblem;
    },
    activity,
    clock: { now: () => now },
    log: (line) => lines.push(line),
    stopping: stopping.signal,
  })(
    rule,
    { id: "t", arn: "arn:target", retryPolicy: { maximumRetryAttempts: 4, maximumEventAgeSeconds: 60 }, ...target },
    { id: "e" },
  );
  let wasBusy = true;
  void activity.idle().then(() => {
    wasBusy = false;
  });
  await Promise.resolve();
  const busyAtOnce = wasBusy;
  await work;
  await activity.idle();
  return { sent, letters, lines, busyAtOnce };
};
const withQueue = { deadLetterArn: "arn:aws:sqs:r:1:dead" };

describe("a delivery", () => {
  it("is one try where the target takes it, and counts as activity", async () => {
    const { sent, letters, lines, busyAtOnce } = await deliver(["sent"], withQueue);
    expect([sent, letters, lines, busyAtOnce]).toEqual([['{"id":"e"}'], [], [], true]);
  });

  it("is tried again until it succeeds", async () => {
    const { sent, letters, lines } = await deliver([unavailable, unavailable, "sent"], withQueue);
    expect([sent.length, letters, lines]).toEqual([3, [], []]);
  });

  it("goes to the dead-letter queue after as many retries as the policy has", async () => {
    const { sent, letters, lines } = await deliver([unavailable], withQueue);
    expect(sent).toHaveLength(5);
    expect(letters).toEqual([
      {
        event: { id: "e" },
        targetArn: "arn:target",
        code: "SERVICE_FAILURE",
        message: "cannot reach it",
        retries: 4,
        exhausted: "MaximumRetryAttempts",
      },
    ]);
    expect(lines).toEqual([expect.stringContaining("the event went to arn:aws:sqs:r:1:dead")]);
  });

  it("goes there when it is too old by the local clock", async () => {
    const { sent, letters } = await deliver([unavailable], withQueue, { stepMs: 25_000 });
    expect(sent).toHaveLength(3);
    expect(letters).toMatchObject([{ exhausted: "MaximumEventAgeInSeconds", retries: 2 }]);
  });

  it("is not tried again where that cannot help, nor while everything stops", async () => {
    const denied = await deliver([forbidden], withQueue);
    expect([denied.sent.length, denied.letters.length]).toEqual([1, 1]);
    expect(denied.letters[0]).not.toHaveProperty("exhausted");
    expect((await deliver([unavailable], withQueue, { stopped: true })).sent).toHaveLength(1);
  });

  it("is never attempted where its input cannot be made, and goes to the queue", async () => {
    const input = { kind: "template", paths: {}, template: "no JSON" } as const;
    const { sent, letters } = await deliver(["sent"], { ...withQueue, input });
    expect([sent, letters]).toEqual([[], [expect.objectContaining({ code: "INVALID_JSON", event: { id: "e" } })]]);
  });

  it("says loudly when it is lost", async () => {
    const { lines } = await deliver([forbidden]);
    expect(lines).toEqual([
      expect.stringMatching(/^LOST an event: the rule alerts may not .*has no dead-letter queue/),
    ]);
    const refused = await deliver([forbidden], withQueue, { letterProblem: "may not send to it" });
    expect(refused.lines).toEqual([expect.stringMatching(/^LOST an event: .*; may not send to it$/)]);
  });
});
