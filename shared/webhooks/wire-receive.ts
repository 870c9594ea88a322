/** What takes deliveries in a deployed function. */
import { createConnectionSecrets } from "../connection/connection-secrets.ts";
import { parseDeliveredEvent } from "../provider/stripe/delivered-event.ts";
import { hasValidSignature } from "../provider/stripe/verify-signature.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { wireEnvelope } from "../runtime/envelope.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { createReceive, type Receive } from "./receive.ts";
import { createDeliveryRecorder } from "./record-delivery.ts";
import { createWebhookConnectionStore } from "./webhook-connection-store.ts";
import { createWebhookSecrets } from "./webhook-secrets.ts";
import { wireHandOver } from "./wire-hand-over.ts";

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
