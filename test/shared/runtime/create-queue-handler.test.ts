import { describe, expect, it } from "@jest/globals";
import type { Context, SQSEvent } from "aws-lambda";
import * as z from "zod/mini";
import { createMessageHandler, createQueueHandler } from "../../../shared/runtime/background-handlers.ts";
import { quietLog } from "../../support/quiet-log.ts";

quietLog();

const batchOf = (...bodies: string[]) =>
  ({
    Records: bodies.map((body, i) => ({
      messageId: `message-${i}`,
      receiptHandle: `receipt-${i}`,
      body,
      attributes: { ApproximateReceiveCount: String(i + 1) },
    })),
  }) as SQSEvent;
const context = { awsRequestId: "invocation-1", getRemainingTimeInMillis: () => 1_000 } as Context;
process.env.CONSUMED_EVENTS = "test/Numbered";
const origin = { source: "test", "detail-type": "Numbered" };
const detail = (value: unknown) => JSON.stringify({ ...origin, detail: value });

describe("a queue's handler", () => {
  it("processes each message, and returns only the failed ones", async () => {
    const done: [number: number, receives: number][] = [];
    const handler = createQueueHandler("test", z.object({ number: z.number() }), async ({ number }, receives) => {
      if (number === 2) throw new Error("not this one");
      done.push([number, receives]);
    });
    const batch = batchOf(
      detail({ number: 1 }),
      detail({ number: 2 }),
      detail({ number: "three" }),
      "{",
      JSON.stringify(origin),
      detail({ number: 6 }),
    );
    await expect(handler(batch, context)).resolves.toEqual({
      batchItemFailures: [1, 2, 3, 4].map((i) => ({ itemIdentifier: `message-${i}` })),
    });
    expect(done).toEqual([
      [1, 1],
      [6, 6],
    ]);
  });

  it("works on all messages of a batch at once, so a slow one does not delay the others", async () => {
    const last = Promise.withResolvers<void>();
    const handler = createQueueHandler("test", z.object({ number: z.number() }), async ({ number }) => {
      if (number === 5) last.resolve();
      else await last.promise;
    });
    const batch = batchOf(...[1, 2, 3, 4, 5].map((number) => detail({ number })));
    await expect(handler(batch, context)).resolves.toEqual({ batchItemFailures: [] });
  });
});

describe("a queue's handler of a message that no rule has put into the queue", () => {
  it.each([
    ["of another source", { ...origin, source: "attacker", detail: { number: 1 } }],
    ["of another type", { ...origin, "detail-type": "Other", detail: { number: 1 } }],
    ["without source and type", { detail: { number: 1 } }],
    ["that is nothing", null],
  ])("deletes one %s without work", async (_, forged) => {
    const done: number[] = [];
    const handler = createQueueHandler("test", z.object({ number: z.number() }), async ({ number }) => {
      done.push(number);
    });
    const batch = batchOf(JSON.stringify(forged), detail({ number: 2 }));
    await expect(handler(batch, context)).resolves.toEqual({ batchItemFailures: [] });
    expect(done).toEqual([2]);
  });
});

describe("the handler of messages of functions", () => {
  it("keeps failed and postponed messages in the queue, and hides the postponed ones", async () => {
    const postponed: unknown[] = [];
    const done: unknown[] = [];
    const handler = createMessageHandler(
      "test",
      z.object({ number: z.number() }),
      async ({ number }, { remainingMs, ...message }) => {
        if (number === 2) throw new Error("not this one");
        if (number === 3) return 90;
        done.push({ number, ...message, remainingMs: remainingMs() });
        return undefined;
      },
      async (...call) => void postponed.push(call),
    );
    const bodies = [1, 2, 3].map((number) => JSON.stringify({ number }));
    await expect(handler(batchOf(...bodies, "{}", "{"), context)).resolves.toEqual({
      batchItemFailures: [1, 2, 3, 4].map((i) => ({ itemIdentifier: `message-${i}` })),
    });
    expect(postponed).toEqual([["receipt-2", 90]]);
    expect(done).toEqual([{ number: 1, id: "message-0", receiptHandle: "receipt-0", receives: 1, remainingMs: 1_000 }]);
  });
});
