/** Every table of the service on a real engine, with real stores and writers, and erasures that work on them. */

import { BatchWriteCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { createCircuitStore } from "../../../shared/circuit-breaker/circuit-store.ts";
import { createConnectionMarkStore } from "../../../shared/circuit-breaker/connection-mark-store.ts";
import { createAccountDirectoryStore } from "../../../shared/connection/account-directory-store.ts";
import { createConnectionChangeStore } from "../../../shared/connection/connection-change-store.ts";
import { createConnectionChangeRecorder } from "../../../shared/connection/connection-events.ts";
import { createConnectionStore, createRecordsClaimStore } from "../../../shared/connection/connection-store.ts";
import { createRecordRuleChange } from "../../../shared/detection/change-rule.ts";
import { createCustomRuleStore } from "../../../shared/detection/custom-rules/custom-rule-store.ts";
import { createRuleSettingsStore } from "../../../shared/detection/rule-settings-store.ts";
import type { ErasureRequest } from "../../../shared/erasure/erasure.ts";
import { createErasureEvents, ErasureRequested } from "../../../shared/erasure/erasure-events.ts";
import { createErasureLeaseStore, createErasureStore } from "../../../shared/erasure/erasure-store.ts";
import { createErasureWorker, type WorkSummary } from "../../../shared/erasure/erasure-worker.ts";
import { createLateStore } from "../../../shared/erasure/late-store.ts";
import { createPartitions } from "../../../shared/erasure/partition-store.ts";
import { createRequestErasure } from "../../../shared/erasure/request-erasure.ts";
import { createEraseExportsStore } from "../../../shared/exports/erase.ts";
import { createExportEvents } from "../../../shared/exports/export-events.ts";
import { createExportLeaseStore } from "../../../shared/exports/export-lease-store.ts";
import { createExportStore } from "../../../shared/exports/export-store.ts";
import { createExportWorker, type ExportWorkSummary } from "../../../shared/exports/export-worker.ts";
import { createNextSource } from "../../../shared/exports/organization-sources.ts";
import { createRequestExport, type Wanted } from "../../../shared/exports/request-export.ts";
import { createMuteStore } from "../../../shared/mutes/mute-store.ts";
import { createDestinationStore } from "../../../shared/notifications/destination-store.ts";
import { createNoticeStore } from "../../../shared/notifications/notice-store.ts";
import { createRecordListStore } from "../../../shared/records/record-list-store.ts";
import { createEraseReportsStore } from "../../../shared/reports/erase.ts";
import { createReportStore } from "../../../shared/reports/report-store.ts";
import { chunksOf } from "../../../shared/runtime/chunks.ts";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { newRequestToken } from "../../../shared/runtime/ids.ts";
import { queryOnce } from "../../../shared/runtime/table-query.ts";
import { createDueSealStore } from "../../../shared/sealing/due-seal-store.ts";
import { createAlertDecisionStore } from "../../../shared/security/alerts/alert-decision-store.ts";
import { createAlertNoteStore } from "../../../shared/security/alerts/alert-note-store.ts";
import { createAlertRaiser } from "../../../shared/security/alerts/alert-raiser.ts";
import { createAlertRaisingStore } from "../../../shared/security/alerts/alert-raising-store.ts";
import { createAlertReopeningStore } from "../../../shared/security/alerts/alert-reopening-store.ts";
import { createAlertStore } from "../../../shared/security/alerts/alert-store.ts";
import { createFindAlerts } from "../../../shared/security/alerts/erase.ts";
import { createHoldsEventsOf } from "../../../shared/security/erase.ts";
import { identityOf } from "../../../shared/security/event-id.ts";
import { createRecorder } from "../../../shared/security/recorder.ts";
import { createSecurityEventStore } from "../../../shared/security/security-event-store.ts";
import { createOpenHourStore } from "../../../shared/security/statistics/open-hour-store.ts";
import { createSettingsAuthorStore } from "../../../shared/settings/erase.ts";
import { createSettingsStore } from "../../../shared/settings/settings-store.ts";
import { createRunEnd } from "../../../shared/sync/end-run.ts";
import { createSyncEndStore } from "../../../shared/sync/sync-end-store.ts";
import { createSyncEvents } from "../../../shared/sync/sync-events.ts";
import { createSyncLeaseStore } from "../../../shared/sync/sync-lease-store.ts";
import { createSyncRunStore } from "../../../shared/sync/sync-run-store.ts";
import type { RequestIdentity } from "../../../shared/terms/idempotency-key.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import type { UserRequest } from "../../../shared/terms/requester.ts";
import { type TableName, tables } from "../../../shared/terms/tables.ts";
import { eventPartitions } from "../../../shared/webhooks/event-partitions.ts";
import { createWebhookEventStore } from "../../../shared/webhooks/webhook-event-store.ts";
import { createMemoryObjects } from "../../support/memory-objects.ts";
import { identityAt } from "../../support/request-identity.ts";
import { useDatabase } from "../../support/use-table.ts";
import { withoutProof } from "../../support/without-proof.ts";

const TABLES = [
  "records",
  "webhookEvents",
  "syncRuns",
  "securityAlerts",
  "detection",
  "reports",
  "securityEvents",
  "securityRollups",
  "erasures",
  "settings",
  "circuits",
  "connections",
  "mutes",
  "previews",
  "drills",
  "notifications",
  "exports",
] as const satisfies readonly TableName[];

type Stored = Record<(typeof TABLES)[number], Record<string, unknown>[]>;

/** Of exports: small, so that a test's few events have many parts. */
const PART_BYTES = 2_000;

const NOW = Date.UTC(2026, 10, 21, 12);

/** Wraps each call of an instance to a table or the bus: it may delay the call, or fail. */
export type Io = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;
const direct: Io = (_, work) => work();

const throughIo = <Calls extends object>(calls: Calls, io: Io): Calls =>
  Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      (...args: unknown[]) => io(name, () => (call as (...args: unknown[]) => Promise<unknown>)(...args)),
    ]),
  ) as Calls;

type Requested = UserRequest & { identity?: RequestIdentity };

export type World = ReturnType<typeof useWorld>;

/** Starts the tables before the file's tests. Everything but `instance` with an `io` may be used at once. */
export const useWorld = () => {
  const database = useDatabase(...TABLES);
  const time = { now: NOW };
  const clock = () => time.now;
  let names = 0;
  const random = () => identityOf("world", ++names);
  const published: BusEvent[] = [];
  const memory = createMemoryObjects({ minPartBytes: PART_BYTES });
  const bus = {
    publish: async <Event extends BusEvent>(events: readonly Event[]): Promise<{ event: Event; reason: string }[]> => {
      published.push(...events);
      return [];
    },
  };

  /** The dependencies of one instance; its calls go through `io`. */
  const instance = (io: Io = direct) => {
    const clientThroughIo = () => {
      const client = database.newClient();
      client.middlewareStack.add(
        (next, { commandName = "" }) =>
          (args) =>
            io(commandName, () => next(args)),
        { step: "initialize", name: "io" },
      );
      return client;
    };
    const client = io === direct ? database.client : clientThroughIo();
    const open = <Name extends TableName>(name: Name) => database.table(name, client);
    const retentionDays = 90;
    const itsBus = { publish: <E extends BusEvent>(events: readonly E[]) => io("publish", () => bus.publish(events)) };
    const raiser = createAlertRaiser({
      store: createAlertRaisingStore(open("securityAlerts"), { retentionDays, random }),
      publisher: { publish: async () => [] },
      now: clock,
      random,
    });
    const recorder = createRecorder({
      events: createSecurityEventStore(open("securityEvents")),
      hours: createOpenHourStore(open("securityRollups"), clock),
      alerts: raiser,
      deadLetters: {
        keep: async ({ error }) => {
          throw error;
        },
      },
      settings: { logLevel: "LOW", alertThreshold: "HIGH", retentionDays },
      now: clock,
      random,
    });
    // All organizations of a test file connect one account.
    const directory = createAccountDirectoryStore(open("connections"), { maxOrganizations: 1_000 });
    const objects = throughIo(memory.store, io);
    const securityEvents = createSecurityEventStore(open("securityEvents"));
    const alerts = createAlertStore(open("securityAlerts"));
    const notes = createAlertNoteStore(open("securityAlerts"));
    const settings = createSettingsStore(open("settings"));
    const rules = createRuleSettingsStore(open("settings"));
    const destinations = createDestinationStore(open("notifications"));
    const marks = createConnectionMarkStore(open("circuits"));
    const runs = createSyncRunStore(open("syncRuns"));
    const changes = createConnectionChangeStore(open("connections"), marks, directory);
    return {
      open,
      recorder,
      raiser,
      changes,
      directory,
      bus: itsBus,
      clock,
      sleep: async (ms: number) => {
        time.now += ms;
      },
      newToken: () => `token ${++names}`,
      partitionsOf: createPartitions(open),
      holdsEventsOf: createHoldsEventsOf(open("securityEvents")),
      findAlerts: createFindAlerts(open("securityAlerts")),
      leases: createErasureLeaseStore(open("erasures")),
      erasures: createErasureStore(open("erasures")),
      late: createLateStore(open("erasures")),
      events: createErasureEvents({ recorder }),
      securityEvents,
      connections: createConnectionStore(open("connections")),
      claims: createRecordsClaimStore(open("connections")),
      recordConnectionChange: createConnectionChangeRecorder({ changes, recorder }),
      settings,
      authors: createSettingsAuthorStore(open("settings")),
      rules,
      recordRuleChange: createRecordRuleChange({ store: rules, recorder, resolve: async () => undefined }),
      circuits: createCircuitStore(open("circuits")),
      runs,
      runLeases: createSyncLeaseStore(open("syncRuns")),
      runEnd: createRunEnd({
        runs,
        ends: createSyncEndStore(open("syncRuns"), { retentionDays }),
        events: createSyncEvents({ recorder }),
        clock,
      }),
      webhooks: createWebhookEventStore(open("webhookEvents")),
      alerts,
      notes,
      objects,
      decisions: createAlertDecisionStore(open("securityAlerts"), { retentionDays }),
      reopenings: createAlertReopeningStore(open("securityAlerts")),
      reports: createEraseReportsStore(open("reports")),
      destinations,
      mutes: createMuteStore(open("mutes"), { retentionDays, newToken: newRequestToken }),
      notices: createNoticeStore(open("notifications")),
      exports: createEraseExportsStore(open("exports"), objects),
      exportEvents: createExportEvents({ recorder }),
      dueSeals: createDueSealStore(open("securityRollups"), clock),
      exportStore: createExportStore(open("exports")),
      exportLeases: createExportLeaseStore(open("exports")),
      ...withoutProof,
      nextSource: createNextSource({
        proof: withoutProof.proof,
        events: securityEvents,
        rules,
        clock,
        eventsPerPage: 3,
        alerts,
        notes,
        settings,
        destinations,
        customRules: createCustomRuleStore(open("detection")),
        mutes: createMuteStore(open("mutes"), { retentionDays, newToken: newRequestToken }),
        records: createRecordListStore(open("records")),
        reports: createReportStore(open("reports"), { retentionDays }),
      }),
    };
  };
  let deliveries = 0;
  const main = instance();
  const requestErasure = createRequestErasure(main);
  const requestExport = createRequestExport({ ...main, exports: main.exportStore, events: main.exportEvents });

  const put = (table: TableName, Item: Record<string, unknown>): Promise<unknown> =>
    database.client.send(new PutCommand({ TableName: table, Item }));

  const putAll = async (table: TableName, items: readonly Record<string, unknown>[]): Promise<void> => {
    for (const chunk of chunksOf(items, 25)) {
      const requests = chunk.map((Item) => ({ PutRequest: { Item } }));
      await database.client.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
    }
  };

  const ofEachTable = async (read: (name: TableName) => Promise<Record<string, unknown>[]>): Promise<Stored> =>
    Object.fromEntries(await Promise.all(TABLES.map(async (name) => [name, await read(name)] as const))) as Stored;

  const scanTable = async (TableName: TableName): Promise<Record<string, unknown>[]> => {
    const items: Record<string, unknown>[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const scan = { TableName, ConsistentRead: true, ...(after && { ExclusiveStartKey: after }) };
      const { Items = [], LastEvaluatedKey } = await database.client.send(new ScanCommand(scan));
      items.push(...Items);
      after = LastEvaluatedKey;
    } while (after !== undefined);
    return items;
  };

  /** All stored items by table. */
  const scan = () => ofEachTable(scanTable);

  /** The items of an organization in each table, at most a page of each. The circuit is found by a scan. */
  const storedOf = (organizationId: string) =>
    ofEachTable(async (name) => {
      if (name === "circuits") return (await scanTable(name)).filter(({ o }) => o === organizationId);
      const scopes = name === "webhookEvents" ? eventPartitions(organizationId) : [organizationKey(organizationId)];
      const where = `#${tables[name].partitionKey} = :scope`;
      const pages = await Promise.all(
        scopes.map((scope) => queryOnce(main.open(name), { where, values: { scope }, isConsistent: true })),
      );
      return pages.flatMap(({ items }) => items);
    });

  /** Delivers a request for a worker to an instance. */
  const deliver = (
    detail: { organizationId: string; erasureId: string },
    { io = direct, remainingMs = () => 900_000 }: { io?: Io; remainingMs?: () => number } = {},
    delivery = `delivery ${++deliveries}`,
  ): Promise<WorkSummary> => createErasureWorker(instance(io))({ version: 1, ...detail }, { delivery, remainingMs });

  /** Delivers a request for a worker of an export to an instance. */
  const deliverExport = (
    detail: { organizationId: string; exportId: string },
    { io = direct, remainingMs = () => 900_000 }: { io?: Io; remainingMs?: () => number } = {},
  ): Promise<ExportWorkSummary> => {
    const { exportStore, exportLeases, exportEvents, ...others } = instance(io);
    const jobs = { exports: exportStore, leases: exportLeases, events: exportEvents };
    const work = createExportWorker({ ...others, ...jobs, partBytes: PART_BYTES });
    return work({ version: 1, ...detail }, { delivery: `delivery ${++deliveries}`, remainingMs });
  };

  /** Delivers the published requests for workers until there are no more. */
  const deliverAll = async (): Promise<void> => {
    for (;;) {
      const at = published.findIndex(({ detailType }) => detailType === "ErasureRequested");
      const [event] = at === -1 ? [] : published.splice(at, 1);
      if (event === undefined) return;
      await deliver(ErasureRequested.parse(event.detail));
    }
  };

  return {
    time,
    clock,
    published,
    memory,
    instance,
    main,
    put,
    putAll,
    scan,
    storedOf,
    deliver,
    deliverAll,
    deliverExport,
    requestExport: (wanted: Wanted, { identity = identityAt(time.now), ...by }: Requested) =>
      requestExport(wanted, { ...by, identity }),
    /** A request without an Idempotency-Key, unless it has an identity. */
    request: (request: ErasureRequest, { identity = identityAt(time.now), ...by }: Requested) =>
      requestErasure(request, { ...by, identity }),
    list: async (organizationId: string) =>
      (await main.erasures.list(organizationId, { limit: 50, after: undefined })).items,
    newOrganization: () => `acme ${++names}`,
  };
};

/** The stored items that contain a text, with their tables. */
export const mentionsOf = (stored: Stored, text: string): string[] =>
  Object.entries(stored).flatMap(([table, items]) =>
    items
      .map((item) =>
        JSON.stringify(item, (_, value: unknown) => {
          if (value instanceof Set) return [...value];
          return typeof value === "bigint" ? String(value) : value;
        }),
      )
      .filter((json) => json.includes(text))
      .map((json) => `${table}: ${json}`),
  );
