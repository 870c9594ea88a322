/**
 * Every hour: writes the events of closed hours to the bucket for a SIEM. If the time runs short, SiemFeedContinued events
 * continue. docs/siem.md.
 */
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { SiemFeedRun, writeFeed } from "../../shared/security/feed/write-feed.ts";
import { wireFeed } from "../../shared/wiring/feed.ts";

const dependencies = wireFeed();

export const handler = createBusHandler("write-siem-feed", SiemFeedRun, (run, { remainingMs }) =>
  writeFeed(dependencies, run, remainingMs),
);
