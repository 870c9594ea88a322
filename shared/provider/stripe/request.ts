/** When an answer's objects were as it says, by the provider's clock. Pure. */
/** One request to the provider by its SDK: from a method and a path to an answer, or to a ProviderError. */
import Stripe from "stripe";
import type { SeenAt } from "../../records/observation.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { ProviderError } from "../provider-error.ts";
import { errorOfFailure, errorOfRefusal, refusalOf } from "./errors.ts";
import { type Connections, createWireClient } from "./wire-client.ts";

/** How far the provider's clock and ours may be apart; the provider itself bears as much in signatures. */
const CLOCK_TOLERANCE_SECONDS = 300;

/**
 * The provider read its objects while the request was under way: between the answer's date less the request's time,
 * and that date. The date is cut to whole seconds, so the start is a second earlier still.
 * Without a date there is only our clock, and the interval is five minutes wider on both sides: next to anything that
 * happened then, the object counts as not ordered, and is read again.
 * @param sentAt and `receivedAt` in epoch ms of our clock.
 * @param date the answer's Date header.
 */
export const seenAtOf = ({
  date,
  sentAt,
  receivedAt,
}: {
  date: string | undefined;
  sentAt: number;
  receivedAt: number;
}): SeenAt => {
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
 * The version that requests ask for. It is the one the SDK was made for, and written down: a new SDK that speaks
 * another does not compile until somebody has read what changed.
 */
const API_VERSION = "2026-10-28.endive";

/** `parameters` are a GET's query or a POST's form. */
export type WireRequest = {
  method: "GET" | "POST";
  path: string;
  parameters?: Readonly<Record<string, string | number | undefined>>;
  /** The Authorization header. */
  authorization: string;
  signal: AbortSignal;
};

/** An answer in JSON. `refusal` is there where its status is not from 200 to 299, or it is an error all the same. */
export type WireAnswer = { body: unknown; status: number; seenAt: SeenAt; refusal?: ProviderError };

/** @throws ProviderError where there is no answer, or none in JSON. */
export type SendRequest = (request: WireRequest) => Promise<WireAnswer>;

/** Names stand as they are, brackets too, as the SDK itself writes them. */
const queryOf = (parameters: readonly [string, string | number][]): string =>
  parameters.map(([name, value], i) => `${i === 0 ? "?" : "&"}${name}=${encodeURIComponent(value)}`).join("");

const ask = (sdk: Stripe, { method, path, parameters = {} }: WireRequest): Promise<unknown> => {
  const given = Object.entries(parameters).flatMap(([name, value]): [string, string | number][] =>
    value === undefined ? [] : [[name, value]],
  );
  return method === "GET"
    ? sdk.rawRequest(method, path + queryOf(given))
    : sdk.rawRequest(method, path, Object.fromEntries(given));
};

export const createRequest =
  (connections: Connections, clock: Clock): SendRequest =>
  async (request) => {
    const { client, exchange } = createWireClient(connections, request.signal, clock);
    // Made for each request, which takes 10 µs: what belongs to one request is then nobody else's.
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
      body = await ask(sdk, request);
    } catch (error) {
      refused = error;
    }
    const { failure, status = 0, headers } = exchange;
    if (failure !== undefined) throw errorOfFailure(failure, exchange);
    const isRefused = refused !== undefined || status < 200 || status > 299;
    return {
      body,
      status,
      seenAt: seenAtOf({ ...exchange, date: headers.date }),
      ...(isRefused && { refusal: errorOfRefusal(refusalOf(refused, status, headers)) }),
    };
  };

/** @throws ProviderError, the answer's own where it refuses. */
export const accepted = (answer: WireAnswer): WireAnswer => {
  if (answer.refusal !== undefined) throw answer.refusal;
  return answer;
};
