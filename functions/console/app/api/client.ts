/**
 * The API, typed by its OpenAPI document. Every request has the session's token; a token that the API refuses is renewed
 * once. Answers tell the service's time (../clock.ts).
 */
import createClient from "openapi-fetch";
import { accessToken, endRefusedSession, tokenAfterRefusal } from "../session/session.ts";
import { noteServiceTime } from "../words/clock.ts";
import { atMost } from "./at-most.ts";
import { asProblem, Problem, problemOf } from "./problem.ts";
import type { paths } from "./types.ts";

const ENDED = "The session has ended.";
/** API Gateway answers within 30 s: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const TIMEOUT_MS = 40_000;

/** Each read is an execution of a function: a new account may run ten at once, and webhooks and queues need theirs. */
const MOST_READS = 3;
const readInTurn = atMost(MOST_READS);

const withToken = async (request: Request): Promise<Response> => {
  const token = await accessToken();
  if (token === undefined) throw new Problem(ENDED, { status: 401 });
  const send = (bearer: string) => {
    const copy = request.clone();
    copy.headers.set("authorization", `Bearer ${bearer}`);
    return fetch(copy, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]) });
  };
  const response = await send(token);
  noteServiceTime(response.headers.get("date"));
  if (response.status !== 401) return response;
  const next = await tokenAfterRefusal(token);
  if (next === undefined) return response;
  const second = await send(next);
  if (second.status === 401) endRefusedSession(next);
  return second;
};

/** What a user asks for does not wait for reads. */
const inTurn = (request: Request): Promise<Response> =>
  request.method === "GET" ? readInTurn(() => withToken(request), request.signal) : withToken(request);

export const api = createClient<paths>({ baseUrl: location.origin, cache: "no-store", fetch: inTurn });

/** The parameters of a request that the service does once, whatever number of times it is sent. @param key of `useAction` */
export const once = (key: string) => ({ header: { "Idempotency-Key": key } });

type Answer<Data> = { data?: Data; error?: unknown; response: Response };

/** The body of a successful answer. @throws Problem */
export const answer = async <Data>(call: Promise<Answer<Data>>): Promise<Data> => (await page(call)).items;

/** The body of a successful answer, and the cursor of the next page. @throws Problem */
export const page = async <Data>(call: Promise<Answer<Data>>): Promise<{ items: Data; next: string | undefined }> => {
  const { data, error, response } = await call.catch((failure: unknown) => {
    throw asProblem(failure);
  });
  if (!response.ok) throw problemOf(response, error);
  return { items: data as Data, next: response.headers.get("x-next-cursor") ?? undefined };
};
