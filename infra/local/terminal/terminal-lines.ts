import { INTEGRATION } from "../commands/read-arguments.ts";
import type { Paint } from "../commands/show-json.ts";
import type { DayObservation, Observation, RequestObservation } from "../core/observation.ts";
import { type LogEntry, sourceName } from "./log-entry.ts";

const MAX_TARGET = 80;
const SHORT_ID = 8;
/** Fields with a place of their own in the line, or for machines only. */
const HIDDEN = new Set(["level", "message", "cause", "requestId", "invocationId", "traceId", "_aws"]);

const shortened = (text: string, length: number) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
/** The integration's prefix would fill half of a line. */
const withoutPrefix = (target: string) =>
  target.startsWith(INTEGRATION) ? `…/${target.slice(INTEGRATION.length)}` : target;
const joined = (parts: readonly (string | undefined)[]) => parts.filter(Boolean).join("  ");
const total = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

const requestLine = (request: RequestObservation, paint: Paint): string => {
  const { method, target, status, durationMs, source, requestId, organizationId, userId, reason } = request;
  const colour = status >= 500 ? "red" : status >= 400 ? "yellow" : "green";
  return joined([
    `${paint(colour, String(status))} ${method.padEnd(6)} ${shortened(withoutPrefix(target), MAX_TARGET)}`,
    `${durationMs} ms`,
    source && sourceName(source),
    [organizationId, userId].filter(Boolean).join("/"),
    requestId && paint("dim", requestId.slice(0, SHORT_ID)),
    reason && paint(colour, reason),
  ]);
};

const dayLine = ({ day, stoppedAt, schedules, events, invocations, elapsedMs }: DayObservation, paint: Paint): string =>
  joined([
    `${paint("cyan", "clock")} ${stoppedAt === undefined ? day : `${new Date(stoppedAt).toISOString().slice(0, 16)}Z`}`,
    `${total(schedules)} schedules fired`,
    `${invocations} invocations`,
    Object.entries(events)
      .map(([type, count]) => `${count} × ${type}`)
      .join(", "),
    paint("dim", seconds(elapsedMs)),
  ]);

/** What a terminal shows of an observation; `isRoutine` if only with `--verbose`. */
export const observationLine = (observation: Observation, paint: Paint): { text: string; isRoutine: boolean } => {
  switch (observation.kind) {
    case "request":
      return { text: requestLine(observation, paint), isRoutine: false };
    case "clock":
      return { text: dayLine(observation, paint), isRoutine: false };
    case "schedule":
      return { text: paint("dim", `schedule  ${observation.name}`), isRoutine: true };
    case "event":
      return {
        text: paint("dim", `event  ${observation.detailType}  rules: ${observation.rules.length}`),
        isRoutine: true,
      };
    case "batch":
      return {
        text: paint(
          "dim",
          `batch  ${observation.queue}  ${observation.messages} messages, ${observation.failed} failed`,
        ),
        isRoutine: true,
      };
  }
};

/** Metrics repeat in capitals what other fields of the line say. */
const isShown = (name: string) => !HIDDEN.has(name) && !/^[A-Z]/.test(name);

/** The line that a function writes of each request. The front end's own line replaces it, unless it has a cause. */
const isRequest = ({ status, durationMs }: LogEntry) => typeof status === "number" && typeof durationMs === "number";

/** What a terminal shows of a log line; undefined for nothing. A cause takes lines of its own. */
export const logLine = (
  source: string,
  entry: LogEntry,
  paint: Paint,
): { text: string; isRoutine: boolean } | undefined => {
  const { level, message, requestId, cause } = entry;
  if (isRequest(entry) && cause === undefined) return undefined;
  const fields = Object.entries(entry).filter(([name]) => isShown(name));
  // A function that prints text of its own wants it to be seen; its structured lines of level info are routine.
  const isRoutine = level === "info" && fields.length + Number(requestId !== undefined) > 0;
  const text = joined([
    ...(level === "info" ? [] : [paint(level === "warn" ? "yellow" : "red", level.toUpperCase())]),
    sourceName(source),
    // A job's own line has its function's name.
    message === sourceName(source) ? undefined : message,
    ...fields.map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`),
    typeof requestId === "string" ? paint("dim", requestId.slice(0, SHORT_ID)) : undefined,
  ]);
  const causes = typeof cause === "string" ? cause.split("\n").map((line) => paint("red", `\n    ${line}`)) : [];
  return { text: [isRoutine ? paint("dim", text) : text, ...causes].join(""), isRoutine };
};
