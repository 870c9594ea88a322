/** The exports of a deployed function. All throw Error at cold start if the environment lacks a variable. */

import { createCustomRuleStore } from "../detection/custom-rules/custom-rule-store.ts";
import { createExportEvents } from "../exports/export-events.ts";
import { createExportLeaseStore } from "../exports/export-lease-store.ts";
import { createExportStore } from "../exports/export-store.ts";
import { createExportWorker, type ExportWorker } from "../exports/export-worker.ts";
import { createNextSource } from "../exports/organization-sources.ts";
import type { ProofSpan } from "../exports/proof-span.ts";
import { createReadExport, type ReadExport } from "../exports/read-export.ts";
import { createRequestExport, type RequestExport } from "../exports/request-export.ts";
import type { ResumeExportsDependencies } from "../exports/resume-exports.ts";
import { createDestinationStore } from "../notifications/destination-store.ts";
import { createRecordListStore } from "../records/record-list-store.ts";
import { createReportStore } from "../reports/report-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { createObjectStore, s3 } from "../runtime/object-store.ts";
import { openTable } from "../runtime/open-table.ts";
import { wireArchiveReader, wireArchiveSpan } from "./archive.ts";
import { wireProofSources, wireSizeOfProof } from "./evidence.ts";
import { wireMuteStore } from "./mute-stores.ts";
import { wireRecorder } from "./recorder.ts";
import { wireRuleSettings } from "./rule-settings.ts";
import { wireAlertNotes, wireAlertStore, wireDataReads, wireSecurityEventStore } from "./security.ts";
import { wireSettingsStore } from "./settings.ts";

export const wireExportStore = () => createExportStore(openTable("exports"));

const wireBus = () => createEventBus(eventBusClient, readConfig(["EVENT_BUS_NAME"]).EVENT_BUS_NAME);

const wireObjects = () => createObjectStore(s3, readConfig(["EXPORTS_BUCKET"]).EXPORTS_BUCKET);

/** @param proofSpan for exports of events. */
export const wireRequestExport = (proofSpan?: ProofSpan): RequestExport =>
  createRequestExport({
    exports: wireExportStore(),
    events: createExportEvents({ recorder: wireRecorder() }),
    bus: wireBus(),
    span: wireArchiveSpan(),
    proofSpan,
  });

export const wireReadExport = (): ReadExport =>
  createReadExport({
    exports: wireExportStore(),
    objects: wireObjects(),
    reads: wireDataReads(),
    clock: systemClock,
  });

export const wireResumeExports = (): ResumeExportsDependencies => ({
  exports: wireExportStore(),
  bus: wireBus(),
  clock: systemClock,
});

export const wireExportWorker = (): ExportWorker => {
  const config = readConfig(["RETENTION_DAYS"]);
  return createExportWorker({
    leases: createExportLeaseStore(openTable("exports")),
    exports: wireExportStore(),
    objects: wireObjects(),
    sizeOfProof: wireSizeOfProof(),
    nextSource: createNextSource({
      proof: wireProofSources(),
      records: createRecordListStore(openTable("records")),
      events: wireSecurityEventStore(),
      older: wireArchiveReader(),
      alerts: wireAlertStore(),
      notes: wireAlertNotes(),
      settings: wireSettingsStore(),
      rules: wireRuleSettings(),
      destinations: createDestinationStore(openTable("notifications")),
      customRules: createCustomRuleStore(openTable("detection")),
      mutes: wireMuteStore(),
      reports: createReportStore(openTable("reports"), { retentionDays: config.RETENTION_DAYS }),
      clock: systemClock,
    }),
    events: createExportEvents({ recorder: wireRecorder() }),
    bus: wireBus(),
    clock: systemClock,
    newToken: newRequestToken,
  });
};
