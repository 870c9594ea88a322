import { createHmac } from "node:crypto";
import type { WireObject } from "../render/render-object.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * The signature header: one `v1` for each secret, and a `v0` that
 * only test accounts get and no receiver may trust. `seconds` is the time of sending, in epoch seconds.
 */
const signPayload = (payload: string, secrets: readonly string[], seconds: number): string => {
  const signed = (secret: string) => createHmac("sha256", secret).update(`${seconds}.${payload}`).digest("hex");
  return [`t=${seconds}`, ...secrets.map((secret) => `v1=${signed(secret)}`), `v0=${signed("v0")}`].join(",");
};

const TIMEOUT_MS = 20_000;

/**
 * Sends one event as the provider does, with a new signature.
 * @returns why it failed; undefined if it succeeded.
 */
export const postEvent = async (
  endpoint: Endpoint,
  event: WireObject,
  context: { accountId: string; nowMs: number; stopping: AbortSignal },
): Promise<string | undefined> => {
  const { accountId, nowMs, stopping } = context;
  const isAbroad = endpoint.connect || String(event.type).startsWith("account.application.");
  const payload = JSON.stringify(isAbroad ? { ...event, account: accountId } : event, null, 2);
  try {
    const response = await fetch(endpoint.url, {
      method: "POST",
      headers: {
        accept: "*/*; q=0.5, application/xml",
        "cache-control": "no-cache",
        "content-type": "application/json; charset=utf-8",
        "stripe-signature": signPayload(payload, endpoint.secrets, Math.floor(nowMs / 1000)),
        "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
      },
      body: payload,
      redirect: "manual",
      signal: AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.arrayBuffer();
    return response.ok ? undefined : `answered ${response.status}`;
  } catch (error) {
    const { cause } = error instanceof Error ? error : { cause: undefined };
    return cause instanceof Error ? cause.message : String(error);
  }
};
