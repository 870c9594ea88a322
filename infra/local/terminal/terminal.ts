import type { Paint } from "../commands/show-json.ts";
import type { Observe } from "../core/observation.ts";
import { parseLogLine, sourceName } from "./log-entry.ts";
import { logLine, observationLine } from "./terminal-lines.ts";

/** The output of `npm start` while the local cloud runs. */
export type Terminal = {
  /** A line from a function (`source` is its logical id), or from the local cloud itself. */
  log: (source: string, line: string) => void;
  observe: Observe;
};

/**
 * On a terminal: one short line per request, day of the clock, warning and error; with `isVerbose` also what functions log
 * as routine, schedules, events and batches. Elsewhere: all of it, one JSON object a line.
 * @param options.now the local cloud's clock, epoch ms
 */
export const createTerminal = (options: {
  isTerminal: boolean;
  isVerbose: boolean;
  now: () => number;
  paint: Paint;
  writeLine: (line: string) => void;
}): Terminal => {
  const { isTerminal, isVerbose, now, paint, writeLine } = options;
  const time = () => new Date(now()).toISOString();
  const writeJson = (source: string, fields: object) =>
    writeLine(JSON.stringify({ time: time(), ...fields, source: sourceName(source) }));
  const show = (line: { text: string; isRoutine: boolean } | undefined) => {
    if (line !== undefined && (isVerbose || !line.isRoutine))
      writeLine(`${paint("dim", time().slice(11, 19))} ${line.text}`);
  };
  return {
    log(source, line) {
      const entry = parseLogLine(line);
      if (isTerminal) show(logLine(source, entry, paint));
      else writeJson(source, entry);
    },
    observe(observation) {
      if (isTerminal) show(observationLine(observation, paint));
      else writeJson((observation.kind === "request" && observation.source) || "local cloud", observation);
    },
  };
};
