import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Listening, listen } from "../../http/listen.ts";
import type { Fault, Faults } from "../faults/faults.ts";
import { API_VERSION } from "../objects/api-version.ts";
import type { Store } from "../store/store.ts";
import { openRegisteredEndpoints } from "../webhooks/endpoint.ts";
import { createAccountApi } from "./account-api.ts";
import { type Answer, errorAnswer, RefusedError, refusal } from "./answer.ts";
import { findSecret, readSecret, requireAccount } from "./authenticate.ts";
import { faultAnswer } from "./fault-answer.ts";
import type { OAuth } from "./oauth.ts";
import { readParameters } from "./parameters.ts";
import type { RequestCountsKeeper } from "./request-counts.ts";
import { createWebhookEndpointsApi } from "./webhook-endpoints-api.ts";
import { writeAnswer } from "./write-answer.ts";

const MAX_FORM_BYTES = 1_048_576;

/** The form of a request, empty if it has none; undefined if the client disconnected or sent too much. */
const readForm = async (message: IncomingMessage): Promise<URLSearchParams | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message) {
      size += chunk.length;
      if (size > MAX_FORM_BYTES) {
        message.socket.destroy();
        return undefined;
      }
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
};

const TOKEN_PATH = "/v1/oauth/token";
const AUTHORIZE_PATH = "/oauth/v2/authorize";

type AnswerDependencies = { store: Store; oauth: OAuth; now: () => number; onError: (error: unknown) => void };

/** Answers requests to the provider's API, refusals included, without a transport. */
export const createWireAnswers = ({ store, oauth, now, onError }: AnswerDependencies) => {
  const answerAccount = createAccountApi(store);
  const answerEndpoints = createWebhookEndpointsApi(openRegisteredEndpoints(store.database));

  const answer = (request: ServedRequest): Answer => {
    const { method, path, parameters, secret, found, headers } = request;
    if (method === "POST" && path === TOKEN_PATH) return oauth.exchange(parameters, secret);
    if (method === "GET" && path === AUTHORIZE_PATH) return oauth.authorize(parameters);
    const account = requireAccount(secret, found, now());
    const named = headers["stripe-account"];
    if (named !== undefined && named !== account.account_id)
      throw refusal(403, {
        code: "account_invalid",
        message: `The provided key does not have access to account '${named}' (or that account does not exist). Application access may have been revoked.`,
      });
    const apiVersion = headers["stripe-version"] ?? API_VERSION;
    if (apiVersion !== API_VERSION) throw refusal(400, { message: `Invalid Stripe API version: ${apiVersion}` });
    const accountRequest = { method, path, parameters, account, nowSeconds: Math.floor(now() / 1000) };
    const idempotencyKey = headers["idempotency-key"]?.toString();
    return answerEndpoints({ ...accountRequest, idempotencyKey }) ?? answerAccount(accountRequest);
  };

  return (request: ServedRequest): Answer => {
    try {
      return answer(request);
    } catch (error) {
      if (error instanceof RefusedError) return error.answer;
      onError(error);
      return errorAnswer(500, { type: "api_error", message: "An unknown error occurred" });
    }
  };
};

/** Starts the provider's HTTP API on any free port of loopback. */
export const startWireServer = (
  options: AnswerDependencies & {
    faults: Faults;
    counts: RequestCountsKeeper;
    /** Aborted when the simulator stops; ends slow answers. */
    stopping: AbortSignal;
  },
): Promise<Listening> => {
  const { store, oauth, faults, counts, now, stopping, onError } = options;
  const answerOrRefuse = createWireAnswers(options);

  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "GET", url = "/", headers } = message;
    const [path = "/", query = ""] = url.split("?", 2);
    const form = await readForm(message);
    if (form === undefined) return;
    const secret = readSecret(headers.authorization);
    const found = findSecret(store, secret);
    const granted = form.get("code") ?? form.get("refresh_token");
    const exchanging = granted === null ? undefined : oauth.accountOf(granted);
    const account = found?.account ?? (exchanging === undefined ? undefined : store.accounts.byId(exchanging));
    counts.count(account?.account_id, method, path, now());

    const hits = faults.hit(account?.account_id, path);
    const slow = hits.reduce((sum, hit) => sum + (hit.kind === "slow" ? hit.ms : 0), 0);
    if (slow > 0) await sleep(slow, undefined, { signal: stopping }).catch(() => {});
    const fault: Fault | undefined = hits.find(({ kind }) => kind !== "slow");
    const conclude = (outcome: string) => counts.countOutcome(account?.account_id, outcome);
    if (fault?.kind === "timeout") return conclude("timeout");
    if (fault?.kind === "reset" && fault.when === "before") {
      message.socket.resetAndDestroy();
      return conclude("reset");
    }
    const parameters = readParameters(method === "GET" ? new URLSearchParams(query) : form);
    const reply = (fault && faultAnswer(fault)) ?? answerOrRefuse({ method, path, parameters, secret, found, headers });
    const isCut = fault?.kind === "reset";
    conclude(isCut ? "reset" : String(reply.status));
    writeAnswer(response, reply, { dateMs: now(), isCut, idempotencyKey: headers["idempotency-key"] });
  };

  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    serve(message, response).catch((error) => {
      onError(error);
      response.destroy();
    });
  });
  return listen(server, 0);
};

type ServedRequest = {
  method: string;
  path: string;
  parameters: ReturnType<typeof readParameters>;
  secret: string | undefined;
  found: ReturnType<typeof findSecret>;
  headers: IncomingMessage["headers"];
};
