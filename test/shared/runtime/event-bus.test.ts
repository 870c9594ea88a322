import { createServer } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { listen } from "../../../infra/local/http/listen.ts";
import { createEventBridge } from "../../../shared/runtime/event-bridge.ts";
import { type BusEvent, createEventBus, type EventBus } from "../../../shared/runtime/event-bus.ts";

type Entry = { EventBusName: string; Source: string; DetailType: string; Detail: string };
type Answer = { status: number; body: string } | "hang up";

/** The fake's answer to a call; by default it accepts every entry. */
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
  const { url: endpoint } = await listen(server, 0);
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  bus = createEventBus(createEventBridge({ region: "eu-central-1", endpoint, credentials }), "the-bus");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

describe("publish", () => {
  it("sends events unchanged, ten per call", async () => {
    const events = Array.from({ length: 23 }, (_, i) => event(i, "é🌵"));
    await expect(bus.publish(events)).resolves.toEqual([]);
    expect(calls.map(({ length }) => length)).toEqual([10, 10, 3]);
    expect(calls.flat().map(numberOf)).toEqual(events.map((_, i) => i));
    expect(calls[0]?.[0]).toEqual({
      EventBusName: "the-bus",
      Source: "tests",
      DetailType: "Counted",
      Detail: JSON.stringify({ n: 0, text: "é🌵" }),
    });
    expect(targets[0]).toBe("AWSEvents.PutEvents");
  });

  it("sends at most 256 KB per call, counted in bytes", async () => {
    const large = "é".repeat(50 * 1024);
    await expect(bus.publish([0, 1, 2, 3].map((n) => event(n, large)))).resolves.toEqual([]);
    expect(calls.map((entries) => entries.map(numberOf))).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it.each(["x", "é", "漢", "😀", "\u0000", '"'])(
    "sends an event of less than 256 KB, and no larger one: %j",
    async (character) => {
      const bytesOf = ({ source, detailType, detail }: BusEvent) =>
        Buffer.byteLength(source + detailType + JSON.stringify(detail));
      const room = 256 * 1024 - 1 - bytesOf(event(0));
      const each = Buffer.byteLength(JSON.stringify(character)) - 2;
      const text = character.repeat(Math.floor(room / each)) + "x".repeat(room % each);
      await expect(bus.publish([event(0, text)])).resolves.toEqual([]);
      const larger = event(0, `${text}x`);
      await expect(bus.publish([larger])).resolves.toEqual([{ event: larger, reason: "TooLarge" }]);
      expect(calls).toHaveLength(1);
    },
  );

  it("returns events that are too large, and sends the rest", async () => {
    const events = [event(0), event(1, "x".repeat(256 * 1024)), event(2)];
    await expect(bus.publish(events)).resolves.toEqual([{ event: events[1], reason: "TooLarge" }]);
    expect(calls.map((entries) => entries.map(numberOf))).toEqual([[0, 2]]);
  });

  it("retries only the failed entries", async () => {
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
  ])("retries after %s", async (_what, failure) => {
    answer = (entries, call) => (call === 1 ? failure : taken(entries));
    await expect(bus.publish([event(0), event(1)])).resolves.toEqual([]);
    expect(calls).toHaveLength(2);
  });

  it("stops after four attempts and returns the failed events with the reason, without throwing", async () => {
    answer = (entries) => taken(entries, (entry) => numberOf(entry) === 1);
    const events = [event(0), event(1), event(2)];
    await expect(bus.publish(events)).resolves.toEqual([{ event: events[1], reason: "ThrottlingException" }]);
    expect(calls.map((entries) => entries.map(numberOf))).toEqual([[0, 1, 2], [1], [1], [1]]);
  });

  it("returns all events if the bus is unreachable", async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const events = [event(0), event(1)];
    const unpublished = await bus.publish(events);
    expect(unpublished.map((one) => one.event)).toEqual(events);
  });

  it("makes no call without events", async () => {
    await expect(bus.publish([])).resolves.toEqual([]);
    expect(calls).toEqual([]);
  });
});
