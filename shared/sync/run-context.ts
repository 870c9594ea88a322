/** What the steps of a run work with: the connected account at the provider, the records, the lease and the clock. */

import type { RecordsClaimStore } from "../connection/connection-store.ts";
import type { Disconnect } from "../connection/disconnect.ts";
import type { OpenConnection } from "../connection/open-connection.ts";
import { definedFields } from "../json/defined-fields.ts";
import type { Provider, ProviderAccess, ProviderEvent } from "../provider/provider.ts";
import { rereadWith } from "../provider/reread.ts";
import type { Apply, Reread } from "../records/apply.ts";
import type { Observation } from "../records/observation.ts";
import { type RecordType, recordTypes } from "../records/record.ts";
import type { RecordListStore } from "../records/record-list-store.ts";
import type { SetAside } from "../records/set-aside.ts";
import type { Clock } from "../runtime/clock.ts";
import type { HeldLease } from "../work/lease.ts";
import type { FeedCursor } from "./feed-cursor.ts";
import { isLeftOutBy } from "./optional-types.ts";
import type { PageIdStore } from "./page-id-store.ts";
import { createRunLinks, type RunLinks } from "./payment-links.ts";
import { countSetAside } from "./run-set-aside.ts";
import type { SetAsideStore } from "./set-aside-store.ts";
import { originOfRun, type SyncEvents } from "./sync-events.ts";
import { ConnectionGoneError } from "./sync-failure.ts";
import type { ActiveRun } from "./sync-item.ts";
import type { TakenRun } from "./sync-lease-store.ts";
import type { SyncRun } from "./sync-run.ts";
import type { SyncRunStore } from "./sync-run-store.ts";
import type { SyncWork } from "./sync-work.ts";

/** Records that changed, by type. */
export type Written = Partial<Record<RecordType, number>>;

/** What applying observations changed, and the objects that could not be applied. */
type Applied = { written: Written; setAside: readonly SetAside[] };

export type RunContext = {
  organizationId: string;
  /** Keeps the run's lease before each operation. */
  provider: Provider;
  /** When the connection was made, epoch ms of our clock. */
  connectedAt: number;
  /** Whether the organization has webhook secrets. */
  expectsWebhooks: boolean;
  /** How far the last successful run read the feed; undefined before the first. */
  cursor: FeedCursor | undefined;
  lastSuccessAt: number | undefined;
  /**
   * Applies observations to the records.
   * @param source for a list, unchanged objects cost no write; for the feed, the time of their last observation is written.
   * @param shownBy for events: the second of the provider's answers by which the feed showed them.
   */
  apply(observations: readonly Observation[], source: "list" | "feed", shownBy?: number): Promise<Applied>;
  /** Reads an object at the provider. */
  reread: Reread;
  /** Counts objects that are set aside, and names them. */
  countSetAside(run: ActiveRun, objects: readonly SetAside[]): Promise<ActiveRun>;
  /** The ids of a type without those of objects that are set aside. */
  withoutSetAside(type: RecordType, ids: readonly string[]): Promise<string[]>;
  pageIds: Pick<PageIdStore, "put" | "read" | "readAll">;
  links: RunLinks;
  /** The ids of all stored records of a type. */
  listIds: RecordListStore["listIds"];
  /** The events of the feed that a webhook has delivered and that are applied to the records. */
  delivered(eventIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Counts the events about money that were created after the connect; a repetition changes nothing. */
  countMoney(events: readonly ProviderEvent[]): Promise<void>;
  /** Ends the connection, because the account revoked the permission. */
  disconnect(): Promise<void>;
  keepLease(): Promise<void>;
  /** Whether the rest must be left to another invocation. */
  isTimeShort(): boolean;
  /** Whether this is the invocation's first step: no invocation can have more time. */
  isFresh: boolean;
  now(): number;
};

/** Does a part of the work, at most one page. The resulting run is stored, and the next step continues from it. */
export type Step<Position extends SyncWork["at"] = SyncWork["at"]> = (
  context: RunContext,
  run: ActiveRun,
  at: Position,
) => Promise<ActiveRun>;

/** The progress with more objects read and records written. */
export const plusProgress = (
  progress: SyncRun["progress"],
  read: Partial<Record<RecordType, number>>,
  written: Written,
): SyncRun["progress"] => {
  const sum = { ...progress };
  for (const type of recordTypes) {
    const { read: readBefore, written: writtenBefore } = progress[type];
    sum[type] = { read: readBefore + (read[type] ?? 0), written: writtenBefore + (written[type] ?? 0) };
  }
  return sum;
};

/** The time that a step may take: one operation of the provider, and the writes after it. */
const HANDOVER_MS = 15_000;

export type OpenRunDependencies = {
  openConnection: OpenConnection;
  access: Pick<ProviderAccess, "open">;
  claims: Pick<RecordsClaimStore, "claimRecords">;
  apply: Apply;
  records: Pick<RecordListStore, "listIds">;
  runs: Pick<SyncRunStore, "noteRefused">;
  pageIds: Pick<PageIdStore, "put" | "read" | "readAll">;
  setAsides: Pick<SetAsideStore, "unmarked" | "mark">;
  events: Pick<SyncEvents, "setAside">;
  disconnect: Disconnect;
  delivered(organizationId: string, eventIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** @param connectedAt epoch ms. */
  countMoney(organizationId: string, events: readonly ProviderEvent[], connectedAt: number): Promise<void>;
  clock: Clock;
};

/** A run and what its steps work with. `operations` counts the calls of the provider so far. */
export type OpenRun = { context: RunContext; accountId: string; operations: () => number };

/** The provider with the lease kept before each operation, and with operations counted. */
const createLeasedProvider = (
  provider: Provider,
  keepLease: () => Promise<void>,
): { provider: Provider; operations: () => number } => {
  let operations = 0;
  const before = async (): Promise<void> => {
    await keepLease();
    operations++;
  };
  return {
    operations: () => operations,
    provider: {
      readAccount: () => before().then(() => provider.readAccount()),
      listObjects: (type, page) => before().then(() => provider.listObjects(type, page)),
      readObject: (type, id) => before().then(() => provider.readObject(type, id)),
      listPaymentLinks: (page) => before().then(() => provider.listPaymentLinks(page)),
      listEvents: (page) => before().then(() => provider.listEvents(page)),
    },
  };
};

/** @throws DomainError `not_connected`. */
export const openRun = async (
  dependencies: OpenRunDependencies,
  organizationId: string,
  { run, cursor, lastSuccessAt, refusedTypes }: TakenRun,
  { lease, remainingMs }: { lease: Pick<HeldLease, "keep" | "confirm">; remainingMs: () => number },
): Promise<OpenRun> => {
  const origin = { ...originOfRun(run), runId: run.id };
  const { connection, credentials } = await dependencies.openConnection(organizationId, origin);
  const { connectionId, accountId, connectedAt, webhookSecrets } = connection;
  const operation = { ...origin, organizationId, accountId };
  const { provider, operations } = createLeasedProvider(dependencies.access.open(credentials, operation), lease.keep);
  const reread = rereadWith(provider.readObject, isLeftOutBy(run, definedFields({ refusedTypes })), (type) =>
    dependencies.runs.noteRefused(organizationId, type, dependencies.clock()),
  );
  let isClaimed = false;

  const claim = async (): Promise<void> => {
    isClaimed ||= await dependencies.claims.claimRecords(organizationId, { connectionId, accountId });
    if (!isClaimed) throw new ConnectionGoneError("The organization's connection is not this one any more.");
  };

  return {
    accountId,
    operations,
    context: {
      organizationId,
      provider,
      connectedAt,
      expectsWebhooks: webhookSecrets !== undefined,
      cursor,
      lastSuccessAt,
      apply: async (observations, source, shownBy) => {
        if (observations.length === 0) return { written: {}, setAside: [] };
        await claim();
        // The page may have taken long, and the account may be disconnected since.
        await lease.confirm();
        const options = { reread, updatesObservedAt: source === "feed", shownBy };
        const applied = await dependencies.apply(organizationId, observations, options);
        return { written: applied.written, setAside: applied.setAside ?? [] };
      },
      reread,
      countSetAside: (current, objects) => countSetAside(dependencies, { organizationId, accountId }, current, objects),
      withoutSetAside: async (type, ids) => {
        const objects = ids.map((id) => ({ type, id, name: id }));
        const unmarked = await dependencies.setAsides.unmarked(organizationId, objects, dependencies.clock());
        return unmarked.map(({ id }) => id);
      },
      pageIds: dependencies.pageIds,
      links: createRunLinks(dependencies.pageIds, organizationId, dependencies.clock),
      listIds: dependencies.records.listIds,
      delivered: (eventIds) => dependencies.delivered(organizationId, eventIds),
      countMoney: (events) => dependencies.countMoney(organizationId, events, connectedAt),
      disconnect: () => dependencies.disconnect(operation, { connectionId, reason: "deauthorized" }),
      keepLease: lease.keep,
      isTimeShort: () => remainingMs() < HANDOVER_MS,
      isFresh: true,
      now: dependencies.clock,
    },
  };
};
