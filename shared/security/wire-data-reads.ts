/** What records the reads of a deployed function. */
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createDataReadStore } from "./data-read-store.ts";
import { createDataReadRecorder, type DataReadRecorder } from "./data-reads.ts";
import { wireRecorder } from "./wire-recorder.ts";

/** @throws Error at cold start where the environment lacks a variable. */
export const wireDataReads = (): DataReadRecorder => {
  const { SECURITY_ROLLUPS_TABLE_NAME } = readConfig(["SECURITY_ROLLUPS_TABLE_NAME"]);
  return createDataReadRecorder({
    marks: createDataReadStore(documentClient, SECURITY_ROLLUPS_TABLE_NAME),
    recorder: wireRecorder(),
    clock: systemClock,
  });
};
