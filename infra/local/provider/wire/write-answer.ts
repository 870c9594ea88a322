import type { ServerResponse } from "node:http";
import { API_VERSION } from "../objects/objects.ts";
import type { Answer } from "./requests/answer.ts";

const CUT_AFTER_MS = 20;

/** Sends an answer with the provider's headers; `isCut` sends a half of it and then resets the connection. */
export const writeAnswer = (
  response: ServerResponse,
  { status, headers = {}, body }: Answer,
  context: { dateMs: number; isCut: boolean; requestId: string; idempotencyKey: string | undefined },
): void => {
  if (response.destroyed) return;
  const { dateMs, isCut, requestId, idempotencyKey } = context;
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  response.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-cache, no-store",
    "content-length": bytes.length,
    date: new Date(dateMs).toUTCString(),
    "request-id": requestId,
    "stripe-version": API_VERSION,
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    ...headers,
  });
  if (!isCut) {
    response.end(bytes);
    return;
  }
  // After a pause: a reset discards what the client has not read yet, and the client must see the answer begin.
  const cut = () => setTimeout(() => response.socket?.resetAndDestroy(), CUT_AFTER_MS);
  response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), cut);
};
