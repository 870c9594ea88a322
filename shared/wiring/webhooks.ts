/** Webhooks in a deployed function. All throw Error at cold start if a variable is missing. */

import { createConnectionSecrets } from "../connection/connection-secrets.ts";
import { parseDeliveredEvent } from "../provider/stripe/events.ts";
import { hasValidSignature } from "../provider/stripe/verify-signature.ts";
import { createRecordStore } from "../records/record-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { wireEnvelope } from "../runtime/envelope.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { openTable } from "../runtime/open-table.ts";
import { type CachedSecret, createCachedSecret, secretsManager } from "../runtime/secrets-manager.ts";
import { createDeliveryListStore, type DeliveryListStore } from "../webhooks/delivery-list-store.ts";
import { createDeliveryStore } from "../webhooks/delivery-store.ts";
import { createProcess, createReread, type Process } from "../webhooks/process.ts";
import { createReceive, type Receive } from "../webhooks/receive.ts";
import { createReceivePlatform, type ReceivePlatform } from "../webhooks/receive-platform.ts";
import { createReplayDelivery, type ReplayDelivery } from "../webhooks/replay-delivery.ts";
import { createWebhookConnectionStore, createWebhookSecrets } from "../webhooks/webhook-connection-store.ts";
import {
  createDeliveredEvents,
  createGapStore,
  createWebhookEventStore,
  type DeliveredEvents,
  type WebhookEventStore,
} from "../webhooks/webhook-event-store.ts";
import type { OutboxDependencies } from "../webhooks/webhook-outbox.ts";
import { createDeliveryRecorder, createFailureRecorder } from "../webhooks/webhook-security-events.ts";
import { wireDisconnect, wireOpenConnection } from "./connection.ts";
import { wireAccountDirectory, wireConnectionStore, wireRecordsClaimStore } from "./connection-stores.ts";
import { wireCountMoney } from "./money.ts";
import { wireProviderAccess } from "./provider.ts";
import { wireFlood, wireRecorder } from "./recorder.ts";
import { wireApply } from "./records.ts";
import { wireCancelRuns, wireStartRun, wireSyncRunStore } from "./sync.ts";
import { wireWatchRefusals } from "./watch-refusals.ts";

export const wireDeliveredEvents = (): DeliveredEvents => createDeliveredEvents(openTable("webhookEvents"));

export const wireOutbox = (): OutboxDependencies & { events: WebhookEventStore } => {
  const config = readConfig(["EVENT_BUS_NAME"]);
  return {
    events: createWebhookEventStore(openTable("webhookEvents")),
    bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
    now: systemClock,
  };
};

/** GET …/webhooks. */
export const wireDeliveryList = (): DeliveryListStore => createDeliveryListStore(openTable("webhookEvents"));

/** POST …/webhooks/{id}/replay. */
export const wireReplayDelivery = (): ReplayDelivery =>
  createReplayDelivery({
    ...wireOutbox(),
    deliveries: createDeliveryStore(openTable("webhookEvents")),
    recorder: wireRecorder(),
  });

/** Limits the reads of the secret that strangers can cause with wrong signatures. */
const REREAD_AFTER_MS = 10_000;

const wirePlatformSecret = (): CachedSecret | undefined => {
  const { PROVIDER_PLATFORM_WEBHOOK_SECRET_ARN: arn } = readConfig(["PROVIDER_PLATFORM_WEBHOOK_SECRET_ARN"]);
  if (arn === undefined) return undefined;
  return createCachedSecret(() => secretsManager.readSecret(arn), systemClock, { rereadAfterMs: REREAD_AFTER_MS });
};

/** The receivers of POST {webhook URL}/{organizationId}, and of POST {webhook URL}/-/platform. */
export const wireReceivers = (): { receive: Receive; receivePlatform: ReceivePlatform } => {
  const recorder = wireRecorder();
  const shared = {
    ...wireOutbox(),
    hasValidSignature,
    parseEvent: parseDeliveredEvent,
    // Counts the forged deliveries of both.
    recorder: createDeliveryRecorder(recorder, wireFlood("webhooks", recorder)),
  };
  const receive = createReceive({
    ...shared,
    readConnection: createWebhookConnectionStore(openTable("connections")).read,
    secrets: createWebhookSecrets(createConnectionSecrets(wireEnvelope()), systemClock),
  });
  const { ownersOf } = wireAccountDirectory();
  return { receive, receivePlatform: createReceivePlatform({ ...shared, secret: wirePlatformSecret(), ownersOf }) };
};

export const wireProcess = (): Process => {
  const onRefused = wireWatchRefusals();
  const access = wireProviderAccess({ onRefused });
  const connections = wireConnectionStore();
  const records = createRecordStore(openTable("records"));
  const disconnect = wireDisconnect({ cancelRuns: wireCancelRuns() });
  const startRun = wireStartRun();
  const runs = wireSyncRunStore();
  const process = createProcess({
    events: createWebhookEventStore(openTable("webhookEvents")),
    readConnection: async (organizationId) => {
      const connection = await connections.read(organizationId);
      return connection.status === "disconnected" ? undefined : connection;
    },
    claimRecords: wireRecordsClaimStore().claimRecords,
    apply: wireApply(),
    readRecords: (organizationId, keys) => records.getMany(organizationId, keys, { strongly: true }),
    reread: createReread({
      openConnection: wireOpenConnection(access, onRefused),
      access,
      refusedTypes: async (organizationId) => (await runs.readState(organizationId)).refusedTypes ?? {},
      noteRefused: (organizationId, type) => runs.noteRefused(organizationId, type, systemClock()),
    }),
    disconnect: (organizationId, { connectionId, accountId }) =>
      disconnect({ organizationId, source: "webhook", accountId }, { connectionId, reason: "deauthorized" }),
    countMoney: wireCountMoney({ webhooks: true }),
    gaps: createGapStore(openTable("webhookEvents")),
    startGapRun: async (organizationId) => {
      await startRun({ organizationId, trigger: "webhook_gap" });
    },
    recordFailure: createFailureRecorder(wireRecorder()),
    now: systemClock,
  });
  return async (received, receives) => {
    try {
      await process(received, receives);
    } finally {
      await access.flush();
    }
  };
};
