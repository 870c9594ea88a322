/** The webhook URL's handler over a real table, with a bus, a recorder and a clock that tests can inspect. */
import { jest } from "@jest/globals";
import Stripe from "stripe";
import { createWebhookHandler } from "../../../shared/http/webhook-handler.ts";
import { parseDeliveredEvent } from "../../../shared/provider/stripe/events.ts";
import { hasValidSignature, SIGNATURE_HEADER } from "../../../shared/provider/stripe/verify-signature.ts";
import type { BusEvent, EventBus } from "../../../shared/runtime/event-bus.ts";
import type { Recorder } from "../../../shared/security/recorder.ts";
import type { NewSecurityEvent } from "../../../shared/security/security-event.ts";
import { createReceive, type ReceiveDependencies } from "../../../shared/webhooks/receive.ts";
import { createReceivePlatform, type ReceivePlatformDependencies } from "../../../shared/webhooks/receive-platform.ts";
import type { WebhookEventStore } from "../../../shared/webhooks/webhook-event-store.ts";
import { createDeliveryRecorder } from "../../../shared/webhooks/webhook-security-events.ts";
import { httpEvent, lambdaContext } from "../../support/http-event.ts";
import { NOW } from "./stored-events.ts";

export const SECRET = "whsec_test_secret";

const stripe = new Stripe("sk_test_none");

/** An event as the provider sends it. */
export const providerEvent = (changes: Record<string, unknown> = {}) => ({
  id: "evt_1",
  object: "event",
  api_version: "2025-09-30.clover",
  created: NOW / 1_000 - 1,
  type: "customer.updated",
  data: {
    object: { id: "cus_1", object: "customer", created: NOW / 1_000 - 100, name: "Ada", email: "a@example.com" },
  },
  ...changes,
});

/** A request to the webhook URL, signed by the provider's own SDK. */
export const delivery = (
  payload: unknown,
  {
    organization = "acme",
    secret = SECRET,
    timestamp = NOW / 1_000,
    ...parts
  }: Parameters<typeof httpEvent>[0] & { organization?: string; secret?: string; timestamp?: number } = {},
) => {
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  const signature = stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
  return httpEvent({
    rawPath: `/${encodeURIComponent(organization)}`,
    body,
    ...parts,
    headers: { [SIGNATURE_HEADER]: signature, "content-type": "application/json", ...parts.headers },
  });
};

/** One instance of receive-webhook. Organizations whose id starts with `acme` are connected. */
export const createInstance = (
  events: ReceiveDependencies["events"],
  changes: Partial<ReceiveDependencies> & Partial<ReceivePlatformDependencies> = {},
) => {
  const time = { now: NOW };
  const record = jest.fn<Recorder["record"]>(async () => undefined);
  const forged: NewSecurityEvent[] = [];
  const countDue = jest.fn(async () => undefined);
  const published: BusEvent[] = [];
  const bus: { publish: EventBus["publish"] } = {
    publish: async (sent) => {
      published.push(...sent);
      return [];
    },
  };
  const opened = jest.fn(async () => [SECRET]);
  const dependencies = {
    secret: undefined,
    ownersOf: async () => [],
    readConnection: async (organizationId: string) =>
      organizationId.startsWith("acme")
        ? { connectionId: "c1", accountId: "acct_1", webhookSecrets: new Uint8Array([1]) }
        : undefined,
    secrets: { open: opened },
    hasValidSignature,
    parseEvent: parseDeliveredEvent,
    events,
    bus,
    recorder: createDeliveryRecorder({ record }, { record: async (event) => void forged.push(event), countDue }),
    now: () => time.now,
    ...changes,
  };
  const receivers = { receive: createReceive(dependencies), receivePlatform: createReceivePlatform(dependencies) };
  const handler = createWebhookHandler(receivers, SIGNATURE_HEADER);
  return {
    time,
    record,
    forged,
    countDue,
    published,
    opened,
    /** Sends an event and returns the URL's answer. */
    send: async (event: ReturnType<typeof delivery>) => {
      const { statusCode, body, headers } = await handler(event, lambdaContext);
      return { statusCode, body: JSON.parse(body ?? "null"), headers };
    },
  };
};

/** A store whose calls all fail. */
export const failing = (
  events: WebhookEventStore,
  names: readonly (keyof ReceiveDependencies["events"])[],
  error: Error,
): ReceiveDependencies["events"] => ({
  add: names.includes("add") ? () => Promise.reject(error) : events.add,
  markPublished: names.includes("markPublished") ? () => Promise.reject(error) : events.markPublished,
});
