/**
 * Requests with an Idempotency-Key. The first attempt reserves the key and gives the request its identity. An attempt that
 * ends stores its answer without the `secret`, and later attempts get the stored answer. If no attempt has an answer yet, a
 * further attempt does the work again under the same identity: the work finds what an earlier attempt has done, and
 * completes it.
 * Decisions: docs/decisions.md, "Repeated requests".
 */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import * as z from "zod/mini";
import { encodeJson } from "../json/encode-json.ts";
import { reviveExactly } from "../json/revive-exactly.ts";
import { isStoreFailure } from "../runtime/call-store.ts";
import type { Clock } from "../runtime/clock.ts";
import { asSideWork } from "../runtime/deadline.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { IdempotencyStore, IdempotentRequest } from "../runtime/idempotency-store.ts";
import { writeLog } from "../runtime/log.ts";
import { createSealing } from "../runtime/sealing.ts";
import type { Caller } from "../terms/caller.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import { type Response, respond } from "./respond.ts";
import type { Route } from "./route.ts";

type Request = {
  route: Route;
  event: APIGatewayProxyEventV2;
  caller: Caller | undefined;
  body: unknown;
  idempotencyKey: string | undefined;
};

/** Answers a request. @param answer does the work. */
export type AnswerOnce = (
  request: Request,
  answer: (identity: RequestIdentity) => Promise<Response>,
) => Promise<Response>;

/** The reserved keys and their answers, and the service's key for what it seals; any text. */
type Storage = { keys: IdempotencyStore; sealingKey: string };

type Dependencies = { openStorage: () => Promise<Storage>; now: Clock; newId: () => string };

/** The work decided against the request before it changed anything. Any other failure leaves open what was done. */
const isRefusal = (error: unknown): boolean => error instanceof DomainError && !isStoreFailure(error);

/**
 * Reading a stored answer takes the service's key, so that a reader of the table cannot try keys and bodies, and the
 * client's key and body, because an erasure does not reach it.
 */
const sealAnswers = (sealingKey: string, { scope, userId, operation, idempotencyKey, request }: IdempotentRequest) => {
  const sealing = createSealing(JSON.stringify([sealingKey, userId, idempotencyKey, request]));
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

const WithSecret = z.looseObject({ secret: z.unknown() });

/** The answer as it is stored: only the answer to the first attempt shows a secret. */
const withoutSecret = (body: string): string => {
  const answer: unknown = body === "" ? undefined : JSON.parse(body, reviveExactly);
  const parsed = WithSecret.safeParse(answer);
  if (!parsed.success || !("secret" in parsed.data)) return body;
  const { secret: _, ...rest } = parsed.data;
  return encodeJson(rest);
};

/**
 * @param dependencies.openStorage is called for requests with a key only. @throws DomainError `store_unavailable`.
 * @param dependencies.newId a unique text.
 */
export const createAnswerOnce =
  ({ openStorage, now, newId }: Dependencies): AnswerOnce =>
  async ({ route, event, caller, body, idempotencyKey }, answer) => {
    const attempt = { id: newId(), at: now() };
    if (idempotencyKey === undefined) return answer({ ...attempt, isKeyed: false, isRepeated: false });
    const named = {
      scope: caller?.scope ?? "",
      userId: caller?.userId ?? "",
      operation: `${route.method} ${route.path}`,
      idempotencyKey,
      request: encodeJson(body ?? {}),
    };
    const { keys, sealingKey } = await openStorage();
    const { seal, open } = sealAnswers(sealingKey, named);
    const repeat = (text: string) => respond(event.requestContext.requestId, route.success.status, open(text));

    const { identity, answer: first } = await keys.reserve(named, attempt);
    if (first !== undefined) return repeat(first);
    let response: Response;
    try {
      response = await answer(identity);
    } catch (error) {
      if (isRefusal(error)) await keys.release(named, identity.id).catch(() => undefined);
      throw error;
    }
    try {
      const own = seal(withoutSecret(response.body ?? ""));
      const stored = await asSideWork(() => keys.complete(named, identity.id, own));
      return stored === undefined || stored === own ? response : repeat(stored);
    } catch (error) {
      // A repetition does the work again, under the same identity.
      writeLog("warn", "Storing the answer to an Idempotency-Key failed", { cause: String(error) });
      return response;
    }
  };
