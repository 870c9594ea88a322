/** Ends a run: decides the end once, records its event once, and closes the run. After a crash the next worker does the rest. */
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import type { SyncEndStore } from "./sync-end-store.ts";
import type { SyncEvents } from "./sync-events.ts";
import { failureOfTypes } from "./sync-failure.ts";
import { type ActiveRun, toSyncRun } from "./sync-item.ts";
import type { SyncRun } from "./sync-run.ts";
import { cursorOf, type SyncFailure, type SyncWork } from "./sync-work.ts";

type Dependencies = {
  ends: Pick<SyncEndStore, "decide" | "close">;
  events: Pick<SyncEvents, "ended">;
  clock: Clock;
};

export type RunEnd = ReturnType<typeof createRunEnd>;

/** The comparison of all types; undefined if a type was not compared. */
const completenessOf = ({ completeness }: SyncWork): SyncRun["completeness"] => {
  const { customers, subscriptions, invoices, payments } = completeness;
  const isWhole = customers && subscriptions && invoices && payments;
  return isWhole && { customers, subscriptions, invoices, payments };
};

export const createRunEnd = ({ ends, events, clock }: Dependencies) => {
  /** Records an end that is decided, and closes the run. */
  const finish = async (
    organizationId: string,
    run: ActiveRun,
    decided: SyncRun,
    { accountId, failure }: { accountId?: string | undefined; failure?: SyncFailure | undefined } = {},
  ): Promise<void> => {
    const { askedBy } = run;
    await events.ended(organizationId, accountId, { ...decided, ...definedFields({ askedBy }) }, failure);
    await ends.close(organizationId, decided, cursorOf(run.work));
  };

  return {
    finish,

    /** Ends a run that read everything, or that `failure` stopped. */
    async end(organizationId: string, run: ActiveRun, accountId?: string, failure?: SyncFailure): Promise<void> {
      const actualFailure = failure ?? failureOfTypes(run.work.failures);
      const completeness = completenessOf(run.work);
      const decided = await ends.decide(organizationId, {
        ...toSyncRun(run),
        status: actualFailure === undefined ? "succeeded" : "failed",
        finishedAt: Math.max(run.startedAt, clock()),
        ...(actualFailure === undefined
          ? definedFields({ completeness })
          : { error: { category: actualFailure.category, message: actualFailure.message } }),
      });
      await finish(organizationId, run, decided, { accountId, failure: actualFailure });
    },

    /** Ends a run whose connection no longer exists. */
    async cancel(organizationId: string, run: ActiveRun): Promise<void> {
      const ended = { ...toSyncRun(run), status: "cancelled", finishedAt: Math.max(run.startedAt, clock()) } as const;
      await finish(organizationId, run, await ends.decide(organizationId, ended));
    },
  };
};
