/** Whether a full run found the same on both sides. Pure. */
import type { Completeness, RecordType, SyncRun } from "../../api/types.ts";
import { recordTypes } from "../../record-types.ts";

/** `setAside`: objects that the service cannot store as they are. The lists of ids have 100 at most. */
export type Difference = Required<Completeness> & { type: RecordType; isComplete: boolean };

/** Undefined unless the run compared both sides. */
export const differences = ({ completeness }: SyncRun): readonly Difference[] | undefined =>
  completeness &&
  recordTypes.map((type) => {
    const { setAside = 0, ...both } = completeness[type];
    const isComplete = both.onlyListed.length === 0 && both.onlyStored.length === 0 && both.listed === both.stored;
    return { ...both, setAside, type, isComplete };
  });

/** Undefined unless the run compared both sides. */
export const isComplete = (run: SyncRun): boolean | undefined => differences(run)?.every((one) => one.isComplete);

/** About how many objects a full run will read: as many as the last comparison found at the provider. */
export const expectedOf = (
  { mode, id }: SyncRun,
  runs: readonly SyncRun[],
): Readonly<Record<RecordType, number>> | undefined => {
  if (mode !== "full") return undefined;
  const last = runs.find((run) => run.id !== id && run.completeness !== undefined)?.completeness;
  return (
    last && {
      ...{ customers: last.customers.listed, subscriptions: last.subscriptions.listed },
      ...{ invoices: last.invoices.listed, payments: last.payments.listed },
    }
  );
};
