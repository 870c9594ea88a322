import { describe, expect, it } from "@jest/globals";
import { createActivity } from "../../../../infra/local/core/activity.ts";
import type { TargetModel } from "../../../../infra/local/core/model.ts";
import { createDeliver } from "../../../../infra/local/events/deliver.ts";
import { functionNotFound, type InvocationResult } from "../../../../infra/local/lambda/function-error.ts";
import type { Queue } from "../../../../infra/local/queues/queues.ts";

const rule = { name: "alerts", arn: "arn:aws:events:r:1:rule/alerts" };
const functionArn = "arn:aws:lambda:r:1:function:f";
const deadLetterQueueArn = "arn:aws:sqs:r:1:dead-letters";
const ok: InvocationResult = { ok: true, payload: "null" };

/** Delivers one event to a function. @returns payloads, log lines, and whether it was active at once */
const deliver = async (
  options: { allowed?: boolean; result?: InvocationResult; input?: TargetModel["input"]; deadLetterArn?: string } = {},
) => {
  const [sent, lines, kept]: [string[], string[], string[]] = [[], [], []];
  const activity = createActivity();
  const { allowed = true, result = ok, input, deadLetterArn } = options;
  const deadLetters = {
    send({ body }: { body: string }) {
      kept.push(body);
      return "message";
    },
  } as Partial<Queue> as Queue;
  const work = createDeliver({
    authorizer: {
      judge: ({ resource }) => ({
        allowed: allowed || resource === deadLetterQueueArn,
        reason: "because of the test",
      }),
    },
    invokeAsynchronously: async (_arn, payload) => {
      sent.push(payload);
      return result;
    },
    queues: {
      list: () => [],
      find: (arn) => (arn === deadLetterQueueArn ? deadLetters : undefined),
      redrive: () => 0,
      close: () => {},
    },
    activity,
    log: (line) => lines.push(line),
  })(
    rule,
    {
      id: "t",
      arn: functionArn,
      ...(input !== undefined && { input }),
      ...(deadLetterArn !== undefined && { deadLetterArn }),
    },
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
  return { sent, lines, kept, busyAtOnce };
};

describe("a delivery", () => {
  it("sends the event once, and counts as activity", async () => {
    expect(await deliver()).toEqual({ sent: ['{"id":"e"}'], lines: [], kept: [], busyAtOnce: true });
  });

  it("does not retry a function that fails: Lambda does", async () => {
    const error = { errorType: "Error", errorMessage: "broken", trace: [] };
    const { sent, lines } = await deliver({ result: { ok: false, error, reason: "failed" } });
    expect([sent.length, lines]).toEqual([1, []]);
  });

  it.each([
    [
      "the rule may not invoke the target",
      { allowed: false },
      `the rule alerts may not invoke ${functionArn} because of the test`,
    ],
    [
      "there is no such function",
      { result: { ok: false, error: functionNotFound(functionArn), reason: "refused" } } as const,
      `the rule alerts cannot invoke ${functionArn}: Function not found`,
    ],
    ["its input is not JSON", { input: { paths: {}, template: "no JSON" } }, "the input template makes no JSON"],
  ])("logs an event as lost if %s", async (_what, options, message) => {
    const { lines } = await deliver(options);
    expect(lines).toEqual([expect.stringMatching(/^LOST an event: /)]);
    expect(lines[0]).toContain(message);
  });

  it("keeps an event that the target did not take in the target's dead-letter queue", async () => {
    const { lines, kept } = await deliver({ allowed: false, deadLetterArn: deadLetterQueueArn });
    expect(kept).toEqual(['{"id":"e"}']);
    expect(lines).toEqual([expect.stringMatching(/^DEAD LETTER: the rule alerts may not invoke/)]);
    expect((await deliver({ allowed: false, deadLetterArn: "arn:aws:sqs:r:1:other" })).lines[0]).toMatch(/^LOST/);
  });
});
