/**
 * Every hour: writes the events of closed hours to the archive and to the bucket for a SIEM, and deletes what the archive no
 * longer keeps. If the time runs short, SiemFeedContinued events continue. docs/siem.md, docs/exports.md.
 */
import { DueHoursRun, writeDueHours } from "../../shared/archive/write-due-hours.ts";
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { wireDueHours } from "../../shared/wiring/archive.ts";

const dependencies = wireDueHours();

export const handler = createBusHandler("write-siem-feed", DueHoursRun, (run, { remainingMs }) =>
  writeDueHours(dependencies, run, remainingMs),
);
