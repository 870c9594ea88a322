import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createEventBridge } from "../../../shared/runtime/event-bridge.ts";
import { type BusEvent, createEventBus, type EventBus } from "../../../shared/runtime/event-bus.ts";

type Entry = { EventBusName: string; Source: string; DetailType: string; Detail: string };
type Answer = { status: number; body: string } | "hang up";

/** What the stand-in answers to a call; by default it takes every entry. */
let answer: (entries: Entry[], call: number) => Answer;
let calls: Entry[][];
let targets: (string | undefined)[];
let server: ReturnType<typeof createServer>;
let bus: EventBus;

const taken = (entries: Entry[], refused: (entry: Entry) => boolean = () => false): Answer => {
  const Entries = entries.map((entry, i) =>
    refused(entry) ? { ErrorCode: "ThrottlingException", ErrorMessage: "slow down" } : { EventId: String(i) },
  );
  const FailedEntryCount = Entries.filter(({ ErrorCode }) => ErrorCode !== undefined).length;
  return { status: 200, body: JSON.stringify({ FailedEntryCount, Entries }) };
};

const event = (n: number, text = ""): BusEvent => ({ source: "tests", detailType: "Counted", detail: { n, text } });
const numberOf = ({ Detail }: Entry): number => JSON.parse(Detail).n;

beforeEach(async () => {
  calls = [];
  targets = [];
  answer = (entries) => taken(entries);
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { Entries } = JSON.parse(body) as { Entries: Entry[] };
    calls.push(Entries);
    targets.push(String(request.headers["x-amz-target"]));
    const given = answer(Entries, calls.length);
    if (given === "hang up") return void request.socket.destroy();
    response.writeHead(given.status, { "content-type": "application/x-amz-json-1.1" }).end(given.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  bus = createEventBus(createEventBridge({ region: "eu-central-1", endpoint, credentials }), "the-bus");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

describe("publish", () => {
  it("sends events as they are, ten in a call", async () => {
    const events = Array.from({ length: 23 }, (_, i) => event(i, "é🌵"));
    await expect(bus.publish(events)).resolves.toEqual([]);
    expect(calls.map(({ length }) => length)).toEqual([10, 10, 3]);
    expect(calls.flat().map(numberOf)).toEqual(events.map((_, i) => i));
    expect(calls[0]?.[0]).toEqual({
      ...{ EventBusName: "the-bus", Source: "tests", DetailType: "Counted" },
      Detail: JSON.stringify({ n: 0, text: "é🌵" }),
    });
    expect(targets[0]).toBe("AWSEvents.PutEvents");
  });

  it("sends at most 256 KB in a call, counted in bytes", async () => {
    const large = "é".repeat(50 * 1024);
    await expect(bus.publish([0, 1, 2, 3].map((n) => event(n, large)))).resolves.toEqual([]);
    expect(calls.map((entries) => entries.map(numberOf))).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it("gives back what is too large for any call, and sends the rest", async () => {
    const events = [event(0), event(1, "x".repeat(256 * 1024)), event(2)];
    await expect(bus.publish(events)).resolves.toEqual([{ event: events[1], reason: "TooLarge" }]);
    expect(calls.map((entries) => entries.map(numberOf))).toEqual([[0, 2]]);
  });

  it("sends again only the entries that failed", async () => {
    answer = (entries, call) => taken(entries, (entry) => call === 1 && numberOf(entry) % 3 === 0);
    await expect(bus.publish(Array.from({ length: 7 }, (_, i) => event(i)))).resolves.toEqual([]);
    expect(calls.map((entries) => entries.map(numberOf))).toEqual([
      [0, 1, 2, 3, 4, 5, 6],
      [0, 3, 6],
    ]);
  });

  it.each<[string, Answer]>([
    ["an error", { status: 500, body: '{"__type":"InternalException"}' }],
    ["an answer that is not EventBridge's", { status: 502, body: "<html>bad gateway</html>" }],
    ["a lost answer", "hang up"],
  ])("sends again after %s", async (_what, failure) => {
    answer = (entries, call) => (call === 1 ? failure : taken(entries));
    await expect(bus.publish([event(0), event(1)])).resolves.toEqual([]);
    expect(calls).toHaveLength(2);
  });

  it("gives up after four attempts, gives back what failed with the reason, and does not throw", async () => {
    answer = (entries) => taken(entries, (entry) => numberOf(entry) === 1);
    const events = [event(0), event(1), event(2)];
    await expect(bus.publish(events)).resolves.toEqual([{ event: events[1], reason: "ThrottlingException" }]);
    expect(calls.map((entries) => entries.map(numberOf))).toEqual([[0, 1, 2], [1], [1], [1]]);
  });

  it("gives everything back where nobody answers", async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const events = [event(0), event(1)];
    const unpublished = await bus.publish(events);
    expect(unpublished.map((one) => one.event)).toEqual(events);
  });

  it("does nothing where there is nothing", async () => {
    await expect(bus.publish([])).resolves.toEqual([]);
    expect(calls).toEqual([]);
  });
});
