/**
 * Nanoseconds of CPU time per guarded call that succeeds at once, on one line: `node guarded-call.mjs <guard>`.
 * Each guard limits the call's time, and has one circuit per organization.
 */
import { ConsecutiveBreaker, circuitBreaker, handleAll, TimeoutStrategy, timeout, wrap } from "cockatiel";
import CircuitBreaker from "opossum";
import { newCircuit } from "../../../shared/circuit-breaker/circuit.ts";
import { createGuard } from "../../../shared/circuit-breaker/guard.ts";
import { createRequestCounter } from "../../../shared/circuit-breaker/request-counter.ts";

const TIMEOUT_MS = 8_000;
const WARM_UP = 50_000;
const CALLS = 300_000;
const organizationId = "organization";

const call = async () => "done";

const guards = {
  none: () => call,
  product: () => {
    const clock = Date.now;
    const statistics = createRequestCounter({ store: { add: async () => {} }, clock });
    const announcer = { announce: () => {}, announceOverdue: () => {}, settle: async () => {} };
    const store = { read: async () => newCircuit, write: async () => Promise.reject(new Error("no write is due")) };
    const guard = createGuard({ store, announcer, statistics, clock, timeoutMs: TIMEOUT_MS });
    return () => guard(organizationId, call);
  },
  opossum: () => {
    const breakers = new Map([[organizationId, new CircuitBreaker(call, { timeout: TIMEOUT_MS })]]);
    return () => breakers.get(organizationId).fire();
  },
  cockatiel: () => {
    const breaker = circuitBreaker(handleAll, { halfOpenAfter: 30_000, breaker: new ConsecutiveBreaker(5) });
    const policies = new Map([[organizationId, wrap(breaker, timeout(TIMEOUT_MS, TimeoutStrategy.Cooperative))]]);
    return () => policies.get(organizationId).execute(call);
  },
};

const guarded = guards[process.argv[2]]();
for (let i = 0; i < WARM_UP; i++) await guarded();
const before = process.cpuUsage();
for (let i = 0; i < CALLS; i++) await guarded();
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${((user + system) * 1_000) / CALLS}\n`);
process.exit();
