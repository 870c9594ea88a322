import { describe, expect, it } from "@jest/globals";
import { createActivity } from "../../../../infra/local/core/activity.ts";
import type { TargetModel } from "../../../../infra/local/core/model.ts";
import { createDeliver } from "../../../../infra/local/events/deliver.ts";
import { functionNotFound, type InvocationResult } from "../../../../infra/local/lambda/function-error.ts";

const rule = { name: "alerts", arn: "arn:aws:events:r:1:rule/alerts" };
const functionArn = "arn:aws:lambda:r:1:function:f";
const ok: InvocationResult = { ok: true, payload: "null" };

/** Delivers one event to a function. @returns payloads, log lines, and whether it was active at once */
const deliver = async (
  options: { allowed?: boolean; result?: InvocationResult; input?: TargetModel["input"] } = {},
) => {
  const [sent, lines]: [string[], string[]] = [[], []];
  const activity = createActivity();
  const { allowed = true, result = ok, input } = options;
  const work = createDeliver({
    authorizer: { judge: () => ({ allowed, reason: "because of the test" }) },
    invokeAsynchronously: async (_arn, payload) => {
      sent.push(payload);
      return result;
    },
    queues: { list: () => [], find: () => undefined, redrive: () => 0, close: () => {} },
    activity,
    log: (line) => lines.push(line),
  })(rule, { id: "t", arn: functionArn, ...(input !== undefined && { input }) }, { id: "e" });
  let wasBusy = true;
  void activity.idle().then(() => {
    wasBusy = false;
  });
  await Promise.resolve();
  const busyAtOnce = wasBusy;
  await work;
  await activity.idle();
  return { sent, lines, busyAtOnce };
};

describe("a delivery", () => {
  it("sends the event once, and counts as activity", async () => {
    expect(await deliver()).toEqual({ sent: ['{"id":"e"}'], lines: [], busyAtOnce: true });
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
});
