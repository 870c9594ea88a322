/** What the sync of a deployed function asks of webhooks. */
/** What hands over events in a deployed function. */
/** What takes deliveries in a deployed function. */
/** What processes events in a deployed function. */

import { createConnectionSecrets } from "../connection/connection-secrets.ts";
import { parseDeliveredEvent } from "../provider/stripe/events.ts";
import { hasValidSignature } from "../provider/stripe/verify-signature.ts";
import { createRecordStore } from "../records/record-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { wireEnvelope } from "../runtime/envelope.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { createDeliveredEvents, type DeliveredEvents } from "../webhooks/delivered-event-store.ts";
import { createGapStore } from "../webhooks/gap-store.ts";
import type { HandOverParts } from "../webhooks/hand-over.ts";
import { createProcess, type Process } from "../webhooks/process.ts";
import { createReceive, type Receive } from "../webhooks/receive.ts";
import { createDeliveryRecorder } from "../webhooks/record-delivery.ts";
import { createFailureRecorder } from "../webhooks/record-failure.ts";
import { createReread } from "../webhooks/reread-object.ts";
import { createWebhookConnectionStore } from "../webhooks/webhook-connection-store.ts";
import { createWebhookEventStore, type WebhookEventStore } from "../webhooks/webhook-event-store.ts";
import { createWebhookSecrets } from "../webhooks/webhook-secrets.ts";
import { wireDisconnect, wireOpenConnection } from "./connection.ts";
import { wireConnectionStore, wireRecordsClaimStore } from "./connection-stores.ts";
import { wireProviderAccess } from "./provider.ts";
import { wireRecorder } from "./recorder.ts";
import { wireApply } from "./records.ts";
import { wireCancelRuns, wireStartRun } from "./sync.ts";

/** @throws Error at cold start where the environment lacks a variable. */
export const wireDeliveredEvents = (): DeliveredEvents =>
  createDeliveredEvents(documentClient, readConfig(["WEBHOOK_EVENTS_TABLE_NAME"]).WEBHOOK_EVENTS_TABLE_NAME);

/** @throws Error at cold start where the environment lacks a variable. */
export const wireHandOver = (): HandOverParts & { events: WebhookEventStore } => {
  const config = readConfig(["WEBHOOK_EVENTS_TABLE_NAME", "EVENT_BUS_NAME"]);
  return {
    events: createWebhookEventStore(documentClient, config.WEBHOOK_EVENTS_TABLE_NAME),
    bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
    now: systemClock,
  };
};

/** @throws Error at cold start where the environment lacks a variable. */
export const wireReceive = (): Receive => {
  const { CONNECTIONS_TABLE_NAME } = readConfig(["CONNECTIONS_TABLE_NAME"]);
  const connections = createWebhookConnectionStore(documentClient, CONNECTIONS_TABLE_NAME);
  return createReceive({
    ...wireHandOver(),
    readConnection: connections.read,
    secrets: createWebhookSecrets(createConnectionSecrets(wireEnvelope()), systemClock),
    hasValidSignature,
    parseEvent: parseDeliveredEvent,
    recorder: createDeliveryRecorder(wireRecorder(), systemClock),
  });
};

/** @throws Error at cold start where the environment lacks a variable. */
export const wireProcess = (): Process => {
  const { WEBHOOK_EVENTS_TABLE_NAME, RECORDS_TABLE_NAME } = readConfig([
    "WEBHOOK_EVENTS_TABLE_NAME",
    "RECORDS_TABLE_NAME",
  ]);
  const access = wireProviderAccess();
  const connections = wireConnectionStore();
  const records = createRecordStore(documentClient, RECORDS_TABLE_NAME);
  const disconnect = wireDisconnect({ cancelRuns: wireCancelRuns() });
  const startRun = wireStartRun();
  const process = createProcess({
    events: createWebhookEventStore(documentClient, WEBHOOK_EVENTS_TABLE_NAME),
    readConnection: async (organizationId) => {
      const connection = await connections.read(organizationId);
      return connection.status === "disconnected" ? undefined : connection;
    },
    claimRecords: wireRecordsClaimStore().claimRecords,
    apply: wireApply(),
    readRecords: (organizationId, keys) => records.getMany(organizationId, keys, { strongly: true }),
    reread: createReread({ openConnection: wireOpenConnection(access), access }),
    disconnect: (organizationId, { connectionId, accountId }) =>
      disconnect({ organizationId, source: "webhook", accountId }, { connectionId, reason: "deauthorized" }),
    gaps: createGapStore(documentClient, WEBHOOK_EVENTS_TABLE_NAME),
    startGapRun: async (organizationId) => {
      await startRun({ organizationId, trigger: "webhook_gap" });
    },
    recordFailure: createFailureRecorder(wireRecorder()),
    now: systemClock,
  });
  return async (received) => {
    try {
      await process(received);
    } finally {
      await access.flush();
    }
  };
};
