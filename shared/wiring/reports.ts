/** The reports of a deployed function. All throw Error at cold start if the environment lacks a variable. */

import { setTimeout as sleep } from "node:timers/promises";
import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { createErasureStore } from "../erasure/erasure-store.ts";
import { createAddReview } from "../reports/add-review.ts";
import { createComplianceCollector } from "../reports/collect-compliance.ts";
import { createMonthCollector } from "../reports/collect-month.ts";
import { createReviewCollector } from "../reports/collect-review.ts";
import { createReportDispatcher } from "../reports/dispatch-reports.ts";
import { type ReadIntegrity, type ReportedIntegrity, reportIntegrity, withSums } from "../reports/evidence-fields.ts";
import { createReportMaker } from "../reports/make-report.ts";
import type { Period } from "../reports/period.ts";
import { createPeriodEventsStore } from "../reports/period-events-store.ts";
import { createReportReader } from "../reports/read-report.ts";
import { createReportDueStore } from "../reports/report-due-store.ts";
import { createReportLinker, createReportLinkOpener } from "../reports/report-link.ts";
import { createReportLinkStore } from "../reports/report-link-store.ts";
import { createReportReviewStore } from "../reports/report-review-store.ts";
import { createReportStore } from "../reports/report-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { openTable } from "../runtime/open-table.ts";
import { createSealing } from "../runtime/sealing.ts";
import { createSecurityEventStore } from "../security/security-event-store.ts";
import { createEventCountStore } from "../security/statistics/event-count-store.ts";
import { createOpenHourStore } from "../security/statistics/open-hour-store.ts";
import { createRollupStore } from "../security/statistics/rollup-store.ts";
import { wireReadPeriodSums } from "./completeness.ts";
import { wireConnectedAfter, wireConnectionStore } from "./connection-stores.ts";
import { wireReadLastDrill } from "./drills.ts";
import { wireReadIntegrity, wireRememberedLog } from "./evidence.ts";
import { wireMuteStore } from "./mute-stores.ts";
import { wireRecorder } from "./recorder.ts";
import { wireRuleSettings } from "./rule-settings.ts";
import { withSealingKey } from "./sealing.ts";
import { wireAlertStore, wireDataReads } from "./security.ts";
import { wireSyncRunStore } from "./sync.ts";

const retentionDays = () => readConfig(["RETENTION_DAYS"]).RETENTION_DAYS;

const wireBus = () => createEventBus(eventBusClient, readConfig(["EVENT_BUS_NAME"]).EVENT_BUS_NAME);

const wireReportStore = () => createReportStore(openTable("reports"), { retentionDays: retentionDays() });

export const wireAddReview = () =>
  createAddReview({
    reports: wireReportStore(),
    reviews: createReportReviewStore(openTable("reports"), { retentionDays: retentionDays() }),
    recorder: wireRecorder(),
    now: systemClock,
  });

const wireReportDueStore = () => createReportDueStore(openTable("reports"));

export const wireReportReader = () =>
  createReportReader({ reports: wireReportStore(), reads: wireDataReads(), now: systemClock });

const wireLinks = () => ({ links: createReportLinkStore(openTable("reports")), now: systemClock });

export const wireReportLinker = () => {
  const dependencies = { ...wireLinks(), reports: wireReportStore(), recorder: wireRecorder() };
  return withSealingKey((key) => createReportLinker({ ...dependencies, sealing: createSealing(key) }));
};

export const wireReportLinkOpener = () => {
  const links = wireLinks();
  return withSealingKey((key) => createReportLinkOpener({ ...links, sealing: createSealing(key) }));
};

export const wireReportDispatcher = () => {
  return createReportDispatcher({
    due: wireReportDueStore(),
    connectedOrganizations: wireConnectedAfter(),
    bus: wireBus(),
    clock: systemClock,
    sleep,
  });
};

/** A period with more events than an answer may read is left to exports with proof. */
const wireReportedIntegrity = (): ReadIntegrity => {
  const read = wireReadIntegrity(wireRememberedLog());
  const readSums = wireReadPeriodSums();
  const readEvents = async (organizationId: string, { from, to }: Period): Promise<ReportedIntegrity> => {
    try {
      return reportIntegrity(await read(organizationId, { since: from, until: to }));
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== "invalid_field") throw error;
      return { log: "not_sealed", text: "Not computed, because the period has too many events: export it with proof." };
    }
  };
  return async (organizationId, period) => {
    const [integrity, sums] = await Promise.all([readEvents(organizationId, period), readSums(organizationId, period)]);
    return withSums(integrity, sums);
  };
};

export const wireReportMaker = () => {
  const erasures = createErasureStore(openTable("erasures"));
  const connections = wireConnectionStore();
  const runs = wireSyncRunStore();
  const alerts = wireAlertStore();
  const periodEvents = createPeriodEventsStore(openTable("securityEvents"));
  const reports = wireReportStore();
  const counts = {
    openHours: createOpenHourStore(openTable("securityRollups"), systemClock),
    rollups: createRollupStore(openTable("securityRollups")),
    events: createEventCountStore(openTable("securityEvents")),
  };
  const switches = { mutes: wireMuteStore(), rules: wireRuleSettings() };
  const evidence = { readLastDrill: wireReadLastDrill(), readIntegrity: wireReportedIntegrity() };
  return createReportMaker({
    reports,
    due: wireReportDueStore(),
    connections,
    collectCompliance: createComplianceCollector({
      events: periodEvents,
      runs,
      alerts,
      connections,
      erasures,
      ...switches,
      ...evidence,
      retentionDays: retentionDays(),
    }),
    collectReview: createReviewCollector({
      counts,
      events: createSecurityEventStore(openTable("securityEvents")),
      circuits: createCircuitStore(openTable("circuits")),
      periodEvents,
      connections,
      runs,
      alerts,
      retentionDays: retentionDays(),
    }),
    collectMonth: createMonthCollector({
      counts,
      events: periodEvents,
      alerts,
      connections,
      reports,
      ...switches,
      ...evidence,
      retentionDays: retentionDays(),
    }),
    bus: wireBus(),
    now: systemClock,
  });
};
