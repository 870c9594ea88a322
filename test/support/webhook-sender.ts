import { randomBytes } from "node:crypto";
import Stripe from "stripe";
import { requireWebhookContract } from "./contract.ts";
import type { ServiceUnderTest } from "./service.ts";

const stripe = new Stripe("sk_test_none");

/** The provider's own helper for tests. @param timestamp epoch seconds. */
export const signatureOf = (payload: string, secret: string, timestamp: number): string =>
  stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });

/** Several secrets' signatures of one moment, as the provider sends them while a secret is rolled. */
export const signatureOfAll = (payload: string, secrets: readonly string[], timestamp: number): string =>
  [`t=${timestamp}`, ...secrets.map((secret) => signatureOf(payload, secret, timestamp).split(",")[1])].join(",");

export type Sending = {
  /** Of the URL, as it is to stand there; the organization's by default. */
  path?: string;
  method?: string;
  secret?: string;
  /** Seconds from now to the time that is signed. */
  shiftSeconds?: number;
  /** In place of a good one; null for none. */
  signature?: string | null;
  headers?: Record<string, string>;
};

export type CustomerFields = { name?: string; email?: string; created?: number };

/**
 * A stand-in for the provider's servers, which sends whatever a test wants to the webhook URL of a service. Every answer
 * to a POST is held against the OpenAPI document.
 */
export const webhookSender = ({ stack }: Pick<ServiceUnderTest, "stack">, organizationId: string, secret: string) => {
  const nowSeconds = async (): Promise<number> => {
    const { now } = (await (await fetch(`${stack.controlUrl}/`)).json()) as { now: number };
    return Math.floor(now / 1_000);
  };

  const send = async (payload: unknown, sending: Sending = {}) => {
    const body = typeof payload === "string" ? payload : JSON.stringify(payload);
    const { path = encodeURIComponent(organizationId), method = "POST", shiftSeconds = 0, headers } = sending;
    const timestamp = (await nowSeconds()) + shiftSeconds;
    const signature = sending.signature ?? signatureOf(body, sending.secret ?? secret, timestamp);
    const response = await fetch(`${stack.webhookUrl}/${path}`, {
      method,
      headers: {
        "content-type": "application/json; charset=utf-8",
        ...(sending.signature !== null && { "stripe-signature": signature }),
        ...headers,
      },
      ...(method !== "GET" && method !== "HEAD" && { body }),
    });
    const text = await response.text();
    // What Lambda itself answers names no request.
    if (method === "POST" && response.headers.has("x-request-id")) requireWebhookContract(response, JSON.parse(text));
    return { status: response.status, headers: response.headers, text };
  };

  return {
    nowSeconds,
    send,
    /** An event of the account about a customer, of this second. */
    async customerEvent(happening: "created" | "updated" | "deleted", id: string, fields: CustomerFields = {}) {
      const now = await nowSeconds();
      const { name = "Ada", email = "ada@example.com", created = now } = fields;
      const object = { id, object: "customer", created, name, email, currency: "eur", delinquent: false };
      return {
        id: `evt_${randomBytes(8).toString("hex")}`,
        object: "event",
        api_version: "2026-10-28.endive",
        created: now,
        type: `customer.${happening}`,
        data: { object },
      };
    },
  };
};
