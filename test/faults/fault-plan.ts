/**
 * Which requests get which fault. A plan is data, so that a failing test can print it and run it again alone.
 */
import { createHash } from "node:crypto";
import { type FaultName, faults, faultsOf, type ProxiedRequest, type SeenRequest } from "./fault.ts";

/**
 * One fault at one call. `call`: a call's name as `service:operation:resource#n`, n from 1 among the calls of that name
 * since the plan was set; attempts of the SDK at one call count once.
 *
 * `times`: `once` and `twice` count requests of that name, from the named call on, so retries count; `always` affects all
 * later requests of the service to which the fault applies.
 */
export type FaultPlan = { call: string; fault: FaultName; times: Times };

export const allTimes = ["once", "twice", "always"] as const;
export type Times = (typeof allTimes)[number];

/** Chooses the fault of each request in the order of arrival; undefined passes the request on. */
export type ChooseFault = (request: ProxiedRequest) => FaultName | undefined;

/** The name of a kind of call, without its number. */
const kindOf = ({ service, operation, resource }: ProxiedRequest): string => `${service}:${operation}:${resource}`;

const LIMITS: Record<Times, number> = { once: 1, twice: 2, always: Number.POSITIVE_INFINITY };

/** A plan without memory of earlier requests. */
export const followPlan = ({ call, fault, times }: FaultPlan): ChooseFault => {
  const [, kind = "", number = "1"] = /^(.*)#(\d+)$/.exec(call) ?? [undefined, call];
  const [service] = kind.split(":");
  const calls = new Set<string>();
  let left = LIMITS[times];
  return (request) => {
    if (kindOf(request) === kind) calls.add(request.callId);
    const isArmed = calls.size >= Number(number);
    const isMeant = times === "always" ? request.service === service : kindOf(request) === kind;
    if (!isArmed || !isMeant || left === 0 || !faults[fault].applies(request)) return undefined;
    left--;
    return fault;
  };
};

/** The fault at the first attempt of each call of the AWS SDK; its retries are passed on. */
export const atFirstAttempts = (fault: FaultName): ChooseFault => {
  const calls = new Set<string>();
  return ({ callId }) => {
    if (calls.has(callId)) return undefined;
    calls.add(callId);
    return fault;
  };
};

const hashOf = (text: string): number => createHash("sha256").update(text).digest().readUInt32BE(0);

/**
 * Faults at random requests. The choice depends on the seed, the kind of request and its number among its kind only, so
 * concurrent requests of other kinds change nothing.
 * @param rate the share of requests with a fault, from 0 to 1.
 * @param names the faults to choose from; default: all that apply.
 */
export const randomFaults = (seed: number, rate: number, names?: readonly FaultName[]): ChooseFault => {
  const counts = new Map<string, number>();
  return (request) => {
    const kind = kindOf(request);
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const drawn = hashOf(`${seed} ${kind} ${count}`);
    if (drawn / 2 ** 32 >= rate) return undefined;
    const possible = faultsOf(request).filter((name) => names?.includes(name) ?? true);
    return possible[hashOf(`${seed} ${kind} ${count} fault`) % Math.max(1, possible.length)];
  };
};

/** The calls as plans name them, in order; attempts of the SDK at one call are one call. */
export const namedCalls = (requests: readonly SeenRequest[]): { name: string; request: SeenRequest }[] => {
  const counts = new Map<string, number>();
  return [...Map.groupBy(requests, ({ callId }) => callId).values()].flatMap(([request]) => {
    if (request === undefined) return [];
    const kind = kindOf(request);
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return [{ name: `${kind}#${count}`, request }];
  });
};

/** A number from 0 to 1 that follows from the seed and the text, to choose cells by. */
export const drawOf = (seed: number, text: string): number =>
  createHash("sha256").update(`${seed} ${text}`).digest().readUInt32BE(0) / 2 ** 32;
