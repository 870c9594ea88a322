/** A client's request to any front end, and its answer. */
export type RequestObservation = {
  kind: "request";
  method: string;
  /** As sent: path and query. */
  target: string;
  status: number;
  /** From the request's last byte to the answer, with the wait for an instance. */
  durationMs: number;
  /** The function's logical id; undefined if none was invoked. */
  source?: string | undefined;
  requestId?: string | undefined;
  /** The token's caller, whether or not the service accepts the token. */
  organizationId?: string | undefined;
  userId?: string | undefined;
  /** What the answer says is wrong, from status 400 on. */
  reason?: string | undefined;
};

/** What happened while the clock moved within one day of UTC. Counts are by name. */
export type DayObservation = {
  kind: "clock";
  /** `2026-11-22`. */
  day: string;
  /** Where the clock stopped, epoch ms; only of the last day of the move. */
  stoppedAt?: number;
  schedules: Readonly<Record<string, number>>;
  /** Events on the buses, by detail-type. */
  events: Readonly<Record<string, number>>;
  invocations: number;
  /** Real time that the day took. */
  elapsedMs: number;
};

/** What happens in the local cloud, for the people who watch it. Times are epoch ms of the local clock. */
export type Observation =
  | RequestObservation
  | DayObservation
  | { kind: "schedule"; name: string; at: number }
  | { kind: "event"; bus: string; detailType: string; rules: readonly string[] }
  | { kind: "batch"; queue: string; messages: number; failed: number };

export type Observe = (observation: Observation) => void;
