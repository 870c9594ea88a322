/** Every table of the service on a real engine, with real stores and writers, and erasures that work on them. */
import { BatchWriteCommand, PutCommand, QueryCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { createCircuitStore } from "../../../shared/circuit-breaker/circuit-store.ts";
import { createConnectionMarkStore } from "../../../shared/circuit-breaker/connection-mark-store.ts";
import { createAccountDirectoryStore } from "../../../shared/connection/account-directory-store.ts";
import { createConnectionChangeStore } from "../../../shared/connection/connection-change-store.ts";
import { createConnectionChangeRecorder } from "../../../shared/connection/connection-events.ts";
import { createConnectionStore, createRecordsClaimStore } from "../../../shared/connection/connection-store.ts";
import type { ErasureRequest } from "../../../shared/erasure/erasure.ts";
import { createErasureEvents, ErasureRequested } from "../../../shared/erasure/erasure-events.ts";
import { createErasureLeaseStore, createErasureStore } from "../../../shared/erasure/erasure-store.ts";
import { createErasureWorker, type WorkSummary } from "../../../shared/erasure/erasure-worker.ts";
import { createLateStore } from "../../../shared/erasure/late-store.ts";
import { createFindAlerts, createHoldsEventsOf, createPartitions } from "../../../shared/erasure/partition-store.ts";
import { createRequestErasure } from "../../../shared/erasure/request-erasure.ts";
import { createSettingsAuthorStore } from "../../../shared/erasure/settings-author-store.ts";
import { createEraseExportsStore } from "../../../shared/exports/erase-exports-store.ts";
import { createExportEvents } from "../../../shared/exports/export-events.ts";
import { createExportLeaseStore } from "../../../shared/exports/export-lease-store.ts";
import { createExportStore } from "../../../shared/exports/export-store.ts";
import { createExportWorker, type ExportWorkSummary } from "../../../shared/exports/export-worker.ts";
import { createNextSource } from "../../../shared/exports/organization-sources.ts";
import { createRequestExport, type Wanted } from "../../../shared/exports/request-export.ts";
import { createDestinationStore } from "../../../shared/notifications/destination-store.ts";
import { createNoticeStore } from "../../../shared/notifications/notice-store.ts";
import { createRecordListStore } from "../../../shared/records/record-list-store.ts";
import { createEraseReportsStore } from "../../../shared/reports/erase-reports-store.ts";
import { createReportStore } from "../../../shared/reports/report-store.ts";
import { chunksOf } from "../../../shared/runtime/chunks.ts";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { createAlertDecisionStore } from "../../../shared/security/alerts/alert-decision-store.ts";
import { createAlertNoteStore } from "../../../shared/security/alerts/alert-note-store.ts";
import { createAlertRaiser } from "../../../shared/security/alerts/alert-raiser.ts";
import { createAlertRaisingStore } from "../../../shared/security/alerts/alert-raising-store.ts";
import { createAlertStore } from "../../../shared/security/alerts/alert-store.ts";
import { identityOf } from "../../../shared/security/event-id.ts";
import { createRecorder } from "../../../shared/security/recorder.ts";
import { createSecurityEventStore } from "../../../shared/security/security-event-store.ts";
import { createOpenHourStore } from "../../../shared/security/statistics/open-hour-store.ts";
import { createSettingsStore } from "../../../shared/settings/settings-store.ts";
import { createRunEnd } from "../../../shared/sync/end-run.ts";
import { createSyncEndStore } from "../../../shared/sync/sync-end-store.ts";
import { createSyncEvents } from "../../../shared/sync/sync-events.ts";
import { createSyncLeaseStore } from "../../../shared/sync/sync-lease-store.ts";
import { createSyncRunStore } from "../../../shared/sync/sync-run-store.ts";
import type { RequestIdentity } from "../../../shared/terms/idempotency-key.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import type { UserRequest } from "../../../shared/terms/requester.ts";
import { createWebhookEventStore } from "../../../shared/webhooks/webhook-event-store.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { createMemoryObjects } from "../../support/memory-objects.ts";
import { identityAt } from "../../support/request-identity.ts";
import { declaredTable } from "../../support/security-tables.ts";

export const TABLES = {
  ...{ records: "Records", webhookEvents: "WebhookEvents", runs: "SyncRuns", alerts: "SecurityAlerts" },
  ...{ detection: "Detection", reports: "Reports", events: "SecurityEvents", rollups: "SecurityRollups" },
  ...{ erasures: "Erasures", settings: "Settings", circuits: "Circuits", connections: "Connections" },
  ...{ notifications: "Notifications", exports: "Exports" },
} as const;

/** Of exports: small, so that a test's few events have many parts. */
const PART_BYTES = 2_000;

export const startErasureEngine = (): Promise<EmbeddedDynamoDb> =>
  startEmbeddedDynamoDb(...Object.values(TABLES).map((name) => declaredTable(`Tables${name}`, name)));

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

export type World = ReturnType<typeof createWorld>;

export const createWorld = (engine: EmbeddedDynamoDb) => {
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
    const client = engine.documentClient(documentTranslation);
    client.middlewareStack.add(
      (next, { commandName = "" }) =>
        (args) =>
          io(commandName, () => next(args)),
      { step: "initialize", name: "io" },
    );
    const retentionDays = 90;
    const itsBus = { publish: <E extends BusEvent>(events: readonly E[]) => io("publish", () => bus.publish(events)) };
    const raiser = createAlertRaiser({
      store: createAlertRaisingStore(client, TABLES.alerts, { retentionDays, random }),
      publisher: { publish: async () => [] },
      now: clock,
      random,
    });
    const recorder = createRecorder({
      events: createSecurityEventStore(client, TABLES.events),
      hours: createOpenHourStore(client, TABLES.rollups, clock),
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
    const directory = createAccountDirectoryStore(client, TABLES.connections, { maxOrganizations: 1_000 });
    const objects = throughIo(memory.store, io);
    const securityEvents = createSecurityEventStore(client, TABLES.events);
    const alerts = createAlertStore(client, TABLES.alerts);
    const notes = createAlertNoteStore(client, TABLES.alerts);
    const settings = createSettingsStore(client, TABLES.settings);
    const destinations = createDestinationStore(client, TABLES.notifications);
    const marks = createConnectionMarkStore(client, TABLES.circuits);
    const runs = createSyncRunStore(client, TABLES.runs);
    const changes = createConnectionChangeStore(client, TABLES.connections, marks, directory);
    return {
      ...{ client, recorder, raiser, changes, directory, bus: itsBus, clock },
      sleep: async (ms: number) => {
        time.now += ms;
      },
      newToken: () => `token ${++names}`,
      partitionsOf: createPartitions(client, TABLES),
      holdsEventsOf: createHoldsEventsOf(client, TABLES.events),
      findAlerts: createFindAlerts(client, TABLES.alerts),
      leases: createErasureLeaseStore(client, TABLES.erasures),
      erasures: createErasureStore(client, TABLES.erasures),
      late: createLateStore(client, TABLES.erasures),
      events: createErasureEvents({ recorder }),
      securityEvents,
      connections: createConnectionStore(client, TABLES.connections),
      claims: createRecordsClaimStore(client, TABLES.connections),
      recordConnectionChange: createConnectionChangeRecorder({ changes, recorder }),
      settings,
      authors: createSettingsAuthorStore(client, TABLES.settings),
      circuits: createCircuitStore(client, TABLES.circuits),
      runs,
      runLeases: createSyncLeaseStore(client, TABLES.runs),
      runEnd: createRunEnd({
        runs,
        ends: createSyncEndStore(client, TABLES.runs, { retentionDays }),
        events: createSyncEvents({ recorder }),
        clock,
      }),
      webhooks: createWebhookEventStore(client, TABLES.webhookEvents),
      ...{ alerts, notes, objects },
      decisions: createAlertDecisionStore(client, TABLES.alerts, { retentionDays }),
      reports: createEraseReportsStore(client, TABLES.reports),
      destinations,
      notices: createNoticeStore(client, TABLES.notifications),
      exports: createEraseExportsStore(client, TABLES.exports, objects),
      exportEvents: createExportEvents({ recorder }),
      exportStore: createExportStore(client, TABLES.exports),
      exportLeases: createExportLeaseStore(client, TABLES.exports),
      nextSource: createNextSource({
        ...{ events: securityEvents, clock, eventsPerPage: 3, alerts, notes, settings, destinations },
        records: createRecordListStore(client, TABLES.records),
        reports: createReportStore(client, TABLES.reports, { retentionDays }),
      }),
    };
  };
  let deliveries = 0;
  const main = instance();
  const requestErasure = createRequestErasure(main);
  const requestExport = createRequestExport({ ...main, exports: main.exportStore, events: main.exportEvents });

  const put = (table: keyof typeof TABLES, Item: Record<string, unknown>): Promise<unknown> =>
    main.client.send(new PutCommand({ TableName: TABLES[table], Item }));

  const putAll = async (table: keyof typeof TABLES, items: readonly Record<string, unknown>[]): Promise<void> => {
    for (const chunk of chunksOf(items, 25)) {
      const requests = chunk.map((Item) => ({ PutRequest: { Item } }));
      await main.client.send(new BatchWriteCommand({ RequestItems: { [TABLES[table]]: requests } }));
    }
  };

  /** The items of an organization in each table, at most a page of each. The circuit is found by a scan. */
  const storedOf = async (organizationId: string): Promise<Record<keyof typeof TABLES, Record<string, unknown>[]>> => {
    const found: [string, Record<string, unknown>[]][] = [];
    for (const [name, TableName] of Object.entries(TABLES)) {
      const { Items = [] } =
        name === "circuits"
          ? await main.client.send(
              new ScanCommand({
                ...{ TableName, FilterExpression: "#o = :o", ConsistentRead: true },
                ExpressionAttributeNames: { "#o": "o" },
                ExpressionAttributeValues: { ":o": organizationId },
              }),
            )
          : await main.client.send(
              new QueryCommand({
                ...{ TableName, KeyConditionExpression: "#key = :scope", ConsistentRead: true },
                ExpressionAttributeNames: { "#key": ["connections", "settings"].includes(name) ? "id" : "scope" },
                ExpressionAttributeValues: { ":scope": organizationKey(organizationId) },
              }),
            );
      found.push([name, Items]);
    }
    return Object.fromEntries(found) as Record<keyof typeof TABLES, Record<string, unknown>[]>;
  };

  /** All stored items by table. */
  const scan = async (): Promise<Record<keyof typeof TABLES, Record<string, unknown>[]>> => {
    const found: [string, Record<string, unknown>[]][] = [];
    for (const [name, TableName] of Object.entries(TABLES)) {
      const items: Record<string, unknown>[] = [];
      let start: Record<string, unknown> | undefined;
      do {
        const page = await main.client.send(
          new ScanCommand({ TableName, ConsistentRead: true, ...(start && { ExclusiveStartKey: start }) }),
        );
        items.push(...(page.Items ?? []));
        start = page.LastEvaluatedKey;
      } while (start !== undefined);
      found.push([name, items]);
    }
    return Object.fromEntries(found) as Record<keyof typeof TABLES, Record<string, unknown>[]>;
  };

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
    ...{ time, clock, published, memory, instance, main, put, putAll, scan, storedOf },
    ...{ deliver, deliverAll, deliverExport },
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
export const mentionsOf = (stored: Awaited<ReturnType<World["scan"]>>, text: string): string[] =>
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
