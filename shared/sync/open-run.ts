/** What a worker needs for a run that it has taken: the account's provider, and the door to the records. */
import type { Disconnect } from "../connection/disconnect.ts";
import type { OpenConnection } from "../connection/open-connection.ts";
import type { RecordsClaimStore } from "../connection/records-claim-store.ts";
import type { ProviderAccess } from "../provider/provider.ts";
import type { Apply } from "../records/apply.ts";
import type { RecordListStore } from "../records/record-list-store.ts";
import type { Clock } from "../runtime/clock.ts";
import type { HeldLease } from "./held-lease.ts";
import { createLeasedProvider } from "./leased-provider.ts";
import type { PageIdStore } from "./page-id-store.ts";
import type { RunContext } from "./run-context.ts";
import { createRunLinks } from "./run-links.ts";
import { originOfRun } from "./sync-events.ts";
import { ConnectionGoneError } from "./sync-failure.ts";
import type { TakenRun } from "./sync-lease-store.ts";

/** The time that a step may take: one operation of the provider, and the writes after it. */
const HANDOVER_MS = 15_000;

export type OpenRunParts = {
  openConnection: OpenConnection;
  access: Pick<ProviderAccess, "open">;
  claims: Pick<RecordsClaimStore, "claimRecords">;
  apply: Apply;
  records: Pick<RecordListStore, "listIds">;
  pageIds: Pick<PageIdStore, "put" | "read" | "readAll">;
  disconnect: Disconnect;
  /** Those of the feed's events whose observations webhooks have brought into the records. */
  delivered(organizationId: string, eventIds: readonly string[]): Promise<ReadonlySet<string>>;
  clock: Clock;
};

/** A run and what its steps work with. `operations`: how many the provider was asked for so far. */
export type OpenRun = { context: RunContext; accountId: string; operations: () => number };

/** @throws DomainError `not_connected`. */
export const openRun = async (
  parts: OpenRunParts,
  organizationId: string,
  { run, cursor, lastSuccessAt }: TakenRun,
  { lease, remainingMs }: { lease: Pick<HeldLease, "keep" | "confirm">; remainingMs: () => number },
): Promise<OpenRun> => {
  const origin = { ...originOfRun(run), runId: run.id };
  const { connection, credentials } = await parts.openConnection(organizationId, origin);
  const { connectionId, accountId, connectedAt, webhookSecrets } = connection;
  const operation = { ...origin, organizationId, accountId };
  const { provider, operations } = createLeasedProvider(parts.access.open(credentials, operation), lease.keep);
  let isClaimed = false;

  const claim = async (): Promise<void> => {
    isClaimed ||= await parts.claims.claimRecords(organizationId, { connectionId, accountId });
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
      apply: async (observations, source) => {
        if (observations.length === 0) return {};
        await claim();
        // The page may have been long in coming, and the account disconnected meanwhile.
        await lease.confirm();
        const { written } = await parts.apply(organizationId, observations, {
          reread: provider.readObject,
          recordsSightings: source === "feed",
        });
        return written;
      },
      pageIds: parts.pageIds,
      links: createRunLinks(parts.pageIds, organizationId, parts.clock),
      listIds: parts.records.listIds,
      delivered: (eventIds) => parts.delivered(organizationId, eventIds),
      disconnect: () => parts.disconnect(operation, { connectionId, reason: "deauthorized" }),
      keepLease: lease.keep,
      isTimeShort: () => remainingMs() < HANDOVER_MS,
      isFresh: true,
      now: parts.clock,
    },
  };
};
