/** An organization's syncing on a real engine, with real stores and records, and a provider in memory. */

import type { ConnectedItem } from "../../../shared/connection/connection-item.ts";
import { PAGE_SIZE } from "../../../shared/provider/provider.ts";
import { createApply } from "../../../shared/records/apply.ts";
import { type RecordType, recordTypes } from "../../../shared/records/record.ts";
import type { ListedId } from "../../../shared/records/record-item.ts";
import { createRecordListStore } from "../../../shared/records/record-list-store.ts";
import { createRecordStore, RECORD_VERSION } from "../../../shared/records/record-store.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { replaceInBatches } from "../../../shared/runtime/replace-batches.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { eventId, identityOf } from "../../../shared/security/event-id.ts";
import type { Recorder } from "../../../shared/security/recorder.ts";
import type { NewSecurityEvent } from "../../../shared/security/security-event.ts";
import { createRunEnd } from "../../../shared/sync/end-run.ts";
import type { MissedRunsDependencies } from "../../../shared/sync/missed-runs.ts";
import { createOccurrenceStore } from "../../../shared/sync/occurrence-store.ts";
import { createPageIdStore } from "../../../shared/sync/page-id-store.ts";
import { createRunWorker, type RunWorkerDependencies } from "../../../shared/sync/run-worker.ts";
import { createSetAsideStore } from "../../../shared/sync/set-aside-store.ts";
import { createStartRun } from "../../../shared/sync/start-run.ts";
import { createSyncEndStore } from "../../../shared/sync/sync-end-store.ts";
import { createSyncEvents } from "../../../shared/sync/sync-events.ts";
import { createSyncLeaseStore } from "../../../shared/sync/sync-lease-store.ts";
import { SyncRequested } from "../../../shared/sync/sync-request.ts";
import type { SyncRun } from "../../../shared/sync/sync-run.ts";
import { createSyncRunStore } from "../../../shared/sync/sync-run-store.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { createFakeProvider } from "../../support/fake-provider.ts";
import { useEngine } from "../../support/use-table.ts";

export const RUNS = "syncRuns";
export const RECORDS = "records";

/** The engine for `createStage`, for one test file. */
export const useSyncEngine = () => useEngine(RUNS, RECORDS);

export const SYNC_INTERVAL_MS = 4 * 3_600_000;

/** The time of our clock at the start of tests. */
export const NOW = Date.UTC(2026, 10, 21, 12);

/** Wraps each call that leaves an instance. It may delay the call or never return. */
export type Io = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;
const direct: Io = (_, work) => work();

let organizations = 0;

export type Stage = ReturnType<typeof createStage>;

/** A new organization on the engine. `skewMs`: how far the provider's clock is ahead of ours. */
export const createStage = (
  engine: Pick<EmbeddedDynamoDb, "documentClient">,
  { skewMs = 0, pageSize = PAGE_SIZE } = {},
) => {
  const organizationId = `acme ${++organizations}`;
  const time = { now: NOW };
  const clock = () => time.now;
  const world = createFakeProvider(() => time.now + skewMs, pageSize);

  const recorded = new Map<string, NewSecurityEvent>();
  let names = 0;
  const recorder: Pick<Recorder, "record"> = {
    record: async (said, { timestamp = clock(), identity = identityOf(++names) } = {}) => {
      recorded.set(eventId(timestamp, identity), said);
      return undefined;
    },
  };
  const published: BusEvent[] = [];
  const bus = {
    publish: async <Event extends BusEvent>(events: readonly Event[]) => {
      published.push(...events);
      return [];
    },
  };
  let tokens = 0;
  const newToken = () => `token ${++tokens}`;
  const newRunId = (now: number) => eventId(now, identityOf("run", organizationId, ++names));

  const client = engine.documentClient();
  const runs = createSyncRunStore(createTable(client, RUNS));
  const leases = createSyncLeaseStore(createTable(client, RUNS));
  const ends = createSyncEndStore(createTable(client, RUNS), { retentionDays: 90 });
  const runEnd = createRunEnd({ runs, ends, events: createSyncEvents({ recorder }), clock });
  const pageIds = createPageIdStore(createTable(client, RUNS));
  const lists = createRecordListStore(createTable(client, RECORDS));

  const connection = { isThere: true, isOurs: true, connectedAt: NOW - 1_000, expectsWebhooks: false };
  const disconnected: string[] = [];
  const item = (): ConnectedItem => ({
    status: "connected",
    connectionId: "connection",
    method: "api_key",
    accountId: "acct_1",
    connectedAt: connection.connectedAt,
    credentials: new Uint8Array(),
    credentialsVersion: "1",
    ...(connection.expectsWebhooks && { webhookSecrets: new Uint8Array() }),
  });

  /** The parts of one instance, which reaches everything outside of it through `io`. */
  const createParts = (io: Io = direct): RunWorkerDependencies => {
    const own = engine.documentClient();
    own.middlewareStack.add(
      (next, { commandName = "" }) =>
        (args) =>
          io(commandName, () => next(args)),
      {
        step: "initialize",
        name: "io",
      },
    );
    const { provider } = world;
    const itsRecords = createTable<"records">(own, RECORDS);
    const itsRuns = createSyncRunStore(createTable(own, RUNS));
    const itsEnds = createSyncEndStore(createTable(own, RUNS), { retentionDays: 90 });
    const events = createSyncEvents({
      recorder: { record: (said, moment) => io("record", () => recorder.record(said, moment)) },
    });
    return {
      leases: createSyncLeaseStore(createTable(own, RUNS)),
      runs: itsRuns,
      pageIds: createPageIdStore(createTable(own, RUNS)),
      setAsides: createSetAsideStore(createTable(own, RUNS)),
      records: createRecordListStore(itsRecords),
      events,
      runEnd: createRunEnd({ runs: itsRuns, ends: itsEnds, events, clock }),
      access: {
        open: () => ({
          readAccount: () => io("readAccount", () => provider.readAccount()),
          listObjects: (type, page) => io(`list ${type}`, () => provider.listObjects(type, page)),
          readObject: (type, id) => io("readObject", () => provider.readObject(type, id)),
          listPaymentLinks: (page) => io("listPaymentLinks", () => provider.listPaymentLinks(page)),
          listEvents: (page) => io("listEvents", () => provider.listEvents(page)),
        }),
        isHalfOpen: () => false,
        flush: async () => undefined,
      },
      bus: { publish: (events) => io("publish", () => bus.publish(events)) },
      openConnection: async () => {
        if (!connection.isThere) throw new DomainError("not_connected", "There is no connection.");
        const credentials = { current: async () => "secret", refused: async () => undefined };
        return { connection: item(), credentials };
      },
      claims: { claimRecords: async () => connection.isOurs },
      apply: createApply({
        store: createRecordStore(itsRecords, replaceInBatches(itsRecords, RECORD_VERSION)),
        now: clock,
        newToken,
      }),
      delivered: async () => new Set(),
      countMoney: async () => undefined,
      disconnect: async (_, { connectionId = "" } = {}) => {
        disconnected.push(connectionId);
        await runEnd.cancelActive(organizationId, clock());
      },
      clock,
      newRunId,
      newToken,
    };
  };
  const parts = createParts();
  const startRun = createStartRun({ runs, bus, clock, newRunId });

  /** What the hourly search for lost runs needs. `connected`: the organizations that it compares with the schedule. */
  const missedRuns = (connected: readonly string[] = []): MissedRunsDependencies => ({
    runs,
    clock,
    occurrences: createOccurrenceStore(createTable(client, RUNS)),
    syncIntervalMs: SYNC_INTERVAL_MS,
    async *connectedOrganizations() {
      yield* connected;
    },
  });

  let deliveries = 0;
  const deliver = (
    request: SyncRequested,
    { delivery = `delivery ${++deliveries}`, remainingMs = (): number => 300_000, using = parts } = {},
  ) => createRunWorker(using)(request, { delivery, remainingMs });

  const list = async (): Promise<SyncRun[]> =>
    (await runs.list(organizationId, { limit: 50, after: undefined, now: clock() })).items;

  const stored = async (type: RecordType): Promise<ListedId[]> => {
    const ids: ListedId[] = [];
    for await (const id of lists.listIds(organizationId, type)) ids.push(id);
    return ids;
  };

  return {
    organizationId,
    time,
    clock,
    client,
    world,
    recorded,
    published,
    parts,
    createParts,
    startRun,
    deliver,
    list,
    stored,
    runs,
    leases,
    ends,
    runEnd,
    pageIds,
    connection,
    disconnected,
    bus,
    newRunId,
    missedRuns,

    /** Delivers published events until there are no more. @returns the number of deliveries */
    async deliverAll(options: Parameters<typeof deliver>[1] = {}): Promise<number> {
      let count = 0;
      for (let event = published.shift(); event !== undefined; event = published.shift()) {
        await deliver(SyncRequested.parse(event.detail), options);
        count++;
      }
      return count;
    },

    /** A run from its start to its end. */
    async sync(wanted: Partial<Parameters<typeof startRun>[0]> = {}): Promise<SyncRun> {
      const { run } = await startRun({ organizationId, trigger: "manual", ...wanted });
      await this.deliverAll();
      const ended = (await list()).find(({ id }) => id === run.id);
      if (ended === undefined) throw new Error("The run is gone.");
      return ended;
    },

    /** Ids that are stored and not deleted, beside those in the provider's world. */
    async bothSides(): Promise<{ stored: string[]; living: string[] }> {
      const lists = await Promise.all(recordTypes.map(stored));
      const live = lists.flat().filter(({ deleted }) => !deleted);
      return {
        stored: live.map(({ id }) => id).sort(),
        living: recordTypes.flatMap((type) => world.ids(type)).sort(),
      };
    },

    /** The recorded events, as `type action`. */
    recordedActions: (): string[] => [...recorded.values()].map(({ eventType, action }) => `${eventType} ${action}`),
  };
};
