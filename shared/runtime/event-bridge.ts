/**
 * The EventBridge client. It is created at the first publication, but imported statically: a dynamic import would make
 * esbuild wrap every module that it shares with DynamoDB's client (15 ms per cold start) and bundle all of it (37 KB).
 */
import { Agent } from "node:https";
import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { type AwsPlace, boundedRequests, fixedSettings, readAwsPlace } from "./aws-client.ts";

/** An entry as PutEvents takes it. */
export type BusEntry = { EventBusName: string; Source: string; DetailType: string; Detail: string };

/** Calls PutEvents once. @returns for each entry the reason of its failure, or undefined. @throws if the call fails. */
export type EventBusClient = {
  putEvents(entries: readonly BusEntry[], abortSignal: AbortSignal): Promise<(string | undefined)[]>;
};

const REQUEST_TIMEOUT_MS = 1_000;

/** A client of one endpoint. It tries once: event-bus.ts repeats failed entries. */
export const createEventBridge = (place: AwsPlace): EventBusClient => {
  const client = new EventBridgeClient({
    ...place,
    ...fixedSettings,
    maxAttempts: 1,
    requestHandler: boundedRequests(new Agent({ keepAlive: true, maxSockets: 5 }), REQUEST_TIMEOUT_MS),
  });
  return {
    async putEvents(entries, abortSignal) {
      const command = new PutEventsCommand({ Entries: entries.map((entry) => ({ ...entry })) });
      const { Entries = [] } = await client.send(command, { abortSignal });
      return entries.map((_, i) => {
        const { EventId, ErrorCode = "NoAnswer" } = Entries[i] ?? {};
        return EventId === undefined ? ErrorCode : undefined;
      });
    },
  };
};

/** The client of a deployed function, from its environment. */
export const eventBridge = (): EventBusClient => createEventBridge(readAwsPlace("events"));
