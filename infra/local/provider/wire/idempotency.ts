/**
 * `Idempotency-Key`, as https://docs.stripe.com/api/idempotent_requests describes it: the answer to the first POST with a
 * key is repeated for 24 hours, errors included. An answer is kept once the execution has begun. So the refusal of a
 * parameter is not kept, and neither is the refusal of a request that runs concurrently.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { IdempotencyTable } from "../store/idempotency-table.ts";
import { type Answer, errorAnswer, refusal } from "./requests/answer.ts";

const LIFETIME_MS = 24 * 3_600_000;
const MAX_KEY_LENGTH = 255;

/** A POST with a key. */
export type KeyedRequest = {
  account: number;
  key: string;
  path: string;
  search: URLSearchParams;
  requestId: string;
  nowMs: number;
};

/** The request as one with a key; undefined if it has none. The key of a GET or a DELETE has no effect. */
export const keyedRequestOf = (
  account: { id: number },
  request: Pick<KeyedRequest, "path" | "search" | "requestId"> & { method: string; headers: IncomingHttpHeaders },
  nowMs: number,
): KeyedRequest | undefined => {
  const { method, path, search, headers, requestId } = request;
  const key = headers["idempotency-key"]?.toString();
  if (method !== "POST" || key === undefined || key === "") return undefined;
  return { account: account.id, key, path, search, requestId, nowMs };
};

/** https://docs.stripe.com/error-codes#idempotency-key-in-use */
export const IN_USE: Answer = errorAnswer(409, {
  type: "idempotency_error",
  code: "idempotency_key_in_use",
  message:
    "There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through). Please try again later.",
});

/** The path, and the parameters in one order. */
const identify = ({ path, search }: KeyedRequest): string => {
  const sorted = new URLSearchParams(search);
  sorted.sort();
  return `${path}?${sorted}`;
};

const namesParameter = ({ body }: Answer): boolean =>
  typeof body === "object" && body !== null && "error" in body && "param" in (body.error as object);

const otherUse = (key: string, use: string) =>
  refusal(400, {
    type: "idempotency_error",
    message: `Keys for idempotent requests can only be used ${use}. Try using a key other than '${key}' if you meant to execute a different request.`,
  });

export const createIdempotency = (answers: IdempotencyTable) => ({
  /**
   * @returns the first answer; undefined if the request is the first one with its key.
   * @throws RefusedError if the key is too long, or was used for another request.
   */
  replay(request: KeyedRequest): Answer | undefined {
    const { account, key, path, nowMs } = request;
    if (key.length > MAX_KEY_LENGTH)
      throw refusal(400, {
        type: "idempotency_error",
        message: `Idempotency keys can be at most ${MAX_KEY_LENGTH} characters long.`,
      });
    const kept = answers.find(account, key, nowMs - LIFETIME_MS);
    if (kept === undefined) return undefined;
    const [firstPath = ""] = kept.request.split("?", 1);
    if (firstPath !== path)
      throw otherUse(key, `for the same endpoint they were first used for ('${firstPath}' vs '${path}')`);
    if (kept.request !== identify(request)) throw otherUse(key, "with the same parameters they were first used with");
    const headers = { "idempotent-replayed": "true", "original-request": kept.requestId };
    return { status: kept.status, headers, body: kept.body };
  },
  /** Keeps the first answer. */
  keep(request: KeyedRequest, answer: Answer): void {
    if (namesParameter(answer)) return;
    const { account, key, requestId, nowMs } = request;
    const { status, body } = answer;
    answers.removeBefore(nowMs - LIFETIME_MS);
    answers.insert(account, key, { request: identify(request), requestId, status, body: JSON.stringify(body) }, nowMs);
  },
});
