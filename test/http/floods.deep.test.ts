/** Floods from 20 addresses at all instances of several functions: bounded in events, and counted to the last request. */
import { request } from "node:http";
import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "@jest/globals";
import { fromItem } from "../../shared/security/event-item.ts";
import { engineClient } from "../support/everything.ts";
import { mostInAMinute, type RecordedRefusal, refusalsIn } from "../support/flood.ts";
import { organizationOf } from "../support/integration.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useService } from "../support/use-service.ts";
import { webhookSender } from "../support/webhook-sender.ts";

const REQUESTS = 2_000;
const ADDRESSES = Array.from({ length: 20 }, (_, index) => `127.0.1.${index + 1}`);
const AT_ONCE = 40;

const service = await useService();

type Sent = { url: string; method: string; localAddress: string; headers?: Record<string, string>; body?: string };

const send = ({ url, method, localAddress, headers, body }: Sent): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, localAddress, headers: headers ?? {} }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode));
    });
    sent.once("error", reject).end(body);
  });

/** Sends many requests, some at once. @returns the statuses that were answered. */
const flood = async (count: number, requestOf: (index: number) => Sent): Promise<Set<number | undefined>> => {
  const statuses = new Set<number | undefined>();
  let next = 0;
  const sender = async () => {
    while (next < count) statuses.add(await send(requestOf(next++)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return statuses;
};

const addressOf = (index: number): string => ADDRESSES[index % ADDRESSES.length] ?? "";

/** The recorded refusals of an organization, or of none, which no endpoint returns. */
const recorded = async (organizationId: string | undefined, source: string): Promise<RecordedRefusal[]> => {
  const client = DynamoDBDocumentClient.from(engineClient(service));
  const TableName = service.stack.tables.find((name) => name.includes("SecurityEvents"));
  try {
    const found: RecordedRefusal[] = [];
    for await (const { Items = [] } of paginateScan({ client }, { TableName }))
      found.push(...Items.map((item) => fromItem(item) as RecordedRefusal));
    return found.filter(
      (event) =>
        event.organizationId === organizationId &&
        event.source === source &&
        event.eventType === "AUTHENTICATION_FAILURE",
    );
  } finally {
    client.destroy();
  }
};

/** Sends genuine requests until the instances have counted what they keep in memory. */
const counted = async (organizationId: string | undefined, source: string, genuine: () => Promise<unknown>) => {
  for (let round = 0; round < 20; round++) {
    if (refusalsIn(await recorded(organizationId, source)) >= REQUESTS) break;
    await service.advance(2_500);
    await genuine();
  }
  return recorded(organizationId, source);
};

/** The counts add up to the requests. Only an addition whose answer was lost, which the function logs, may count twice. */
const requireAll = (events: readonly RecordedRefusal[]): void => {
  expect(refusalsIn(events)).toBeGreaterThanOrEqual(REQUESTS);
  if (!service.logged().includes('"refusals_not_counted"')) expect(refusalsIn(events)).toBe(REQUESTS);
};

describe("2,000 refused requests from 20 addresses at once", () => {
  const plants = async (organizationId: string): Promise<void> => {
    const token = await service.mint({ organizationId });
    const headers = { authorization: `Bearer ${token}` };
    await flood(200, (index) => ({
      url: `${service.stack.apiUrl}/plants${index % 2 === 0 ? "" : "/1"}`,
      method: index % 2 === 0 ? "GET" : "DELETE",
      localAddress: "127.0.0.1",
      headers,
    }));
  };

  const badTokens = (tokens: readonly string[]) =>
    flood(REQUESTS, (index) => ({
      url: `${service.stack.apiUrl}/plants${index % 2 === 0 ? "" : "/1"}`,
      method: index % 2 === 0 ? "GET" : "DELETE",
      localAddress: addressOf(index),
      headers: { authorization: `Bearer ${tokens[index % tokens.length]}` },
    }));

  it("leave at most 20 events a minute of an organization, whose counts add up to 2,000", async () => {
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, user) =>
        service.mint({ organizationId: "acme", userId: `user-${user}`, expiresInSeconds: -120 }),
      ),
    );
    expect(await badTokens(tokens)).toEqual(new Set([401]));
    const before = await recorded("acme", "user");
    expect(mostInAMinute(before)).toBeLessThanOrEqual(20);
    process.stdout.write(`Tokens of acme: ${before.length} events of ${refusalsIn(before)} refusals at once\n`);
    const events = await counted("acme", "user", () => plants("globex"));
    requireAll(events);
    expect(mostInAMinute(events)).toBeLessThanOrEqual(20);
    // Detection sees addresses and users.
    expect(events.filter(({ metadata, ipAddress }) => metadata.failures && ipAddress).length).toBeGreaterThan(0);
    expect(events.filter(({ userId }) => userId !== undefined).length).toBeGreaterThanOrEqual(5);
  });

  it("leave at most 50 events a minute if their organization is not known", async () => {
    expect(await badTokens(["a.b.c", "nonsense"])).toEqual(new Set([401]));
    const before = await recorded(undefined, "user");
    process.stdout.write(`Tokens of none: ${before.length} events of ${refusalsIn(before)} refusals at once\n`);
    const events = await counted(undefined, "user", () => plants("globex"));
    requireAll(events);
    expect(mostInAMinute(events)).toBeLessThanOrEqual(50);
  });

  it("leave at most 20 events a minute if they are forged webhooks of an organization", async () => {
    const hooked = organizationOf(service, "hooked");
    const provider = simulatedProvider(service);
    await hooked.connect((await provider.account(3)).apiKey, { webhookSecret: "whsec_hooked" });
    const sender = webhookSender(service, "hooked", "whsec_hooked");
    const body = JSON.stringify(await sender.customerEvent("created", "cus_forged"));
    const headers = { "content-type": "application/json", "stripe-signature": `t=1,v1=${"0".repeat(64)}` };
    const forged = await flood(REQUESTS, (index) => ({
      url: `${service.stack.webhookUrl}/hooked`,
      method: "POST",
      localAddress: addressOf(index),
      headers,
      body,
    }));
    expect(forged).toEqual(new Set([400]));
    const before = await recorded("hooked", "webhook");
    expect(mostInAMinute(before)).toBeLessThanOrEqual(20);
    process.stdout.write(`Webhooks of hooked: ${before.length} events of ${refusalsIn(before)} refusals at once\n`);
    const genuine = async () => {
      const sent = await Promise.all(
        Array.from({ length: 60 }, (_, index) => sender.customerEvent("updated", `cus_${index}`)),
      );
      await Promise.all(sent.map((event) => sender.send(event)));
    };
    const events = await counted("hooked", "webhook", genuine);
    requireAll(events);
    expect(mostInAMinute(events)).toBeLessThanOrEqual(20);
  });
});
