import { join } from "node:path";
import * as z from "zod";
import { readDataFile, writeDataFile } from "./data-file.ts";

const ClockFile = z.object({ offsetMs: z.int().min(0) });

/** The time of functions, tokens, schedules and TTL: the machine's time plus an offset that only grows. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number;
  offsetMs(): number;
  /** Moves to that time; does nothing if it has passed. */
  moveTo(epochMs: number): void;
};

/** The clock of one data directory. Its offset is kept there, so that stored times are never in the future. */
export const createClock = (dataDirectory: string): Clock => {
  const file = join(dataDirectory, "clock.json");
  let { offsetMs } = readDataFile(file, ClockFile) ?? { offsetMs: 0 };
  // The file exists from the first start on, so that its loss is noticed.
  writeDataFile(file, { offsetMs });
  const now = () => Date.now() + offsetMs;
  return {
    now,
    offsetMs: () => offsetMs,
    moveTo(epochMs) {
      const step = epochMs - now();
      if (step <= 0) return;
      offsetMs += step;
      writeDataFile(file, { offsetMs });
    },
  };
};
