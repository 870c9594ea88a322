import type { IncomingHttpHeaders } from "node:http";
import type { Changes } from "../changes/changes.ts";
import { API_VERSION } from "../objects/objects.ts";
import type { AccountRow } from "../store/account-table.ts";
import type { Store } from "../store/store.ts";
import { createAccountApi } from "./account-api.ts";
import { ACTIVITY_PATH, createActivityApi } from "./activity-api.ts";
import { type findSecret, requireAccount } from "./authenticate.ts";
import { asksForPage, STYLES_PATH, styles } from "./authorize-page.ts";
import { createIdempotency, keyedRequestOf } from "./idempotency.ts";
import { AUTHORIZE_PATH, type OAuth } from "./oauth.ts";
import { type Answer, errorAnswer, RefusedError, refusal } from "./requests/answer.ts";
import { readParameters } from "./requests/parameters.ts";
import { findWrite } from "./writes/writes.ts";

/** A request to the provider's API. `search` has the parameters of the query or of the form. */
export type ServedRequest = {
  method: string;
  path: string;
  search: URLSearchParams;
  secret: string | undefined;
  found: ReturnType<typeof findSecret>;
  headers: IncomingHttpHeaders;
  requestId: string;
};

export type AnswerDependencies = {
  store: Store;
  changes: Pick<Changes, "perform">;
  oauth: OAuth;
  now: () => number;
  onError: (error: unknown) => void;
};

const TOKEN_PATH = "/v1/oauth/token";

/** Answers requests to the provider's API, refusals included, without a transport. */
export const createWireAnswers = ({ store, changes, oauth, now, onError }: AnswerDependencies) => {
  const answerRead = createAccountApi(store);
  const answerActivity = createActivityApi(store);
  const idempotency = createIdempotency(store.idempotency);

  const answerOf = (error: unknown): Answer => {
    if (error instanceof RefusedError) return error.answer;
    onError(error);
    return errorAnswer(500, { type: "api_error", message: "An unknown error occurred" });
  };

  /** Does a write, and keeps its answer for the request's key in the same transaction. */
  const answerWrite = (
    account: AccountRow,
    { write, id }: NonNullable<ReturnType<typeof findWrite>>,
    request: ServedRequest,
  ): Answer => {
    const keyed = keyedRequestOf(account, request, now());
    const kept = keyed && idempotency.replay(keyed);
    if (kept !== undefined) return kept;
    const cause = { requestId: request.requestId, idempotencyKey: keyed?.key ?? null };
    try {
      return changes.perform(account, cause, (context) => {
        const answer = write.perform(context, id, request.search);
        if (keyed !== undefined) idempotency.keep(keyed, answer);
        return answer;
      });
    } catch (error) {
      const answer = answerOf(error);
      if (keyed !== undefined) idempotency.keep(keyed, answer);
      return answer;
    }
  };

  const answer = (request: ServedRequest): Answer => {
    const { method, path, search, secret, found, headers } = request;
    if (method === "POST" && path === TOKEN_PATH) return oauth.exchange(readParameters(search), secret);
    if (method === "GET" && path === AUTHORIZE_PATH)
      return oauth.authorize(readParameters(search), asksForPage(headers.accept));
    if (method === "GET" && path === STYLES_PATH) return styles();
    const account = requireAccount(secret, found, now());
    const named = headers["stripe-account"];
    if (named !== undefined && named !== account.account_id)
      throw refusal(403, {
        code: "account_invalid",
        message: `The provided key does not have access to account '${named}' (or that account does not exist). Application access may have been revoked.`,
      });
    if (method === "GET" && path === ACTIVITY_PATH) {
      const parameters = readParameters(search);
      return answerActivity({ account, parameters, secret, version: headers["stripe-version"], nowMs: now() });
    }
    const apiVersion = headers["stripe-version"] ?? API_VERSION;
    if (apiVersion !== API_VERSION) throw refusal(400, { message: `Invalid Stripe API version: ${apiVersion}` });
    const write = findWrite(method, path);
    if (write !== undefined) return answerWrite(account, write, request);
    const parameters = readParameters(search);
    return answerRead({ method, path, parameters, account, nowSeconds: Math.floor(now() / 1000) });
  };

  return (request: ServedRequest): Answer => {
    try {
      return answer(request);
    } catch (error) {
      return answerOf(error);
    }
  };
};
