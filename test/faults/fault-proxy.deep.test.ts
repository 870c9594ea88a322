import {
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { rangeOf } from "../support/depth.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from "../support/embedded-dynamodb.ts";
import { type FaultName, faultsOf, type ProxiedRequest } from "./fault.ts";
import { followPlan, randomFaults, type Times } from "./fault-plan.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";

const TableName = "items";
/** The messages of Node for a connection that broke before or during the answer. */
const BROKEN = /ECONNRESET|aborted|socket hang up/;
let engine: EmbeddedDynamoDb;
let proxy: FaultProxy;
let once: DynamoDBClient;
let thrice: DynamoDBClient;
let number = 0;

beforeAll(async () => {
  engine = await startEmbeddedDynamoDb({
    TableName,
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
  });
  proxy = await startFaultProxy(engine.endpoint);
  once = engine.client({ endpoint: proxy.url, maxAttempts: 1 });
  thrice = engine.client({ endpoint: proxy.url, maxAttempts: 3 });
});
afterEach(() => proxy.use(undefined));
afterAll(async () => {
  await proxy.close();
  await engine.stop();
});

const inject = (fault: FaultName, times: Times = "once", operation = "PutItem", call = 1) =>
  proxy.use(followPlan({ call: `dynamodb:${operation}:${TableName}#${call}`, fault, times }));
const newPut = () => new PutItemCommand({ TableName, Item: { id: { S: String(++number) } } });
const exists = async () =>
  (await engine.client().send(new GetItemCommand({ TableName, Key: { id: { S: String(number) } } }))).Item !==
  undefined;

/** The name and message of the error that a put with one attempt got; undefined if it succeeded. */
const put = async (abortSignal?: AbortSignal): Promise<string | undefined> => {
  const options = abortSignal === undefined ? {} : { abortSignal };
  return once.send(newPut(), options).then(
    () => undefined,
    ({ name, message }: Error) => `${name}: ${message}`,
  );
};

describe("a fault", () => {
  it.each<[FaultName, string | RegExp]>([
    ["500", "InternalServerError"],
    ["503", "ServiceUnavailable"],
    ["html_200", "SyntaxError"],
    ["html_502", "SyntaxError"],
    ["reset_before", BROKEN],
    ["throttled", "ThrottlingException"],
    ["throughput_exceeded", "ProvisionedThroughputExceededException"],
    ["request_limit", "RequestLimitExceeded"],
    ["conflict", "TransactionConflictException"],
  ])("%s fails the call with %s, and nothing is done", async (fault, error) => {
    inject(fault);
    await expect(put()).resolves.toMatch(error);
    await expect(exists()).resolves.toBe(false);
  });

  it.each<[FaultName, string | RegExp]>([
    ["lost_reset", BROKEN],
    ["lost_500", "InternalServerError"],
    ["half_answer", BROKEN],
    ["cut_json", "SyntaxError"],
  ])("%s: the work is done, and the call ends with %s", async (fault, error) => {
    inject(fault);
    await expect(put()).resolves.toMatch(error);
    await expect(exists()).resolves.toBe(true);
  });

  it("slow answers late", async () => {
    inject("slow");
    await expect(put()).resolves.toBeUndefined();
    await expect(exists()).resolves.toBe(true);
  });

  it.each<[FaultName, boolean]>([
    ["hang", false],
    ["lost_hang", true],
  ])("%s gives no answer until the client gives up", async (fault, isDone) => {
    inject(fault);
    const controller = new AbortController();
    const answer = put(controller.signal);
    while (proxy.requests()[0]?.fault !== fault || (await exists()) !== isDone) await new Promise(setImmediate);
    controller.abort();
    await expect(answer).resolves.toMatch("AbortError");
  });

  it.each<[FaultName, string]>([
    ["cancelled_conflict", "TransactionConflict"],
    ["cancelled_throttling", "ThrottlingError"],
    ["cancelled_throughput", "ProvisionedThroughputExceeded"],
    ["cancelled_collection_size", "ItemCollectionSizeLimitExceeded"],
    ["cancelled_validation", "ValidationError"],
  ])("%s cancels a transaction for %s", async (fault, Code) => {
    inject(fault, "once", "TransactWriteItems");
    const TransactItems = rangeOf(2).map((n) => ({ Put: { TableName, Item: { id: { S: `t${n}` } } } }));
    await expect(once.send(new TransactWriteItemsCommand({ TransactItems }))).rejects.toMatchObject({
      name: "TransactionCanceledException",
      CancellationReasons: [{ Code: "None" }, { Code }],
    });
  });
});

describe("a plan", () => {
  it.each<[Times, number]>([
    ["once", 2],
    ["twice", 3],
  ])("%s counts the attempts of the SDK at one call", async (times, attempts) => {
    inject("500", times);
    const { $metadata } = await thrice.send(newPut());
    expect($metadata.attempts).toBe(attempts);
  });

  it("begins at the named call, and lasts for the whole service", async () => {
    inject("500", "always", "PutItem", 2);
    await expect(put()).resolves.toBeUndefined();
    const read = () => once.send(new GetItemCommand({ TableName, Key: { id: { S: "1" } } }));
    await expect(read()).resolves.toBeDefined();
    await expect(put()).resolves.toMatch("InternalServerError");
    await expect(read()).rejects.toThrow("InternalServerError");
    expect(proxy.requests().map(({ operation, fault }) => `${operation} ${fault}`)).toEqual([
      "PutItem undefined",
      "GetItem undefined",
      "PutItem 500",
      "GetItem 500",
    ]);
  });
});

describe("random faults", () => {
  const requests = rangeOf(200).map((n): ProxiedRequest => {
    const [service, operation] = n % 2 === 0 ? (["dynamodb", "PutItem"] as const) : (["kms", "Decrypt"] as const);
    return { service, operation, resource: "", callId: String(n), json: {} };
  });
  const chosen = (seed: number, of = requests) => {
    const choose = randomFaults(seed, 0.2);
    return new Map(of.map((request) => [request.callId, choose(request)]));
  };

  it("repeat with their seed, whatever comes between", () => {
    const all = chosen(1);
    const some = chosen(
      1,
      requests.filter(({ service }) => service === "kms"),
    );
    expect(chosen(1)).toEqual(all);
    for (const [callId, fault] of some) expect([callId, all.get(callId)]).toEqual([callId, fault]);
    expect(chosen(2)).not.toEqual(all);
  });

  it("affect the given share of requests, each with a fault that applies", () => {
    const hit = requests.flatMap((request) => {
      const fault = chosen(3).get(request.callId);
      return fault === undefined ? [] : [faultsOf(request).includes(fault)];
    });
    expect(hit.length).toBeGreaterThan(20);
    expect(hit.length).toBeLessThan(60);
    expect(hit).not.toContain(false);
  });
});
