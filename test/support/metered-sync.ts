/** Sync runs with all parts of a deployed worker except KMS, on a real engine that reports consumed units. */

import { randomBytes } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { createAnnouncer } from "../../shared/circuit-breaker/announce.ts";
import { createCircuitStore } from "../../shared/circuit-breaker/circuit-store.ts";
import { createGuard } from "../../shared/circuit-breaker/guard.ts";
import { createRequestCounter } from "../../shared/circuit-breaker/request-counter.ts";
import { createStatisticsStore } from "../../shared/circuit-breaker/statistics-store.ts";
import { createConnectionStore } from "../../shared/connection/connection-store.ts";
import { createProviderAccess } from "../../shared/provider/create-provider-access.ts";
import type { ProviderAdapter } from "../../shared/provider/provider.ts";
import { createRateStore } from "../../shared/provider/rate-store.ts";
import { createReadCountStore, createReadCounts } from "../../shared/provider/read-count-store.ts";
import { createApply } from "../../shared/records/apply.ts";
import { createRecordListStore } from "../../shared/records/record-list-store.ts";
import { createRecordStore, RECORD_VERSION } from "../../shared/records/record-store.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { newRequestToken } from "../../shared/runtime/ids.ts";
import { replaceInBatches } from "../../shared/runtime/replace-batches.ts";
import { createTable } from "../../shared/runtime/table.ts";
import { eventId, RANDOM_BYTES } from "../../shared/security/event-id.ts";
import { createRecorder } from "../../shared/security/recorder.ts";
import { createSecurityEventStore } from "../../shared/security/security-event-store.ts";
import { createOpenHourStore } from "../../shared/security/statistics/open-hour-store.ts";
import { createRunEnd } from "../../shared/sync/end-run.ts";
import { createPageIdStore } from "../../shared/sync/page-id-store.ts";
import { createRunWorker } from "../../shared/sync/run-worker.ts";
import { createSetAsideStore } from "../../shared/sync/set-aside-store.ts";
import { createSyncEndStore } from "../../shared/sync/sync-end-store.ts";
import { createSyncEvents } from "../../shared/sync/sync-events.ts";
import { createSyncLeaseStore } from "../../shared/sync/sync-lease-store.ts";
import { syncRequested } from "../../shared/sync/sync-request.ts";
import { noProgress } from "../../shared/sync/sync-run.ts";
import { createSyncRunStore } from "../../shared/sync/sync-run-store.ts";
import { newWork } from "../../shared/sync/sync-work.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { countUnits } from "./consumed-units.ts";
import type { EmbeddedDynamoDb } from "./embedded-dynamodb.ts";

/** The tables that runs use. */
export const METERED_TABLES = [
  "syncRuns",
  "records",
  "circuits",
  "connections",
  "securityEvents",
  "securityRollups",
] as const;

let organizations = 0;

/** A new organization, connected to the account that the secret opens. */
export const createMeteredSync = async (
  engine: Pick<EmbeddedDynamoDb, "documentClient">,
  {
    adapter,
    secret = "secret",
    clock = systemClock,
  }: { adapter: ProviderAdapter; secret?: string; clock?: () => number },
) => {
  const organizationId = `metered-${++organizations}`;
  const client = engine.documentClient();
  await client.send(
    new PutCommand({
      TableName: "connections",
      Item: {
        id: organizationKey(organizationId),
        status: "connected",
        connectionId: "connection",
        method: "api_key",
        accountId: "acct_1",
        connectedAt: 0,
        credentialsVersion: "1",
        credentials: new Uint8Array(),
        connectedShard: "connected#0",
      },
    }),
  );

  /** The worker of a fresh instance. */
  const createWorker = () => {
    const recorder = createRecorder({
      events: createSecurityEventStore(createTable(client, "securityEvents")),
      hours: createOpenHourStore(createTable(client, "securityRollups"), clock),
      alerts: { raiseForEvent: async () => undefined },
      deadLetters: {
        keep: async ({ error }) => {
          throw error;
        },
      },
      settings: { logLevel: "LOW", alertThreshold: "HIGH", retentionDays: 90 },
      now: clock,
      random: () => randomBytes(RANDOM_BYTES),
    });
    const circuits = createCircuitStore(createTable(client, "circuits"));
    const access = createProviderAccess({
      adapter,
      guard: createGuard({
        store: circuits,
        announcer: createAnnouncer({ store: circuits, onTransition: async () => undefined, clock }),
        statistics: createRequestCounter({ store: createStatisticsStore(createTable(client, "circuits")), clock }),
        clock,
      }),
      recorder,
      rate: createRateStore(createTable(client, "syncRuns")),
      reads: createReadCounts({
        store: createReadCountStore(createTable(client, "syncRuns")),
        clock,
        newToken: newRequestToken,
      }),
      clock,
    });
    const records = createTable<"records">(client, "records");
    const connections = createConnectionStore(createTable(client, "connections"));
    const events = createSyncEvents({ recorder });
    const runs = createSyncRunStore(createTable(client, "syncRuns"));
    const ends = createSyncEndStore(createTable(client, "syncRuns"), { retentionDays: 90 });
    return createRunWorker({
      leases: createSyncLeaseStore(createTable(client, "syncRuns")),
      runs,
      pageIds: createPageIdStore(createTable(client, "syncRuns")),
      setAsides: createSetAsideStore(createTable(client, "syncRuns")),
      records: createRecordListStore(records),
      events,
      access,
      runEnd: createRunEnd({ runs, ends, events, clock }),
      openConnection: async () => {
        const connection = await connections.read(organizationId);
        if (connection.status !== "connected") throw new Error("not connected");
        return { connection, credentials: { current: async () => secret, refused: async () => undefined } };
      },
      claims: { claimRecords: async () => true },
      apply: createApply({
        store: createRecordStore(records, replaceInBatches(records, RECORD_VERSION)),
        now: clock,
        newToken: newRequestToken,
      }),
      disconnect: async () => undefined,
      delivered: async () => new Set(),
      countMoney: async () => undefined,
      bus: { publish: async () => [] },
      clock,
      newRunId: (now) => eventId(now, randomBytes(RANDOM_BYTES)),
      newToken: newRequestToken,
    });
  };

  const measure = countUnits(client);
  const runs = createSyncRunStore(createTable(client, "syncRuns"));
  let slot = 0;
  return {
    /** Runs a sync in a fresh instance: scheduled, or full and on demand. @returns the consumed units and the run */
    async run(mode?: "full") {
      const work = createWorker();
      let request = syncRequested({ organizationId, slot: ++slot }).detail;
      if (mode === "full") {
        const runId = eventId(clock(), randomBytes(RANDOM_BYTES));
        const asked = { id: runId, trigger: "manual", mode, startedAt: clock() } as const;
        await runs.start(organizationId, { ...asked, progress: noProgress(), work: newWork("full") });
        request = syncRequested({ organizationId, runId }).detail;
      }
      const { read, write } = await measure(() =>
        work(request, { delivery: `delivery ${slot}`, remainingMs: () => 300_000 }),
      );
      const { items } = await runs.list(organizationId, { limit: 1, after: undefined, now: clock() });
      return { units: { read, write }, run: items[0] };
    },
  };
};
