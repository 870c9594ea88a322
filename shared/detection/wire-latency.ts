import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createBaselineStore } from "./baseline-store.ts";
import { createLatencyObserver, type LatencyObserver } from "./observe-latency.ts";
import { createOperationsStore } from "./operations-store.ts";
import { createWindowStore } from "./window-store.ts";
import { raiseFinding } from "./wire-findings.ts";

/** Watches the operations of a deployed function. @throws Error at cold start where the environment lacks a variable. */
export const wireLatency = (): LatencyObserver => {
  const config = readConfig(["DETECTION_TABLE_NAME", "SECURITY_EVENTS_TABLE_NAME", "RETENTION_DAYS"]);
  const options = { retentionDays: config.RETENTION_DAYS };
  return createLatencyObserver({
    windows: createWindowStore(documentClient, config.DETECTION_TABLE_NAME, options),
    baselines: createBaselineStore(documentClient, config.DETECTION_TABLE_NAME),
    operations: createOperationsStore(documentClient, config.SECURITY_EVENTS_TABLE_NAME),
    raise: raiseFinding,
    now: systemClock,
  });
};
