/**
 * What runs the functions in a simulation: the HTTP API, the webhook URL, the event bus, queues, asynchronous
 * invocations with their retries, and schedules. Times and numbers are those of the deployed service.
 */

import { createRouter } from "../../infra/local/http/router.ts";
import { backgroundFunctions, type Trigger } from "../../shared/api/background-functions.ts";
import { type BusEventName, busEvents, EVENT_SOURCE, partsOf } from "../../shared/api/bus-events.ts";
import { eventsOf, type QueueName, queues as queueKinds } from "../../shared/api/queues.ts";
import { allRoutes } from "../../shared/api/routes.ts";
import { scheduledEvent } from "../support/scheduled-event.ts";
import type { Functions, Outcome } from "./functions.ts";
import { createMemoryQueues } from "./memory-queues.ts";
import type { Scheduler } from "./scheduler.ts";

export type Answer = { status: number; body: unknown; headers: Record<string, string> };

export type ApiRequest = {
  method: string;
  path: string;
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  ipAddress?: string;
};

const API_TIMEOUT_SECONDS = 10;
const WEBHOOK_TIMEOUT_SECONDS = 10;
/** Lambda repeats a failed asynchronous invocation twice. */
const RETRY_AFTER_MS = [60_000, 120_000];
const HOUR_MS = 3_600_000;

/** When syncs are scheduled, in minutes after the hour. */
const SYNC_MINUTE = 18;

const RARE: readonly string[] = ["dispatch-detection", "close-security-hours", "dispatch-reports"];

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const createCloud = (
  scheduler: Scheduler,
  functions: Functions,
  { mayRepeat, log }: { mayRepeat: () => boolean; log: (line: string) => void },
) => {
  const { after, between, chance, now } = scheduler;
  const route = createRouter(allRoutes.map(([name, { method, path }]) => ({ routeKey: `${method} ${path}`, name })));
  /** Invocations that failed three times. */
  const lost: string[] = [];
  /** Invocations that failed although they began when nothing failed any more. */
  const unexcused: string[] = [];
  const state = { underWay: 0, requests: 0, events: 0, isQuiet: false };

  const track = async <Result>(work: Promise<Result>): Promise<Result> => {
    state.underWay++;
    try {
      return await work;
    } finally {
      state.underWay--;
    }
  };

  /** An asynchronous invocation, with Lambda's retries. */
  const invokeLater = async (name: keyof typeof backgroundFunctions, event: object): Promise<void> => {
    for (const pause of [...RETRY_AFTER_MS, undefined]) {
      const { isQuiet } = state;
      const outcome = await functions.invoke(name, event, backgroundFunctions[name].timeoutSeconds);
      if (outcome.status === "answered") return;
      const failure = `${name} ${outcome.status}${outcome.status === "failed" ? `: ${outcome.error}` : ""}`;
      log(failure);
      if (isQuiet) unexcused.push(failure);
      if (pause !== undefined) await scheduler.sleep(pause);
    }
    lost.push(name);
  };

  const queues = createMemoryQueues(scheduler, functions, { mayRepeat, track });
  const queueNames = Object.keys(queueKinds) as QueueName[];

  const triggersOf = (matches: (trigger: Trigger) => boolean) =>
    (Object.keys(backgroundFunctions) as (keyof typeof backgroundFunctions)[]).flatMap((name) =>
      (backgroundFunctions[name].triggers as readonly Trigger[]).filter(matches).map((trigger) => ({ name, trigger })),
    );

  const deliver = (type: BusEventName, id: string, detail: Record<string, unknown>): void => {
    const time = new Date(now()).toISOString();
    const origin = { source: EVENT_SOURCE, "detail-type": type };
    for (const { name } of triggersOf((trigger) => "event" in trigger && trigger.event === type)) {
      const parts = partsOf(type)?.filter((part) => detail[part] !== undefined) ?? [undefined];
      for (const part of parts) {
        const event = { ...origin, id, time, detail: part === undefined ? detail : detail[part] };
        after(between(1, 2_000), () => void track(invokeLater(name, event)));
      }
    }
    for (const queue of queueNames.filter((name) => eventsOf(name).includes(type))) {
      after(between(1, 2_000), () => queues.put(queue, JSON.stringify({ ...origin, id, time, detail })));
    }
  };

  /** Runs a scheduled function now. */
  const fire = (name: keyof typeof backgroundFunctions): void =>
    void track(invokeLater(name, scheduledEvent(`schedule-${name}-${now()}`, now())));

  const httpEvent = ({ method, path, token, body, headers, ipAddress = "192.0.2.1" }: ApiRequest) => {
    const [rawPath = "/", rawQueryString = ""] = path.split("?", 2);
    const query = Object.fromEntries(new URLSearchParams(rawQueryString));
    return {
      version: "2.0",
      rawPath,
      rawQueryString,
      isBase64Encoded: false,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(rawQueryString !== "" && { queryStringParameters: query }),
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      requestContext: {
        requestId: `request-${++state.requests}`,
        http: { method, path: rawPath, protocol: "HTTP/1.1", sourceIp: ipAddress, userAgent: "simulation" },
        timeEpoch: now(),
      },
    };
  };

  const toAnswer = (outcome: Outcome): Answer => {
    if (outcome.status === "failed")
      throw new Error("A handler of requests must never fail.", { cause: outcome.error });
    // The gateway answers for an instance that died.
    if (outcome.status !== "answered") return { status: 500, body: undefined, headers: {} };
    const value = outcome.value as { statusCode: number; body?: string; headers: Record<string, string> };
    const isJson = value.body !== undefined && value.headers["content-type"] === "application/json";
    return {
      status: value.statusCode,
      body: isJson ? JSON.parse(value.body ?? "") : value.body,
      headers: value.headers,
    };
  };

  return {
    state,
    queues,
    lost,
    unexcused,

    /** The bus accepts events. It may deliver an event twice. */
    publish(entries: readonly { DetailType: string; Detail: string }[]): void {
      for (const { DetailType, Detail } of entries) {
        const id = `event-${++state.events}`;
        const type = DetailType as BusEventName;
        busEvents[type].detail.parse(
          partsOf(type) === undefined ? JSON.parse(Detail) : Object.values(JSON.parse(Detail))[0],
        );
        for (let copies = mayRepeat() ? 2 : 1; copies > 0; copies--) deliver(type, id, JSON.parse(Detail));
      }
    },

    /** A request to the API. A status of 500 without a body is the gateway's. */
    async request(request: ApiRequest): Promise<Answer> {
      const match = route(request.method, request.path.split("?")[0] ?? "/");
      const name = match === undefined ? "answer-unknown-route" : kebab(match.route.name);
      const pathParameters = Object.fromEntries(
        Object.entries(match?.pathParameters ?? {}).map(([key, value]) => [key, decodeURIComponent(value)]),
      );
      const event = { ...httpEvent(request), routeKey: match?.route.routeKey ?? "$default", pathParameters };
      return toAnswer(await track(functions.invoke(name, event, API_TIMEOUT_SECONDS)));
    },

    /** A delivery to the webhook URL. */
    webhook: async (request: Omit<ApiRequest, "method">): Promise<Answer> =>
      toAnswer(
        await track(
          functions.invoke("receive-webhook", httpEvent({ ...request, method: "POST" }), WEBHOOK_TIMEOUT_SECONDS),
        ),
      ),

    fire,

    /** Fires the schedules from now on, until `isOver`; in most simulations without the expensive ones that heal nothing. */
    startSchedules(isOver: () => boolean): void {
      const repeat = (name: keyof typeof backgroundFunctions, first: number) =>
        after(first, () => {
          if (isOver()) return;
          fire(name);
          repeat(name, HOUR_MS);
        });
      for (const { name, trigger } of triggersOf((one) => "hourlyAtMinute" in one || "everyHours" in one)) {
        if (RARE.includes(name) && chance(0.7)) continue;
        const minute = "hourlyAtMinute" in trigger ? trigger.hourlyAtMinute : SYNC_MINUTE;
        repeat(name, (minute * 60_000 - (now() % HOUR_MS) + HOUR_MS) % HOUR_MS);
      }
    },

    /** Whether nothing is under way. Messages may wait in queues for their time. */
    isIdle: () => state.underWay === 0 && !queues.hasVisible(),
  };
};
