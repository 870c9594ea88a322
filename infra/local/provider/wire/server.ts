import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Listening, listen } from "../../http/listen.ts";
import type { Fault, Faults } from "../faults/faults.ts";
import type { AnswerDependencies, ServedRequest } from "./answers.ts";
import { createWireAnswers } from "./answers.ts";
import { findSecret, readSecret } from "./authenticate.ts";
import { faultAnswer, rateLimitAnswer } from "./fault-answer.ts";
import { createIdempotency, IN_USE, keyedRequestOf } from "./idempotency.ts";
import type { RateLimiter } from "./rate-limits.ts";
import type { RequestCountsKeeper } from "./request-counts.ts";
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

/** Starts the provider's HTTP API on any free port of loopback. */
export const startWireServer = (
  options: AnswerDependencies & {
    faults: Faults;
    rateLimiter: RateLimiter;
    counts: RequestCountsKeeper;
    /** Aborted when the simulator stops; ends slow answers. */
    stopping: AbortSignal;
  },
): Promise<Listening> => {
  const { store, oauth, faults, rateLimiter, counts, now, stopping, onError } = options;
  const answerOrRefuse = createWireAnswers(options);
  const idempotency = createIdempotency(store.idempotency);
  /** The keys of requests that are under way, by account. */
  const keysInUse = new Set<string>();

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

    // The SDK sends the parameters of a DELETE in the query.
    const search = method === "POST" ? form : new URLSearchParams(query);
    const requestId = `req_${randomBytes(7).toString("hex")}`;
    const request: ServedRequest = { method, path, search, secret, found, headers, requestId };
    const conclude = (outcome: string) => counts.countOutcome(account?.account_id, outcome);
    const reply = (answer: ReturnType<typeof answerOrRefuse>, isCut = false) => {
      conclude(isCut ? "reset" : String(answer.status));
      const idempotencyKey = headers["idempotency-key"]?.toString();
      writeAnswer(response, answer, { dateMs: now(), isCut, requestId, idempotencyKey });
    };

    const exceeded = account && rateLimiter.admit(account.account_id, { method, path, nowMs: now() });
    if (exceeded !== undefined) return reply(rateLimitAnswer(exceeded));
    const keyed = account && keyedRequestOf(account, request, now());
    const keyInUse = keyed && `${keyed.account} ${keyed.key}`;
    if (keyInUse !== undefined && keysInUse.has(keyInUse)) return reply(IN_USE);
    if (keyInUse !== undefined) keysInUse.add(keyInUse);
    try {
      const hits = faults.hit(account?.account_id, path);
      const slow = hits.reduce((sum, hit) => sum + (hit.kind === "slow" ? hit.ms : 0), 0);
      if (slow > 0) await sleep(slow, undefined, { signal: stopping }).catch(() => {});
      const fault: Fault | undefined = hits.find(({ kind }) => kind !== "slow");
      if (fault?.kind === "timeout") return conclude("timeout");
      if (fault?.kind === "reset" && fault.when !== "middle") {
        if (fault.when === "after") answerOrRefuse(request);
        message.socket.resetAndDestroy();
        return conclude("reset");
      }
      const failure = fault && faultAnswer(fault);
      // The provider repeats its own failures, too; other errors come from before the execution.
      if (keyed !== undefined && failure?.status === 500) idempotency.keep(keyed, failure);
      reply(failure ?? answerOrRefuse(request), fault?.kind === "reset");
    } finally {
      if (keyInUse !== undefined) keysInUse.delete(keyInUse);
    }
  };

  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    serve(message, response).catch((error) => {
      onError(error);
      response.destroy();
    });
  });
  return listen(server, 0);
};
