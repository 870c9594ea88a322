import { describe, expect, it } from "@jest/globals";
import { createActivity } from "../../../../infra/local/core/activity.ts";
import { type InvocationResult, throttled } from "../../../../infra/local/lambda/function-error.ts";
import { createAsyncInvoker } from "../../../../infra/local/lambda/invoke-asynchronously.ts";

const THROTTLED: InvocationResult = { ok: false, error: throttled(), reason: "throttled" };
const OK: InvocationResult = { ok: true, payload: "{}" };

describe("an asynchronous event", () => {
  it("waits while the function is throttled, however often, and is not lost", async () => {
    const results = [THROTTLED, THROTTLED, THROTTLED, THROTTLED, OK];
    const lines: string[] = [];
    const invoke = createAsyncInvoker({
      functions: { invokeIfFree: async () => results.shift() ?? OK },
      activity: createActivity(),
      log: (line) => lines.push(line),
      stopping: new AbortController().signal,
    });
    expect(await invoke("arn:worker", "{}")).toEqual(OK);
    expect({ left: results.length, lines }).toEqual({ left: 0, lines: [] });
  });
});
