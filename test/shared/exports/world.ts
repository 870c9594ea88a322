/** Exports on real tables, with objects in memory, and workers whose calls a test may delay or fail. */

import { BatchWriteCommand, DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { createRuleSettingsStore } from "../../../shared/detection/rule-settings-store.ts";
import { createExportEvents, ExportRequested } from "../../../shared/exports/export-events.ts";
import { createExportLeaseStore } from "../../../shared/exports/export-lease-store.ts";
import { createExportStore } from "../../../shared/exports/export-store.ts";
import { createExportWorker, type ExportWorkSummary } from "../../../shared/exports/export-worker.ts";
import { createNextSource } from "../../../shared/exports/organization-sources.ts";
import { createReadExport } from "../../../shared/exports/read-export.ts";
import { createRequestExport, type Wanted } from "../../../shared/exports/request-export.ts";
import { resumeExports } from "../../../shared/exports/resume-exports.ts";
import { createDestinationStore } from "../../../shared/notifications/destination-store.ts";
import { createRecordListStore } from "../../../shared/records/record-list-store.ts";
import { createReportStore } from "../../../shared/reports/report-store.ts";
import { chunksOf } from "../../../shared/runtime/chunks.ts";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { inParallel } from "../../../shared/runtime/in-parallel.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { createAlertNoteStore } from "../../../shared/security/alerts/alert-note-store.ts";
import { createAlertStore } from "../../../shared/security/alerts/alert-store.ts";
import { eventId } from "../../../shared/security/event-id.ts";
import { toItem } from "../../../shared/security/event-item.ts";
import type { EventMoment } from "../../../shared/security/recorder.ts";
import type { NewSecurityEvent, SecurityEvent } from "../../../shared/security/security-event.ts";
import { createSecurityEventStore, type SecurityEventStore } from "../../../shared/security/security-event-store.ts";
import { createSettingsStore } from "../../../shared/settings/settings-store.ts";
import type { RequestIdentity } from "../../../shared/terms/idempotency-key.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb, type TestTable } from "../../support/embedded-dynamodb.ts";
import { createMemoryObjects } from "../../support/memory-objects.ts";
import { identityAt } from "../../support/request-identity.ts";
import { NOW } from "../../support/security-events.ts";
import { tableDefinition } from "../../support/service-tables.ts";
import { withoutProof } from "../../support/without-proof.ts";

const TABLES = {
  exports: "exports",
  events: "securityEvents",
  records: "records",
  alerts: "securityAlerts",
  reports: "reports",
  settings: "settings",
  notifications: "notifications",
} as const;

/** @param eventIndexes the only indexes of events that the test reads; all by default. Each makes writing slower. */
export const startExportEngine = (eventIndexes?: readonly string[]): Promise<EmbeddedDynamoDb> =>
  startEmbeddedDynamoDb(
    ...Object.values(TABLES).map((name) => {
      const table = tableDefinition(name);
      return name === TABLES.events && eventIndexes !== undefined ? withIndexes(table, eventIndexes) : table;
    }),
  );

const withIndexes = (table: TestTable, names: readonly string[]): TestTable => {
  const indexes = (table.GlobalSecondaryIndexes ?? []).filter(({ IndexName = "" }) => names.includes(IndexName));
  const keys = [table, ...indexes].flatMap(({ KeySchema = [] }) => KeySchema.map((key) => key.AttributeName));
  return {
    ...table,
    GlobalSecondaryIndexes: indexes,
    AttributeDefinitions: table.AttributeDefinitions?.filter(({ AttributeName }) => keys.includes(AttributeName)),
  };
};

/** Wraps each call of a worker to a table, a bucket or the bus: it may delay the call, or fail. */
export type Io = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;
const direct: Io = (_, work) => work();

/** Small parts and pages, so that a test's few events have many. */
const SMALL = { partBytes: 2_000, eventsPerPage: 3, sharesPages: false };

const throughIo = <Calls extends object>(calls: Calls, io: Io): Calls =>
  Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      (...args: unknown[]) => io(name, () => (call as (...args: unknown[]) => Promise<unknown>)(...args)),
    ]),
  ) as Calls;

/** An event at a time, epoch ms, of 300 to 500 bytes. */
export const eventAt = (
  organizationId: string,
  timestamp: number,
  fields: Partial<SecurityEvent> = {},
): SecurityEvent => ({
  id: eventId(timestamp, new Uint8Array(16)),
  organizationId,
  userId: "ada",
  eventType: "DATA_READ",
  category: "data_access",
  riskLevel: "LOW",
  source: "user",
  success: true,
  processed: false,
  alertGenerated: false,
  timestamp,
  createdAt: timestamp,
  metadata: { durationMs: timestamp % 100, note: `=1+${timestamp}` },
  ...fields,
});

export type ExportWorld = ReturnType<typeof createWorld>;

/** Reads each page once: for many exports of the same events, which nothing changes concurrently. */
const sharePages = ({ list }: Pick<SecurityEventStore, "list">): Pick<SecurityEventStore, "list"> => {
  const pages = new Map<string, ReturnType<typeof list>>();
  return {
    list(...args) {
      const name = JSON.stringify(args);
      const page = pages.get(name) ?? list(...args);
      pages.set(name, page);
      return page;
    },
  };
};

/** @param sharesPages whether exports of the same events read each page once. */
export const createWorld = (engine: EmbeddedDynamoDb, { partBytes, eventsPerPage, sharesPages } = SMALL) => {
  const time = { now: NOW };
  const clock = () => time.now;
  let names = 0;
  const published: BusEvent[] = [];
  /** By its id, as the store keeps it. */
  const recorded = new Map<string, NewSecurityEvent>();
  const memory = createMemoryObjects({ minPartBytes: Math.min(partBytes, 5 * 1_024 * 1_024) });
  const recorder = {
    record: async (event: NewSecurityEvent, { timestamp = 0, identity = new Uint8Array(16) }: EventMoment = {}) => {
      recorded.set(eventId(timestamp, identity), event);
      return undefined;
    },
  };
  const bus = {
    publish: async <Event extends BusEvent>(events: readonly Event[]): Promise<{ event: Event; reason: string }[]> => {
      published.push(...events);
      return [];
    },
  };

  const sharedPages = sharesPages
    ? sharePages(createSecurityEventStore(createTable(engine.documentClient(documentTranslation), TABLES.events)))
    : undefined;

  /** The dependencies of one instance; its calls go through `io`. */
  const instance = (io: Io = direct) => {
    const client = engine.documentClient(documentTranslation);
    client.middlewareStack.add(
      (next, { commandName = "" }) =>
        (args) =>
          io(commandName, () => next(args)),
      { step: "initialize", name: "io" },
    );
    const events = createSecurityEventStore(createTable(client, TABLES.events));
    const destinations = createDestinationStore(createTable(client, TABLES.notifications));
    return {
      client,
      clock,
      events,
      exports: createExportStore(createTable(client, TABLES.exports)),
      destinations,
      leases: createExportLeaseStore(createTable(client, TABLES.exports)),
      objects: throughIo(memory.store, io),
      bus: throughIo(bus, io),
      exportEvents: createExportEvents({ recorder: throughIo(recorder, io) }),
      ...withoutProof,
      nextSource: createNextSource({
        proof: withoutProof.proof,
        events: sharedPages ?? events,
        destinations,
        // With rules and mutes: test/http/exports.sampled.test.ts.
        customRules: { list: async () => [] },
        mutes: { list: async () => ({ items: [], next: undefined }) },
        clock,
        eventsPerPage,
        records: createRecordListStore(createTable(client, TABLES.records)),
        alerts: createAlertStore(createTable(client, TABLES.alerts)),
        notes: createAlertNoteStore(createTable(client, TABLES.alerts)),
        settings: createSettingsStore(createTable(client, TABLES.settings)),
        rules: createRuleSettingsStore(createTable(client, TABLES.settings)),
        reports: createReportStore(createTable(client, TABLES.reports), { retentionDays: 90 }),
      }),
      newToken: () => `token ${++names}`,
    };
  };
  const main = instance();
  const request = createRequestExport({ ...main, events: main.exportEvents });

  const by = (organizationId: string, identity: RequestIdentity = identityAt(time.now)) => ({
    caller: { organizationId, userId: "root", sessionId: "s-1" },
    origin: { requestId: "r-1", ipAddress: "203.0.113.1" },
    identity,
  });

  let deliveries = 0;
  type Run = { io?: Io; remainingMs?: () => number; delivery?: string; maxFileBytes?: number };
  /** Delivers a request for a worker to an instance. */
  const deliver = (
    detail: { organizationId: string; exportId: string },
    { io = direct, remainingMs = () => 900_000, delivery = `delivery ${++deliveries}`, ...limits }: Run = {},
  ): Promise<ExportWorkSummary> => {
    const { exportEvents, ...dependencies } = instance(io);
    const work = createExportWorker({ ...dependencies, events: exportEvents, partBytes, ...limits });
    return work({ version: 1, ...detail }, { delivery, remainingMs });
  };

  const takeRequests = () =>
    published
      .splice(0)
      .flatMap(({ detailType, detail }) => (detailType === "ExportRequested" ? [ExportRequested.parse(detail)] : []));

  return {
    time,
    clock,
    recorded,
    memory,
    main,
    by,
    deliver,
    takeRequests,
    request: (organizationId: string, wanted: Wanted, identity?: RequestIdentity) =>
      request(wanted, by(organizationId, identity)),
    /** Delivers the published requests for workers until there are no more. */
    async deliverAll(run?: Run): Promise<void> {
      for (let requests = takeRequests(); requests.length > 0; requests = takeRequests()) {
        for (const detail of requests) await deliver(detail, run);
      }
    },
    /** The hourly function, for the exports of one organization. */
    resume: (organizationId: string) => {
      const { exports, ...others } = main;
      const listOpen = async function* () {
        for await (const one of exports.listOpen()) if (one.organizationId === organizationId) yield one;
      };
      return resumeExports({ ...others, exports: { ...exports, listOpen } }, () => 900_000);
    },
    read: createReadExport({
      exports: main.exports,
      objects: memory.store,
      clock,
      reads: {
        record: async ({ kind, caller }) => {
          recorded.set(`read ${++names}`, {
            ...eventAt(caller.organizationId, time.now),
            action: `read_${kind}`,
          } as never);
        },
      },
    }),
    newOrganization: () => `acme/${++names}`,
    async putEvents(events: readonly SecurityEvent[], ttl = 4_000_000_000): Promise<void> {
      await inParallel(chunksOf(events, 25), 4, async (chunk) => {
        const requests = chunk.map((event) => ({ PutRequest: { Item: toItem(event, ttl) } }));
        await main.client.send(new BatchWriteCommand({ RequestItems: { [TABLES.events]: requests } }));
      });
    },
    async deleteEvent({ organizationId = "", id }: SecurityEvent): Promise<void> {
      const Key = { scope: organizationKey(organizationId), id };
      await main.client.send(new DeleteCommand({ TableName: TABLES.events, Key }));
    },
    /** The list of events as the API reads it: the brute force to compare with. */
    async listed(organizationId: string, filter: { since: number; until: number } & object): Promise<SecurityEvent[]> {
      const found: SecurityEvent[] = [];
      let after: string | undefined;
      do {
        const page = await main.events.list({ organizationId, ...filter }, { limit: 7, after, now: time.now });
        found.push(...page.events);
        after = page.next;
      } while (after !== undefined);
      return found;
    },
  };
};
