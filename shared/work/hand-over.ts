/**
 * How a job gets a worker: an event on the bus names the job. A worker whose time runs short publishes that event again
 * and so moves the job to the next invocation. Every hour a schedule publishes it for jobs without a worker.
 */
import type { BusEvent, EventBus } from "../runtime/event-bus.ts";
import type { HeldLease } from "./lease.ts";

/** Of the function's time, to report that the bus did not take the event. */
const GIVE_UP_MS = 3_000;

/** Of a schedule's time; jobs that it has not reached by then wait for the next hour. */
const STOP_MS = 10_000;

/** A worker takes a job within seconds of the request; after this time the request was lost. */
const REQUEST_LOST_AFTER_MS = 60_000;

/** `delivery` identifies the event that asked for the work; it is the same when the event is delivered again. */
export type Invocation = { delivery: string; remainingMs: () => number };

/**
 * Publishes the events that start the next invocations, until the time is over.
 * @throws Error if the bus does not take all of them: then the delivery is repeated, which continues the work as well.
 */
export const continueIn = async (
  { bus, remainingMs }: Pick<Invocation, "remainingMs"> & { bus: Pick<EventBus, "publish"> },
  requests: readonly BusEvent[],
): Promise<void> => {
  let left = requests;
  while (remainingMs() > GIVE_UP_MS) {
    left = (await bus.publish(left)).map(({ event }) => event);
    if (left.length === 0) return;
  }
  throw new Error("The event bus did not take the request to continue a job.");
};

/**
 * Moves a job to the next invocation.
 * @param request the event that asks for a worker.
 * @throws Error if the bus does not take the event: then the delivery is repeated, which continues the job as well.
 */
export const handOver = async (
  {
    lease,
    bus,
    remainingMs,
  }: Pick<Invocation, "remainingMs"> & {
    lease: Pick<HeldLease, "release">;
    bus: Pick<EventBus, "publish">;
  },
  request: BusEvent,
): Promise<void> => {
  // Release the lease before the request: the next worker must find it free.
  await lease.release();
  await continueIn({ bus, remainingMs }, [request]);
};

/** Whether a job has no worker: its lease has expired, or its request was lost before a worker took it. Epoch ms. */
export const isStalled = (
  { leaseUntil = 0, requestedAt }: { leaseUntil?: number | undefined; requestedAt: number },
  now: number,
): boolean => (leaseUntil === 0 ? requestedAt + REQUEST_LOST_AFTER_MS : leaseUntil) < now;

export type Resumed = { underWay: number; resumed: number; failed: number };

/**
 * Asks for a worker for each job that has none. A repetition does no harm.
 * @param find reads a job. Returns undefined if the job has ended; `request` is undefined if the job has a worker.
 */
export const resumeJobs = async <Job>(
  {
    jobs,
    find,
    bus,
  }: {
    jobs: AsyncIterable<Job>;
    find(job: Job): Promise<{ request: BusEvent | undefined } | undefined>;
    bus: Pick<EventBus, "publish">;
  },
  remainingMs: () => number,
): Promise<Resumed> => {
  const summary = { underWay: 0, resumed: 0, failed: 0 };
  for await (const job of jobs) {
    if (remainingMs() < STOP_MS) break;
    const found = await find(job);
    if (found === undefined) continue;
    summary.underWay++;
    if (found.request === undefined) continue;
    summary[(await bus.publish([found.request])).length === 0 ? "resumed" : "failed"]++;
  }
  return summary;
};
