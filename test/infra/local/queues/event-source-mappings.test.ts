import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { type Activity, createActivity } from "../../../../infra/local/core/activity.ts";
import type { QueueModel } from "../../../../infra/local/core/model.ts";
import { type InvocationResult, throttled } from "../../../../infra/local/lambda/function-error.ts";
import {
  createEventSourceMappings,
  type EventSourceMappings,
} from "../../../../infra/local/queues/event-source-mappings.ts";
import { openQueues, type Queue, type Queues } from "../../../../infra/local/queues/queues.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

const VISIBILITY_SECONDS = 60;
const arn = (name: string) => `arn:aws:sqs:eu-central-1:000000000000:${name}`;
const model = (name: string, rest: Partial<QueueModel> = {}): QueueModel => ({
  logicalId: name,
  name,
  arn: arn(name),
  visibilityTimeoutSeconds: VISIBILITY_SECONDS,
  retentionSeconds: 86_400,
  ...rest,
});

let dataDirectory: string;
let now: number;
let queues: Queues;
let activity: Activity;
let mappings: EventSourceMappings;
let invoke: () => Promise<InvocationResult>;

beforeEach(() => {
  dataDirectory = newDirectory("mappings-");
  now = 1_800_000_000_000;
  activity = createActivity();
  const clock = { now: () => now };
  const models = [model("work", { redrive: { deadLetterArn: arn("dead"), maxReceiveCount: 3 } }), model("dead")];
  queues = openQueues({ queues: models, dataDirectory, clock });
  mappings = createEventSourceMappings(
    [{ logicalId: "Mapping", queueArn: arn("work"), functionArn: "arn:worker", batchSize: 1, maxConcurrency: 2 }],
    { judge: () => ({ allowed: true, reason: "" }) },
    { queues, functions: { invokeIfFree: () => invoke() }, activity, clock, log: () => undefined },
  );
});
afterEach(() => {
  mappings.stop();
  queues.close();
});

const queue = (name: string): Queue => {
  const found = queues.find(arn(name));
  if (found === undefined) throw new Error(`no queue ${name}`);
  return found;
};
const send = (count: number) => {
  for (let n = 0; n < count; n++) queue("work").send({ body: `${n}`, sender: "test" });
};

describe("a queue that invokes a function", () => {
  it("has no more batches at once than its maximum concurrency; the other messages stay unreceived", async () => {
    let [running, most] = [0, 0];
    const depths: number[] = [];
    invoke = async () => {
      most = Math.max(most, ++running);
      depths.push(queue("work").depth().inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return { ok: true, payload: "{}" };
    };
    send(7);
    await activity.idle();
    expect({ most, mostInFlight: Math.max(...depths), left: queue("work").depth() }).toEqual({
      most: 2,
      mostInFlight: 2,
      left: { visible: 0, inFlight: 0 },
    });
  });

  it("counts a throttled receive: the message returns after its time-out, and at last becomes a dead letter", async () => {
    invoke = async () => ({ ok: false, error: throttled(), reason: "throttled" });
    send(1);
    for (const receives of [1, 2, 3]) {
      await activity.idle();
      expect(queue("work").peek(1)).toMatchObject([{ receive_count: receives }]);
      expect(queue("work").depth()).toEqual({ visible: 0, inFlight: 1 });
      now += VISIBILITY_SECONDS * 1_000;
      mappings.poll();
    }
    await activity.idle();
    expect(queue("dead").peek(1)).toMatchObject([{ body: "0", receive_count: 3 }]);
  });
});
