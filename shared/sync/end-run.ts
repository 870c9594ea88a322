/** Ends a run: decides the end once, records its event once, and closes the run. After a crash the next worker does the rest. */
import { definedFields } from "../json/defined-fields.ts";
import { recordTypes } from "../records/record.ts";
import type { Clock } from "../runtime/clock.ts";
import { typesAfter } from "./optional-types.ts";
import type { SyncEndStore } from "./sync-end-store.ts";
import type { SyncEvents } from "./sync-events.ts";
import { failureOfTypes } from "./sync-failure.ts";
import { type ActiveRun, type SyncState, toSyncRun } from "./sync-item.ts";
import type { SyncRun } from "./sync-run.ts";
import type { SyncRunStore } from "./sync-run-store.ts";
import { cursorOf, isLeftOut, type SyncFailure, type SyncWork } from "./sync-work.ts";

type Dependencies = {
  runs: Pick<SyncRunStore, "readState">;
  ends: Pick<SyncEndStore, "decide" | "close">;
  events: Pick<SyncEvents, "ended">;
  clock: Clock;
};

/** A cancelled run. Its worker writes nothing from `quietAt` on (epoch ms), and no checkpoint from now on. */
export type Cancelled = { run: SyncRun; quietAt: number };

export type RunEnd = ReturnType<typeof createRunEnd>;

/** `types`: what was known of the optional types before the run; undefined leaves it as it is. */
type Finish = {
  accountId?: string;
  failure?: SyncFailure;
  wantedSlot?: number;
  types?: Pick<SyncState, "readTypes" | "refusedTypes">;
};

/** The comparison of all types that were read; undefined if one of them was not compared. */
const completenessOf = (work: SyncWork): SyncRun["completeness"] => {
  const { completeness } = work;
  const isWhole = recordTypes.every((type) => completeness[type] !== undefined || isLeftOut(work, type));
  // What is left out is optional.
  return isWhole ? (completeness as SyncRun["completeness"]) : undefined;
};

export const createRunEnd = ({ runs, ends, events, clock }: Dependencies) => {
  /** Records an end that is decided, and closes the run. */
  const finish = async (
    organizationId: string,
    run: ActiveRun,
    decided: SyncRun,
    { accountId, failure, wantedSlot, types }: Finish = {},
  ): Promise<void> => {
    const { askedBy } = run;
    await events.ended(organizationId, accountId, { ...decided, ...definedFields({ askedBy }) }, failure);
    await ends.close(organizationId, decided, cursorOf(run.work), {
      ...definedFields({ wantedSlot }),
      ...(decided.status === "succeeded" && types !== undefined && typesAfter(run, types)),
    });
  };

  /** Ends a run whose connection no longer exists. @param at epoch ms. */
  const cancel = async (
    organizationId: string,
    run: ActiveRun,
    at = Math.max(run.startedAt, clock()),
    wantedSlot?: number,
  ): Promise<SyncRun> => {
    const decided = await ends.decide(organizationId, { ...toSyncRun(run), status: "cancelled", finishedAt: at });
    await finish(organizationId, run, decided, definedFields({ wantedSlot }));
    return decided;
  };

  return {
    finish,

    /** Ends a run that read everything, or that `failure` stopped. */
    async end(organizationId: string, run: ActiveRun, options: Omit<Finish, "wantedSlot"> = {}): Promise<void> {
      const actualFailure = options.failure ?? failureOfTypes(run.work);
      const completeness = completenessOf(run.work);
      const decided = await ends.decide(organizationId, {
        ...toSyncRun(run),
        status: actualFailure === undefined ? "succeeded" : "failed",
        finishedAt: Math.max(run.startedAt, clock()),
        ...(actualFailure === undefined
          ? definedFields({ completeness })
          : { error: { category: actualFailure.category, message: actualFailure.message } }),
      });
      await finish(organizationId, run, decided, { ...options, ...definedFields({ failure: actualFailure }) });
    },

    cancel,

    /**
     * Cancels the run under way at once; its worker stops at its next checkpoint. A read and up to three write units;
     * without a run under way, the read. A cancelled run has no security event: the cause (a connection that ends or is
     * made again, an erasure) has its own. If a worker has decided another end and crashed, that end's event is recorded.
     * @param now epoch ms.
     * @param wantedSlot of the run that must replace this one (missed-runs.ts).
     */
    async cancelActive(organizationId: string, now: number, wantedSlot?: number): Promise<Cancelled | undefined> {
      const { run, leaseUntil = now } = await runs.readState(organizationId);
      if (run === undefined) return undefined;
      const ended = await cancel(organizationId, run, now, wantedSlot);
      return { run: ended, quietAt: Math.max(now, leaseUntil) };
    },
  };
};
