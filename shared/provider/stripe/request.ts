/** One request through the provider's SDK: from a method and a path to an answer, or to a ProviderError. */
import Stripe from "stripe";
import type { ObservedAt } from "../../records/observation.ts";
import type { Clock } from "../../runtime/clock.ts";
import { outsideDeadline } from "../../runtime/deadline.ts";
import type { ProviderError } from "../provider-error.ts";
import { errorOfFailure, errorOfRefusal, refusalOf } from "./errors.ts";
import { type Connections, createWireClient } from "./wire-client.ts";

/** The most that the provider's clock and ours may differ; the provider allows the same in signatures. */
const CLOCK_TOLERANCE_SECONDS = 300;

/**
 * When the provider read an answer's objects: between the answer's `Date` less the request's duration and that `Date`.
 * A `Date` has whole seconds, so the interval starts one second earlier. Without a `Date` our clock is used, and the
 * interval is 5 min wider on both sides: it orders no events near it.
 * @param sentAt and `receivedAt` in epoch ms of our clock.
 */
export const observedAtOf = ({
  date,
  sentAt,
  receivedAt,
}: {
  date: string | undefined;
  sentAt: number;
  receivedAt: number;
}): ObservedAt => {
  const durationSeconds = Math.max(0, Math.ceil((receivedAt - sentAt) / 1_000));
  const answeredAt = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isFinite(answeredAt) && answeredAt >= 0) {
    const to = Math.floor(answeredAt / 1_000);
    return { from: Math.max(0, to - durationSeconds - 1), to };
  }
  const to = Math.floor(receivedAt / 1_000);
  return {
    from: Math.max(0, to - durationSeconds - 1 - CLOCK_TOLERANCE_SECONDS),
    to: to + CLOCK_TOLERANCE_SECONDS,
  };
};

/**
 * The API version of requests. The SDK's types allow only its own version, so an SDK with another one does not compile
 * until its changes were reviewed.
 */
export const API_VERSION = "2026-10-28.endive";

/** `parameters`: the query of a GET, the form of a POST. */
export type WireRequest = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  parameters?: Readonly<Record<string, string | number | undefined>>;
  /** The Authorization header. */
  authorization: string;
  signal: AbortSignal;
  /** In place of `API_VERSION`. */
  apiVersion?: string;
  /** Of a POST: the provider answers the same request again with the first answer. */
  idempotencyKey?: string;
};

/** An answer in JSON. `refusal`: the error of an answer whose status is not 2xx, or that the SDK rejects. */
export type WireAnswer = { body: unknown; status: number; observedAt: ObservedAt; refusal?: ProviderError };

/** @throws ProviderError without an answer, or if the answer is not JSON. */
export type SendRequest = (request: WireRequest) => Promise<WireAnswer>;

/** Names are not encoded, brackets included, as in the SDK. */
const queryOf = (parameters: readonly [string, string | number][]): string =>
  parameters.map(([name, value], i) => `${i === 0 ? "?" : "&"}${name}=${encodeURIComponent(value)}`).join("");

const sendBySdk = (
  sdk: Stripe,
  { method, path, parameters = {}, idempotencyKey, apiVersion }: WireRequest,
): Promise<unknown> => {
  const given = Object.entries(parameters).flatMap(([name, value]): [string, string | number][] =>
    value === undefined ? [] : [[name, value]],
  );
  return method === "POST"
    ? sdk.rawRequest(method, path, Object.fromEntries(given), idempotencyKey === undefined ? {} : { idempotencyKey })
    : sdk.rawRequest(method, path + queryOf(given), undefined, apiVersion === undefined ? {} : { apiVersion });
};

export const createRequest =
  (connections: Connections, clock: Clock): SendRequest =>
  async (request) => {
    const { client, exchange } = createWireClient(connections, request.signal, clock);
    // One SDK per request (10 µs), so that requests share no state.
    const sdk = new Stripe("", {
      authenticator: async ({ headers }) => {
        headers.Authorization = request.authorization;
      },
      apiVersion: API_VERSION,
      httpClient: client,
      maxNetworkRetries: 0,
      telemetry: false,
    });
    let body: unknown;
    let refused: unknown;
    try {
      body = await outsideDeadline(() => sendBySdk(sdk, request));
    } catch (error) {
      refused = error;
    }
    const { failure, status = 0, headers } = exchange;
    if (failure !== undefined) throw errorOfFailure(failure, exchange);
    const isRefused = refused !== undefined || status < 200 || status > 299;
    return {
      body,
      status,
      observedAt: observedAtOf({ ...exchange, date: headers.date }),
      ...(isRefused && { refusal: errorOfRefusal(refusalOf(refused, status, headers)) }),
    };
  };

/** @throws ProviderError if the provider refused the request. */
export const accepted = (answer: WireAnswer): WireAnswer => {
  if (answer.refusal !== undefined) throw answer.refusal;
  return answer;
};
