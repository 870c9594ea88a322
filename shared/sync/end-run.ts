/** How a run ends: decided once, told once, closed. Whoever dies in between leaves the rest to the next worker. */
import type { Clock } from "../runtime/clock.ts";
import type { SyncEndStore } from "./sync-end-store.ts";
import type { SyncEvents } from "./sync-events.ts";
import { failureOfTypes } from "./sync-failure.ts";
import { type ActiveRun, toSyncRun } from "./sync-item.ts";
import type { SyncRun } from "./sync-run.ts";
import { cursorOf, type SyncFailure, type SyncWork } from "./sync-work.ts";

type Parts = {
  ends: Pick<SyncEndStore, "decide" | "close">;
  events: Pick<SyncEvents, "ended">;
  clock: Clock;
};

export type RunEnd = ReturnType<typeof createRunEnd>;

/** Both sides of all types; undefined where a type was not compared. */
const completenessOf = ({ completeness }: SyncWork): SyncRun["completeness"] => {
  const { customers, subscriptions, invoices, payments } = completeness;
  const isWhole = customers && subscriptions && invoices && payments;
  return isWhole && { customers, subscriptions, invoices, payments };
};

export const createRunEnd = ({ ends, events, clock }: Parts) => {
  /** Tells of an end that was decided, and closes the run. */
  const finish = async (
    organizationId: string,
    run: ActiveRun,
    decided: SyncRun,
    { accountId, failure }: { accountId?: string | undefined; failure?: SyncFailure | undefined } = {},
  ): Promise<void> => {
    const { askedBy } = run;
    await events.ended(organizationId, accountId, { ...decided, ...(askedBy && { askedBy }) }, failure);
    await ends.close(organizationId, decided, cursorOf(run.work));
  };

  return {
    finish,

    /** Ends a run that got to its end, or whose `failure` keeps it from there. */
    async end(organizationId: string, run: ActiveRun, accountId?: string, failure?: SyncFailure): Promise<void> {
      const met = failure ?? failureOfTypes(run.work.failures);
      const completeness = completenessOf(run.work);
      const decided = await ends.decide(organizationId, {
        ...toSyncRun(run),
        status: met === undefined ? "succeeded" : "failed",
        finishedAt: Math.max(run.startedAt, clock()),
        ...(met !== undefined && { error: { category: met.category, message: met.message } }),
        ...(completeness !== undefined && met === undefined && { completeness }),
      });
      await finish(organizationId, run, decided, { accountId, failure: met });
    },

    /** Ends a run whose connection is gone. */
    async cancel(organizationId: string, run: ActiveRun): Promise<void> {
      const ended = { ...toSyncRun(run), status: "cancelled", finishedAt: Math.max(run.startedAt, clock()) } as const;
      await finish(organizationId, run, await ends.decide(organizationId, ended));
    },
  };
};
