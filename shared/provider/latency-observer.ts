/** Port: what watches the latency of operations. Detection implements it (shared/detection/observe-latency.ts). */

/** An operation that reached the provider: its event's id, when it ended (epoch ms), and how long it took. */
export type TimedOperation = { id: string; at: number; durationMs: number };

/** `flush` is to be awaited at the end of an invocation; it never throws. */
export type LatencyObserver = {
  observe(organizationId: string, operation: TimedOperation): void;
  flush(): Promise<void>;
};
