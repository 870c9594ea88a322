/**
 * Requests with an Idempotency-Key. The first attempt reserves the key and gives the request its identity. An attempt that
 * ends stores its answer, and later attempts get that answer. If no attempt has an answer yet, a further attempt does the
 * work again under the same identity: the work finds what an earlier attempt has done, and completes it.
 * Decisions: docs/decisions.md, "Repeated requests".
 */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import * as z from "zod/mini";
import { encodeJson } from "../json/encode-json.ts";
import { isStoreFailure } from "../runtime/call-store.ts";
import type { Clock } from "../runtime/clock.ts";
import { asSideWork } from "../runtime/deadline.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { IdempotencyStore } from "../runtime/idempotency-store.ts";
import { writeLog } from "../runtime/log.ts";
import { createSealing } from "../runtime/sealing.ts";
import type { Caller } from "../terms/caller.ts";
import { IDEMPOTENCY_KEY, IdempotencyHeader, type RequestIdentity } from "../terms/idempotency-key.ts";
import { parseFields } from "./parse-request.ts";
import { type Response, respond } from "./respond.ts";
import type { Route } from "./route.ts";

type Request = { route: Route; event: APIGatewayProxyEventV2; caller: Caller | undefined; body: unknown };

/** Answers a request. @param answer does the work. */
export type AnswerOnce = (
  request: Request,
  answer: (identity: RequestIdentity) => Promise<Response>,
) => Promise<Response>;

/** The HTTP API writes header names in lower case. @throws DomainError `invalid_field`. */
export const parseIdempotencyKey = ({ headers }: APIGatewayProxyEventV2): string | undefined =>
  parseFields(IdempotencyHeader, { [IDEMPOTENCY_KEY]: headers[IDEMPOTENCY_KEY.toLowerCase()] }, "headers")[
    IDEMPOTENCY_KEY
  ];

/** The work decided against the request before it changed anything. Any other failure leaves open what was done. */
const isRefusal = (error: unknown): boolean => error instanceof DomainError && !isStoreFailure(error);

/** Only a client with the key and the body can read the stored answer, because an erasure does not reach it. */
const sealAnswers = (scope: string, operation: string, idempotencyKey: string, request: string) => {
  const sealing = createSealing(JSON.stringify([idempotencyKey, request]));
  const binding = { scope, query: operation };
  return {
    seal: (text: string): string => sealing.seal(binding, text),
    open(sealed: string): string {
      const opened = sealing.open(binding, z.string(), sealed);
      if (opened.is !== "ours") throw new Error("The first answer to an Idempotency-Key cannot be read.");
      return opened.position;
    },
  };
};

/** @param dependencies.newId a unique text. */
export const createAnswerOnce =
  ({ keys, now, newId }: { keys: IdempotencyStore; now: Clock; newId: () => string }): AnswerOnce =>
  async ({ route, event, caller, body }, answer) => {
    const idempotencyKey = parseIdempotencyKey(event);
    const own = { id: newId(), at: now() };
    if (idempotencyKey === undefined) return answer({ ...own, isKeyed: false, isRepeated: false });
    const scope = caller?.scope ?? "";
    const operation = `${route.method} ${route.path}`;
    const named = { scope, operation, idempotencyKey, request: encodeJson(body ?? {}) };
    const { seal, open } = sealAnswers(scope, operation, idempotencyKey, named.request);
    const repeat = (text: string) => respond(event.requestContext.requestId, route.success.status, open(text));

    const { identity, answer: first } = await keys.reserve(named, own);
    if (first !== undefined) return repeat(first);
    let response: Response;
    try {
      response = await answer(identity);
    } catch (error) {
      if (isRefusal(error)) await keys.release(named, identity.id).catch(() => undefined);
      throw error;
    }
    try {
      const stored = await asSideWork(() => keys.complete(named, identity.id, seal(response.body ?? "")));
      return stored === undefined ? response : repeat(stored);
    } catch (error) {
      // A repetition does the work again, under the same identity.
      writeLog("warn", "Storing the answer to an Idempotency-Key failed", { cause: String(error) });
      return response;
    }
  };
