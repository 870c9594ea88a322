import { randomBytes } from "node:crypto";
import Stripe from "stripe";
import { requireWebhookContract } from "./contract.ts";
import { controlOf } from "./control.ts";
import type { Service } from "./service.ts";

const stripe = new Stripe("sk_test_none");

/** Signs with the provider's own test helper. @param timestamp epoch seconds */
export const signatureOf = (payload: string, secret: string, timestamp: number): string =>
  stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });

/** Signatures of several secrets at one time, as the provider sends them while a secret is rolled. */
export const signatureOfAll = (payload: string, secrets: readonly string[], timestamp: number): string =>
  [`t=${timestamp}`, ...secrets.map((secret) => signatureOf(payload, secret, timestamp).split(",")[1])].join(",");

export type Sending = {
  /** The URL's path as sent; by default the organization's. */
  path?: string;
  method?: string;
  secret?: string;
  /** Seconds from now to the signed time. */
  shiftSeconds?: number;
  /** Replaces the valid signature; null sends none. */
  signature?: string | null;
  headers?: Record<string, string>;
};

export type CustomerFields = { name?: string; email?: string; created?: number };

/**
 * Sends webhooks to a service as the provider's servers would. Every answer to a POST is checked against the OpenAPI
 * document.
 */
export const webhookSender = ({ stack }: Pick<Service, "stack">, organizationId: string, secret: string) => {
  const nowSeconds = async (): Promise<number> => Math.floor((await controlOf({ stack }).now()) / 1_000);

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
    // Answers of Lambda itself have no request id.
    if (method === "POST" && response.headers.has("x-request-id")) requireWebhookContract(response, JSON.parse(text));
    return { status: response.status, headers: response.headers, text };
  };

  return {
    /** Signs the deliveries. */
    secret,
    nowSeconds,
    send,
    /** An event about a customer of the account, dated now. */
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
