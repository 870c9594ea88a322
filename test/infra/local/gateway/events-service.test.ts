import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from "@aws-sdk/client-eventbridge";
import { beforeEach, describe, expect, it } from "@jest/globals";
import type { PolicyStatement } from "../../../../infra/local/core/model.ts";
import { startMessagingGateway } from "../../../support/messaging-gateway.ts";
import { stackModel } from "../../../support/stack-model.ts";
import { usePerFile } from "../../../support/use-started.ts";

const busArn = (name: string) => `arn:aws:events:eu-central-1:000000000000:event-bus/${name}`;
const put = (Resource: string, Condition: PolicyStatement["Condition"] = {}): PolicyStatement => ({
  Effect: "Allow",
  Action: "events:PutEvents",
  Resource,
  Condition,
});
const model = stackModel({
  roles: {
    publisher: [put(busArn("alerts"))],
    narrow: [put(busArn("alerts"), { StringEquals: { "events:source": "shop", "events:detail-type": ["A", "B"] } })],
    everywhere: [put("*")],
    nobody: [],
  },
  resourcePolicies: {
    [busArn("guarded")]: [{ Effect: "Deny", Principal: "*", Action: "events:PutEvents", Resource: busArn("guarded") }],
  },
});
model.buses.push(...["default", "alerts", "guarded"].map((name) => ({ name, arn: busArn(name) })));

const gateway = usePerFile(() => startMessagingGateway(model));
beforeEach(() => void gateway.denials.splice(0));

const entry = (rest: Partial<PutEventsRequestEntry> = {}): PutEventsRequestEntry => ({
  EventBusName: "alerts",
  Source: "shop",
  DetailType: "A",
  Detail: '{"n":1}',
  ...rest,
});
const putAs = (role: string, ...Entries: PutEventsRequestEntry[]) => {
  const client = gateway.clientOf(role, (place) => new EventBridgeClient(place));
  return client.send(new PutEventsCommand({ Entries }));
};

describe("PutEvents", () => {
  it("returns an id per entry and publishes each event as its targets receive it", async () => {
    const Time = new Date("2026-11-21T10:00:00.900Z");
    const answer = await putAs(
      "publisher",
      entry({ Time, Resources: ["arn:a"] }),
      entry({ EventBusName: busArn("alerts") }),
    );
    expect(answer).toMatchObject({ FailedEntryCount: 0, $metadata: { attempts: 1 } });
    const published = gateway.buses.publishedSince(0).slice(-2);
    expect(published.map(({ bus }) => bus)).toEqual(["alerts", "alerts"]);
    expect(published.map(({ event }) => event.id)).toEqual(answer.Entries?.map(({ EventId }) => EventId));
    expect(published[0]?.event).toEqual({
      version: "0",
      id: expect.any(String),
      "detail-type": "A",
      source: "shop",
      account: "000000000000",
      time: "2026-11-21T10:00:00Z",
      region: "eu-central-1",
      resources: ["arn:a"],
      detail: { n: 1 },
    });
  });

  it("returns an error for each entry that it refuses, and accepts the others", async () => {
    const answer = await putAs(
      "publisher",
      entry({ Detail: "{" }),
      entry({ Detail: "[1]" }),
      entry(),
      entry({ Source: "" }),
      entry({ DetailType: undefined }),
      entry({ Source: "aws.s3" }),
    );
    expect(answer.FailedEntryCount).toBe(5);
    expect(answer.Entries).toMatchObject([
      { ErrorCode: "MalformedDetail" },
      { ErrorCode: "MalformedDetail" },
      { EventId: expect.any(String) },
      {
        ErrorCode: "InvalidArgument",
        ErrorMessage: "Parameter Source is not valid. Reason: Source is a required argument.",
      },
      { ErrorCode: "InvalidArgument" },
      { ErrorCode: "NotAuthorizedForSourceException" },
    ]);
  });

  it("refuses a request without entries, with more than ten, and of more than 1 MiB", async () => {
    const half = entry({ Detail: JSON.stringify({ text: "x".repeat(524_000) }) });
    for (const entries of [[], Array.from({ length: 11 }, () => entry()), [half, half, half]])
      await expect(putAs("everywhere", ...entries)).rejects.toMatchObject({ name: "ValidationException" });
    expect(await putAs("everywhere", half)).toMatchObject({ FailedEntryCount: 0 });
  });

  const denied: [string, string, PutEventsRequestEntry[], string][] = [
    ["nobody", "at all", [entry()], "alerts"],
    ["nobody", "at all, not even an empty request", [], "default"],
    ["publisher", "on another bus", [entry(), entry({ EventBusName: "default" })], "default"],
    ["publisher", "on the default bus, in an entry without a bus", [entry({ EventBusName: undefined })], "default"],
    ["narrow", "for another source", [entry({ Source: "else" })], "alerts"],
    ["narrow", "for another detail type in the second entry", [entry(), entry({ DetailType: "C" })], "alerts"],
    ["everywhere", "against the policy of the bus", [entry({ EventBusName: "guarded" })], "guarded"],
  ];
  it.each(denied)("is denied to %s %s, and nothing is published", async (role, _what, entries, bus) => {
    const before = gateway.buses.publishedSince(0).length;
    await expect(putAs(role, ...entries)).rejects.toMatchObject({ name: "AccessDeniedException" });
    expect(gateway.denials).toMatchObject([{ logicalId: role, action: "events:PutEvents", resource: busArn(bus) }]);
    expect(gateway.buses.publishedSince(0)).toHaveLength(before);
  });

  it("is allowed if the conditions hold for every entry", async () => {
    expect(await putAs("narrow", entry(), entry({ DetailType: "B" }))).toMatchObject({ FailedEntryCount: 0 });
  });

  it("logs that events to an undeclared bus are lost", async () => {
    expect(await putAs("everywhere", entry({ EventBusName: "typo" }))).toMatchObject({ FailedEntryCount: 0 });
    expect(gateway.lines).toContainEqual(expect.stringMatching(/^LOST an event: .* bus typo/));
  });

  it("is the only supported operation", async () => {
    const { body } = await gateway.call("everywhere", "events", "AWSEvents.PutRule", { Name: "x" });
    expect(body).toMatchObject({ __type: expect.stringContaining("AccessDenied") });
  });
});
