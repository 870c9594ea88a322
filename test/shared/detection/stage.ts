/** Detection on a real engine, with real stores of events, alerts and runs, and a clock that the test sets. */

import { randomBytes } from "node:crypto";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createCircuitStore } from "../../../shared/circuit-breaker/circuit-store.ts";
import { createConnectedStore, createConnectionStore } from "../../../shared/connection/connection-store.ts";
import { createBaselineStore } from "../../../shared/detection/baseline-store.ts";
import { createBaselines } from "../../../shared/detection/baselines.ts";
import { createCustomResultStore } from "../../../shared/detection/custom-rules/custom-result-store.ts";
import { createCustomRuleStore, listSilenceRules } from "../../../shared/detection/custom-rules/custom-rule-store.ts";
import { createCustomRulesHour } from "../../../shared/detection/custom-rules/custom-rules-hour.ts";
import { createDetectOrganization, createJudgeScope } from "../../../shared/detection/detect-organization.ts";
import type { DetectionDue } from "../../../shared/detection/detection.ts";
import { createDetectionDispatcher } from "../../../shared/detection/dispatch-detection.ts";
import { createHourFactsStore } from "../../../shared/detection/event-facts-store.ts";
import { createDueMoneyStore } from "../../../shared/detection/money/due-money-store.ts";
import { createJudgeMoney } from "../../../shared/detection/money/judge-money.ts";
import { createWatchMoney } from "../../../shared/detection/money/watch-money.ts";
import { createRaiseFinding } from "../../../shared/detection/raise-finding.ts";
import { createRuleSettingsStore } from "../../../shared/detection/rule-settings-store.ts";
import { createReadSyncFacts, createSyncFactsStore } from "../../../shared/detection/sync-facts-store.ts";
import { createUnjudgedStore } from "../../../shared/detection/unjudged-store.ts";
import { createWindowStore } from "../../../shared/detection/window-store.ts";
import { createFraudWarningStore } from "../../../shared/money/fraud-warning-store.ts";
import type { MoneyEvent } from "../../../shared/money/money.ts";
import { createMoneyHourStore } from "../../../shared/money/money-hour-store.ts";
import { createMoneyStore } from "../../../shared/money/money-store.ts";
import { createReportDueStore } from "../../../shared/reports/report-due-store.ts";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { createAlertOutboxStore } from "../../../shared/security/alerts/alert-outbox-store.ts";
import { createAlertPublisher } from "../../../shared/security/alerts/alert-publisher.ts";
import { createAlertRaiser } from "../../../shared/security/alerts/alert-raiser.ts";
import { createAlertRaisingStore } from "../../../shared/security/alerts/alert-raising-store.ts";
import { createAlertStore } from "../../../shared/security/alerts/alert-store.ts";
import { createRecorder } from "../../../shared/security/recorder.ts";
import type { NewSecurityEvent } from "../../../shared/security/security-event.ts";
import { createSecurityEventStore } from "../../../shared/security/security-event-store.ts";
import { createOpenHourStore } from "../../../shared/security/statistics/open-hour-store.ts";
import { createSyncRunStore } from "../../../shared/sync/sync-run-store.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { startTables } from "../../support/service-tables.ts";

export const RETENTION_DAYS = 90;
export const SYNC_INTERVAL_MS = 4 * HOUR_MS;
const options = { retentionDays: RETENTION_DAYS };
const random = () => randomBytes(16);

/** The hour that most tests judge, and the time at which they judge it. */
export const HOUR = Date.UTC(2026, 10, 21, 10);
export const JUDGED_AT = HOUR + HOUR_MS + 16 * 60_000;

export const DETECTION_TABLES = [
  "securityEvents",
  "securityRollups",
  "securityAlerts",
  "detection",
  "connections",
  "circuits",
  "syncRuns",
  "reports",
  "settings",
] as const;

export const startDetectionEngine = () => startTables(...DETECTION_TABLES);

export type Stage = ReturnType<typeof createStage>;

let organizations = 0;

/** A new organization on the engine. */
export const createStage = (engine: EmbeddedDynamoDb) => {
  const organizationId = `acme-${++organizations}`;
  const time = { now: JUDGED_AT };
  const now = () => time.now;
  const published: BusEvent[] = [];
  const { requestHandler } = engine.client().config;

  /** An instance of the functions with its own client, which may fail or wait. */
  const worker = (
    prepare: (client: DynamoDBDocumentClient) => void = () => undefined,
    beforePublishing: () => Promise<void> = async () => undefined,
  ) => {
    const client = DynamoDBDocumentClient.from(engine.client({ requestHandler }), documentTranslation);
    prepare(client);
    const bus = {
      publish: async <Event extends BusEvent>(events: readonly Event[]) => {
        await beforePublishing();
        published.push(...events);
        return [];
      },
    };
    const baselines = createBaselineStore(createTable(client, "detection"));
    const unjudged = createUnjudgedStore(createTable(client, "detection"), options);
    const windows = createWindowStore(createTable(client, "detection"), options);
    const openHours = createOpenHourStore(createTable(client, "securityRollups"), now);
    const syncFacts = createSyncFactsStore(createTable(client, "syncRuns"));
    const runs = createSyncRunStore(createTable(client, "syncRuns"));
    const reports = createReportDueStore(createTable(client, "reports"));
    const alerts = createAlertRaiser({
      store: createAlertRaisingStore(createTable(client, "securityAlerts"), { ...options, random }),
      publisher: createAlertPublisher({ bus, outbox: createAlertOutboxStore(createTable(client, "securityAlerts")) }),
      now,
      random,
    });
    const rules = createRuleSettingsStore(createTable(client, "settings"));
    const customRules = createCustomRuleStore(createTable(client, "detection"));
    const results = createCustomResultStore(createTable(client, "detection"));
    const raise = createRaiseFinding(alerts);
    const moneyDays = createMoneyStore(createTable(client, "detection"));
    const moneyHours = createMoneyHourStore(createTable(client, "detection"));
    const moneyMarks = createDueMoneyStore(createTable(client, "detection"), {
      newToken: () => random().toString("hex"),
    });
    const judgeMoney = createJudgeMoney({
      days: moneyDays,
      hours: moneyHours,
      marks: moneyMarks,
      settings: rules,
      raise,
    });
    const watchMoney = createWatchMoney({
      warnings: createFraudWarningStore(createTable(client, "detection")),
      marks: moneyMarks,
      settings: rules,
      raise,
      marksOpenHours: false,
      now,
    });
    const judge = createJudgeScope({
      windows,
      events: createHourFactsStore(createTable(client, "securityEvents")),
      settings: rules,
      baselines: createBaselines(baselines),
      readSyncFacts: createReadSyncFacts({
        connections: createConnectionStore(createTable(client, "connections")),
        circuits: createCircuitStore(createTable(client, "circuits")),
        runs,
        syncFacts,
        syncIntervalMs: SYNC_INTERVAL_MS,
      }),
      customRules: createCustomRulesHour({
        rules: customRules,
        results,
        connectedSpans: async () => [{ since: 0 }],
        raise,
      }),
      judgeMoney,
      raise,
      markReportsDue: (id, day) => reports.markReportsDue(`org#${encodeURIComponent(id)}`, day),
      now,
    });
    const detect = createDetectOrganization({ judge, judgeMoney, unjudged });
    return {
      client,
      baselines,
      unjudged,
      windows,
      rules,
      openHours,
      runs,
      reports,
      alerts,
      customRules,
      moneyDays,
      moneyHours,
      moneyMarks,
      judgeMoney,
      /** Counts events about money as the functions do. */
      countMoney: async (events: readonly MoneyEvent[]) => {
        await moneyDays.count(organizationId, events);
        await watchMoney(organizationId, events);
      },
      judge,
      detect: (hours: readonly number[], due: Partial<DetectionDue> = {}, remainingMs = () => 60_000) =>
        detect({ version: 1, organizationId, hours: [...hours], marked: [], ...due }, remainingMs),
      dispatch: createDetectionDispatcher({
        unjudged,
        silenceRules: () => listSilenceRules(createTable(client, "detection")),
        openHours,
        syncFacts,
        bus,
        now,
        sleep: async () => undefined,
        connectedOrganizations: createConnectedStore(createTable(client, "connections")).connectedOrganizations,
        syncIntervalMs: SYNC_INTERVAL_MS,
        retentionMs: RETENTION_DAYS * DAY_MS,
      }),
      /** The recorder of functions, which throws its failures here. */
      recorder: createRecorder({
        events: createSecurityEventStore(createTable(client, "securityEvents")),
        hours: openHours,
        alerts: { raiseForEvent: async () => undefined },
        deadLetters: {
          keep: async ({ error }) => {
            throw error;
          },
        },
        settings: { logLevel: "LOW", alertThreshold: "CRITICAL", ...options },
        now,
        random,
      }),
    };
  };

  const own = worker();
  const { recorder } = own;
  const findings = createAlertStore(createTable(own.client, "securityAlerts"));

  return {
    organizationId,
    scope: `org#${organizationId}`,
    time,
    published,
    worker,
    own,
    record: (fields: Partial<NewSecurityEvent>, timestamp: number) =>
      recorder.record(
        {
          organizationId,
          eventType: "PROVIDER_REQUEST",
          category: "integration",
          source: "system",
          success: true,
          riskLevel: "LOW",
          ...fields,
        } as NewSecurityEvent,
        { timestamp },
      ),
    findings: () => findings.listUnresolvedFindings(organizationId, time.now),
  };
};

/** The event of a user's refused token. */
export const refusedToken = (userId: string, ipAddress = "192.0.2.7"): Partial<NewSecurityEvent> => ({
  eventType: "AUTHENTICATION_FAILURE",
  category: "authentication",
  riskLevel: "HIGH",
  source: "user",
  userId,
  ipAddress,
  success: false,
  errorCode: "40103",
});

/** The event of a user's read of records. */
export const call = (userId: string, fields: Partial<NewSecurityEvent> = {}): Partial<NewSecurityEvent> => ({
  eventType: "DATA_READ",
  category: "data_access",
  source: "user",
  action: "read_invoices",
  userId,
  ipAddress: "192.0.2.7",
  ...fields,
});
