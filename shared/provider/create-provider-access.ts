/** Makes operations of an adapter's requests. */
import { setTimeout as sleepFor } from "node:timers/promises";
import type { Guard } from "../circuit-breaker/guard.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import type { Recorder } from "../security/recorder.ts";
import { createExchange } from "./exchange.ts";
import type { LatencyObserver } from "./latency-observer.ts";
import { createOperate, type Operation, type Session } from "./operate.ts";
import { createPace } from "./pace.ts";
import type { Provider, ProviderPage } from "./provider.ts";
import type { ProviderAccess } from "./provider-access.ts";
import type { ProviderAdapter } from "./provider-adapter.ts";
import type { ReadCounts } from "./read-counts.ts";
import { createRecordOperation } from "./record-operation.ts";

export type ProviderAccessDependencies = {
  adapter: ProviderAdapter;
  guard: Guard;
  recorder: Pick<Recorder, "record">;
  reads: ReadCounts;
  /** Finds that operations have become slow. */
  latency?: LatencyObserver;
  clock?: Clock;
  sleep?: (ms: number) => Promise<unknown>;
  /** From 0 to 1. */
  random?: () => number;
};

const sizeOf = (page: ProviderPage<unknown> | undefined) =>
  page === undefined ? {} : { batchSize: page.items.length };

export const createProviderAccess = ({
  adapter,
  guard,
  recorder,
  reads,
  latency,
  clock = systemClock,
  sleep = sleepFor,
  random = Math.random,
}: ProviderAccessDependencies): ProviderAccess => {
  const recordOperation = createRecordOperation({ recorder, latency, clock });
  const pace = createPace({ clock, sleep });
  const operate = createOperate({ guard, pace, recordOperation, reads, clock, sleep, random });

  return {
    ...createExchange({ oauth: adapter.oauth, guard, recordOperation }),

    open(credentials, context): Provider {
      const session: Session = { credentials, context, hasStarted: false };
      const run = <Value>(operation: Operation<Value>) => operate(operation, session);
      return {
        readAccount: () =>
          run({
            action: "read_account",
            send: (options) => adapter.at(options).readAccount(),
            result: ({ accountId }) => ({ accountId }),
          }),
        listObjects: (type, page) =>
          run({
            action: `list_${type}`,
            type,
            send: (options) => adapter.at(options).listObjects(type, page),
            result: sizeOf,
          }),
        readObject: (type, id) =>
          run({
            action: `read_${type.slice(0, -1)}`,
            type,
            send: (options) => adapter.at(options).readObject(type, id),
          }),
        listPaymentLinks: (page) =>
          run({
            action: "list_payment_links",
            send: (options) => adapter.at(options).listPaymentLinks(page),
            result: sizeOf,
          }),
        listEvents: (page) =>
          run({ action: "list_events", send: (options) => adapter.at(options).listEvents(page), result: sizeOf }),
      };
    },

    isHalfOpen: guard.isHalfOpen,

    async flush() {
      await Promise.all([guard.flush(), reads.flush(), latency?.flush()]);
    },
  };
};
