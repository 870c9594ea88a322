/** What runs cost: the request units of all tables that they touch, and the reads of the provider. */
import { randomBytes } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createAnnouncer } from "../../../shared/circuit-breaker/announce.ts";
import { createCircuitStore } from "../../../shared/circuit-breaker/circuit-store.ts";
import { createGuard } from "../../../shared/circuit-breaker/guard.ts";
import { createStatistics } from "../../../shared/circuit-breaker/statistics.ts";
import { createStatisticsStore } from "../../../shared/circuit-breaker/statistics-store.ts";
import { createConnectionStore } from "../../../shared/connection/connection-store.ts";
import { createProviderAccess } from "../../../shared/provider/create-provider-access.ts";
import { createReadCountStore } from "../../../shared/provider/read-count-store.ts";
import { createReadCounts } from "../../../shared/provider/read-counts.ts";
import { createApply } from "../../../shared/records/apply.ts";
import { recordTypes } from "../../../shared/records/record.ts";
import { createRecordListStore } from "../../../shared/records/record-list-store.ts";
import { createRecordStore } from "../../../shared/records/record-store.ts";
import { systemClock } from "../../../shared/runtime/clock.ts";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import { newRequestToken } from "../../../shared/runtime/ids.ts";
import { eventId, RANDOM_BYTES } from "../../../shared/security/event-id.ts";
import { organizationKey } from "../../../shared/security/keys.ts";
import { createRecorder } from "../../../shared/security/recorder.ts";
import { createSecurityEventStore } from "../../../shared/security/security-event-store.ts";
import { createOpenHourStore } from "../../../shared/security/statistics/open-hour-store.ts";
import { createRunEnd } from "../../../shared/sync/end-run.ts";
import { createPageIdStore } from "../../../shared/sync/page-id-store.ts";
import { createRunWorker } from "../../../shared/sync/run-worker.ts";
import { createSyncEndStore } from "../../../shared/sync/sync-end-store.ts";
import { createSyncEvents } from "../../../shared/sync/sync-events.ts";
import { createSyncLeaseStore } from "../../../shared/sync/sync-lease-store.ts";
import { syncRequested } from "../../../shared/sync/sync-request.ts";
import { noProgress } from "../../../shared/sync/sync-run.ts";
import { createSyncRunStore } from "../../../shared/sync/sync-run-store.ts";
import { newWork } from "../../../shared/sync/sync-work.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { createFakeProvider } from "../../support/fake-provider.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { declaredTable } from "../../support/security-tables.ts";

quietLog();

let engine: EmbeddedDynamoDb;
beforeAll(async () => {
  engine = await startEmbeddedDynamoDb(
    declaredTable("TablesSyncRuns", "runs"),
    declaredTable("TablesRecords", "records"),
    declaredTable("TablesCircuits", "circuits"),
    declaredTable("TablesConnections", "connections"),
    declaredTable("TablesSecurityEvents", "events"),
    declaredTable("TablesSecurityRollups", "rollups"),
  );
});
afterAll(() => engine.stop());

let organizations = 0;

/** A function instance with all that a deployed one has but KMS, and an adapter to a provider in memory. */
const createInstance = async () => {
  const organizationId = `acme-${++organizations}`;
  const client = engine.documentClient(documentTranslation);
  await client.send(
    new PutCommand({
      TableName: "connections",
      Item: {
        ...{ id: organizationKey(organizationId), status: "connected", connectionId: "connection" },
        ...{ method: "api_key", accountId: "acct_1", connectedAt: 0, credentialsVersion: "1" },
        ...{ credentials: new Uint8Array(), connectedShard: "connected#0" },
      },
    }),
  );
  const time = { offset: 0 };
  const clock = () => systemClock() + time.offset;
  const world = createFakeProvider(clock);
  const instance = () => {
    const recorder = createRecorder({
      events: createSecurityEventStore(client, "events"),
      hours: createOpenHourStore(client, "rollups", clock),
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
    const circuits = createCircuitStore(client, "circuits");
    const access = createProviderAccess({
      adapter: { at: () => world.provider, oauth: undefined },
      guard: createGuard({
        store: circuits,
        announcer: createAnnouncer({ store: circuits, onTransition: async () => undefined, clock }),
        statistics: createStatistics({ store: createStatisticsStore(client, "circuits"), clock }),
        clock,
      }),
      recorder,
      reads: createReadCounts({ store: createReadCountStore(client, "runs"), clock, newToken: newRequestToken }),
      clock,
    });
    const connections = createConnectionStore(client, "connections");
    const events = createSyncEvents({ recorder });
    const ends = createSyncEndStore(client, "runs", { retentionDays: 90 });
    return createRunWorker({
      leases: createSyncLeaseStore(client, "runs"),
      runs: createSyncRunStore(client, "runs"),
      pageIds: createPageIdStore(client, "runs"),
      records: createRecordListStore(client, "records"),
      events,
      access,
      runEnd: createRunEnd({ ends, events, clock }),
      openConnection: async () => {
        const connection = await connections.read(organizationId);
        if (connection.status !== "connected") throw new Error("not connected");
        return { connection, credentials: { current: async () => "secret", refused: async () => undefined } };
      },
      claims: { claimRecords: async () => true },
      apply: createApply({ store: createRecordStore(client, "records"), now: clock, newToken: newRequestToken }),
      disconnect: async () => undefined,
      delivered: async () => new Set(),
      bus: { publish: async () => [] },
      clock,
      newRunId: (now) => eventId(now, randomBytes(RANDOM_BYTES)),
      newToken: newRequestToken,
    });
  };
  const measure = countUnits(client);
  const runs = createSyncRunStore(client, "runs");
  let slot = 0;
  return {
    ...{ organizationId, world, time },
    /** The units of a run in an instance of its own, and how it ended; a scheduled one, or a full one on demand. */
    run: async (mode?: "full") => {
      const work = instance();
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

describe("a quiet run", () => {
  it("costs one read of the provider and 13 request units, where 15 are allowed", async () => {
    const { run, world, time } = await createInstance();
    for (const type of recordTypes) world.create(type);
    await run();
    time.offset += 14_400_000;
    world.calls.length = 0;
    const quiet = await run();
    expect(quiet.run).toMatchObject({ mode: "incremental", status: "succeeded" });
    expect(world.calls).toHaveLength(1);
    // Read: the connection, the circuit before the first request. Written: the run's beginning, its end and its closing;
    // three security events of types that no index holds, and their hour, in an index; the read, counted; the circuit's
    // statistics, the organization's and the sum.
    expect(quiet.units).toEqual({ read: 2, write: 3 + 3 + 2 + 1 + 2 });
    expect(quiet.units.read + quiet.units.write).toBeLessThanOrEqual(15);
  });
});

describe("a full run", () => {
  it("costs little more than the records that it writes, and no write for one that is the same", async () => {
    const { run, world } = await createInstance();
    const count = 500;
    for (let i = 0; i < count; i++) {
      world.create("customers", { name: "Ada" }, { isSilent: true, createdAt: 1e12 + i * 1_000 });
    }
    const each = ({ units: { read, write } }: Awaited<ReturnType<typeof run>>) => ({
      read: read / count,
      write: write / count,
    });
    const first = await run();
    expect(first.run).toMatchObject({ mode: "full", status: "succeeded", progress: { customers: { written: count } } });
    // A record and its one index, besides a hundredth of a page's ids, checkpoint and event; read with its page and compared.
    expect(each(first).write).toBeLessThan(2.2);
    expect(each(first).read).toBeLessThan(0.8);
    const again = await run("full");
    expect(again.run).toMatchObject({ mode: "full", status: "succeeded", progress: { customers: { written: 0 } } });
    expect(each(again).write).toBeLessThan(0.15);
    expect(each(again).read).toBeLessThan(0.8);
  });
});
