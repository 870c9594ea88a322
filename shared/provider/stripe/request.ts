/** One request to the provider by its SDK: from a method and a path to an answer, or to a ProviderError. */
import Stripe from "stripe";
import type { SeenAt } from "../../records/observation.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { ProviderError } from "../provider-error.ts";
import type { Connections } from "./connections.ts";
import { errorOfFailure, errorOfRefusal, refusalOf } from "./errors.ts";
import { seenAtOf } from "./seen-at.ts";
import { createWireClient } from "./wire-client.ts";

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
