import { systemClock } from "../runtime/clock.ts";
import { wireDataReads } from "../security/wire-data-reads.ts";
import { createReportReader } from "./read-report.ts";
import { wireReportListStore, wireReportStore } from "./wire-report-stores.ts";

/** How reports are read, in a deployed function. @throws Error at cold start where the environment lacks a variable. */
export const wireReportReader = () =>
  createReportReader({
    reports: { ...wireReportStore(), ...wireReportListStore() },
    reads: wireDataReads(),
    now: systemClock,
  });
