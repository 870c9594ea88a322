/** What the steps of a run work with, and the counting that they share. */
import type { Provider } from "../provider/provider.ts";
import type { Observation } from "../records/observation.ts";
import { type RecordType, recordTypes } from "../records/record.ts";
import type { ListedId } from "../records/record-item.ts";
import type { FeedCursor } from "./feed-cursor.ts";
import type { PageIdStore } from "./page-id-store.ts";
import type { RunLinks } from "./run-links.ts";
import type { ActiveRun } from "./sync-item.ts";
import type { SyncRun } from "./sync-run.ts";
import type { SyncWork } from "./sync-work.ts";

/** Records that changed, by type. */
export type Written = Partial<Record<RecordType, number>>;

export type RunContext = {
  organizationId: string;
  /** Keeps the run's lease before each operation. */
  provider: Provider;
  /** When the connection was made, epoch ms of our clock. */
  connectedAt: number;
  /** Whether the organization told us what its webhooks are signed with. */
  expectsWebhooks: boolean;
  /** How far the last run that succeeded read the feed; none before the first. */
  cursor: FeedCursor | undefined;
  lastSuccessAt: number | undefined;
  /**
   * Brings observations into the records.
   * @param source a list's unchanged objects cost no write; an event's are remembered to have been seen.
   */
  apply(observations: readonly Observation[], source: "list" | "feed"): Promise<Written>;
  pageIds: Pick<PageIdStore, "put" | "read" | "readAll">;
  links: RunLinks;
  /** The ids of all stored records of a type, in any order. */
  listIds(organizationId: string, type: RecordType): AsyncIterable<ListedId>;
  /** Those of the feed's events whose observations webhooks have brought into the records. */
  delivered(eventIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Ends the connection, because the account took its permission away. */
  disconnect(): Promise<void>;
  keepLease(): Promise<void>;
  /** Whether it is time to leave the rest to another invocation. */
  isTimeShort(): boolean;
  /** The invocation did nothing before: it has all the time that an invocation can have. */
  isFresh: boolean;
  now(): number;
};

/** Does a piece of the work, a page at most; the run as it is afterwards is stored, and the next step goes on from it. */
export type Step<Position extends SyncWork["at"] = SyncWork["at"]> = (
  context: RunContext,
  run: ActiveRun,
  at: Position,
) => Promise<ActiveRun>;

/** The run with more read and written. */
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
