import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { QueueModel } from "../../../../infra/local/core/model.ts";
import { openQueues, type Queue, type Queues } from "../../../../infra/local/queues/queues.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

const arn = (name: string) => `arn:aws:sqs:eu-central-1:000000000000:${name}`;
const model = (name: string, rest: Partial<QueueModel> = {}): QueueModel => ({
  logicalId: name,
  name,
  arn: arn(name),
  visibilityTimeoutSeconds: 30,
  retentionSeconds: 3600,
  ...rest,
});
const models = [
  model("work", { redrive: { deadLetterArn: arn("dead"), maxReceiveCount: 2 } }),
  model("dead"),
  model("other"),
];

let dataDirectory: string;
let now: number;
let queues: Queues;
const open = () => openQueues({ queues: models, dataDirectory, clock: { now: () => now } });
const queue = (name: string): Queue => {
  const found = queues.find(arn(name));
  if (found === undefined) throw new Error(`no queue ${name}`);
  return found;
};
const send = (body: string, name = "work") => queue(name).send({ body, sender: "test" });
const bodies = (name: string, max = 10) =>
  queue(name)
    .receive({ max })
    .map(({ body }) => body);
const pass = (seconds: number) => {
  now += seconds * 1000;
};

beforeEach(() => {
  dataDirectory = newDirectory("queues-");
  now = 1_800_000_000_000;
  queues = open();
});
afterEach(() => {
  queues.close();
});

describe("messages of groups", () => {
  const sendOf = (group: string, count: number) => {
    for (let i = 0; i < count; i++) queue("work").send({ body: `${group}${i}`, sender: "test", group });
  };

  it("of a group with fewer in flight are received first, also after a restart, and then the oldest", () => {
    sendOf("a", 6);
    expect(bodies("work", 2)).toEqual(["a0", "a1"]);
    sendOf("b", 2);
    queues.close();
    queues = open();
    expect(bodies("work", 3)).toEqual(["b0", "b1", "a2"]);
    expect(bodies("work", 3)).toEqual(["a3", "a4", "a5"]);
  });

  it("are received in order of their age if fairness is off", () => {
    queues.close();
    queues = openQueues({ queues: models, dataDirectory, clock: { now: () => now }, isFair: false });
    sendOf("a", 4);
    expect(bodies("work", 2)).toEqual(["a0", "a1"]);
    sendOf("b", 1);
    expect(bodies("work", 3)).toEqual(["a2", "a3", "b0"]);
  });
});

describe("a queue", () => {
  it("delivers the oldest message first, hides it, and delivers it again after the visibility time-out", () => {
    for (const body of ["a", "b", "c"]) send(body);
    expect(bodies("work", 2)).toEqual(["a", "b"]);
    expect(bodies("work")).toEqual(["c"]);
    expect(queue("work").depth()).toEqual({ visible: 0, inFlight: 3 });
    expect(queue("work").nextVisibleAt()).toBe(now + 30_000);
    pass(29);
    expect(bodies("work")).toEqual([]);
    pass(1);
    expect(queue("work").receive({ max: 1 })).toMatchObject([{ body: "a", receive_count: 2 }]);
  });

  it("is separate from other queues", () => {
    send("a");
    expect(bodies("other")).toEqual([]);
  });

  it("deletes a message only by the receipt of its last receive", () => {
    send("a");
    const [first] = queue("work").receive({ max: 1 });
    pass(30);
    const [second] = queue("work").receive({ max: 1 });
    queue("work").delete(first?.receipt ?? "");
    expect(queue("work").depth().inFlight).toBe(1);
    queue("work").delete(second?.receipt ?? "");
    expect(queue("work").depth()).toEqual({ visible: 0, inFlight: 0 });
  });

  it("delivers a batch within the byte limit, but at least one message", () => {
    for (const body of ["a".repeat(600), "b".repeat(600), "c"]) send(body);
    expect(queue("work").receive({ max: 10, maxBytes: 100 })).toHaveLength(1);
    expect(queue("work").receive({ max: 10, maxBytes: 601 })).toHaveLength(2);
  });

  it("removes messages that are older than its retention", () => {
    send("old");
    pass(1800);
    send("new");
    pass(1800);
    expect(bodies("work")).toEqual(["new"]);
    pass(3600);
    expect(queue("work").peek(10)).toEqual([]);
  });

  it("refuses a message over the limit of SQS", () => {
    expect(() => send("x".repeat(1_048_577))).toThrow("the message for work is larger than 1048576 bytes");
    expect(queue("work").peek(10)).toEqual([]);
  });

  it("shows its messages without receiving them", () => {
    send("a");
    expect(queue("work").peek(10)).toMatchObject([{ body: "a", receive_count: 0 }]);
    expect(bodies("work")).toEqual(["a"]);
  });

  it("notifies its listeners of a new message", () => {
    let arrivals = 0;
    queue("work").onArrival(() => arrivals++);
    send("a");
    send("b", "other");
    expect(arrivals).toBe(1);
  });

  it("keeps received and unreceived messages over a restart", () => {
    send("received");
    queue("work").receive({ max: 1 });
    send("waiting");
    queues.close();
    queues = open();
    expect(bodies("work")).toEqual(["waiting"]);
    pass(30);
    expect(bodies("work")).toEqual(["received", "waiting"]);
  });
});

describe("dead letters", () => {
  const spend = (body: string) => {
    send(body);
    for (let n = 0; n < 2; n++) {
      expect(bodies("work")).toEqual([body]);
      pass(30);
    }
  };

  it("are messages that reached the policy's maximum receive count, with their age and source", () => {
    const sentAt = now;
    spend("poison");
    send("good");
    expect(bodies("work", 1)).toEqual(["good"]);
    expect(queue("dead").peek(10)).toMatchObject([
      { body: "poison", sent_at: sentAt, dead_letter_source: arn("work"), receive_count: 2 },
    ]);
  });

  it("go back to their source as new messages; others stay", () => {
    spend("poison");
    bodies("work");
    send("of a rule", "dead");
    expect(queues.redrive(queue("dead"))).toBe(1);
    expect(queue("dead").peek(10)).toMatchObject([{ body: "of a rule" }]);
    expect(queue("work").receive({ max: 1 })).toMatchObject([{ body: "poison", receive_count: 1, sent_at: now }]);
  });
});
