import type { Observation } from "../../../shared/records/observation.ts";
import type { RecordType } from "../../../shared/records/record.ts";
import type { RunContext } from "../../../shared/sync/run-context.ts";
import type { ActiveRun } from "../../../shared/sync/sync-item.ts";
import { noProgress } from "../../../shared/sync/sync-run.ts";
import { newWork, type SyncWork } from "../../../shared/sync/sync-work.ts";

/** A full run under way. */
export const runWith = (work: Partial<SyncWork> = {}): ActiveRun => ({
  id: "run_1",
  trigger: "manual",
  mode: "full",
  startedAt: 0,
  progress: noProgress(),
  work: { ...newWork("full"), ...work },
});

const unexpected = (): never => {
  throw new Error("The step must not call this.");
};

/** What a step works with. A member that a test does not give fails the test. */
export const contextWith = (members: Partial<RunContext>): RunContext => ({
  organizationId: "acme",
  provider: {
    readAccount: unexpected,
    listObjects: unexpected,
    readObject: unexpected,
    listPaymentLinks: unexpected,
    listEvents: unexpected,
  },
  connectedAt: 0,
  expectsWebhooks: false,
  cursor: undefined,
  lastSuccessAt: undefined,
  apply: unexpected,
  reread: unexpected,
  countSetAside: async (run, objects) => ({
    ...run,
    work: { ...run.work, setAside: { count: (run.work.setAside?.count ?? 0) + objects.length, named: 0 } },
  }),
  withoutSetAside: async (_type, ids) => [...ids],
  pageIds: { put: unexpected, read: unexpected, readAll: unexpected },
  links: { keep: unexpected, of: unexpected },
  listIds: unexpected,
  delivered: unexpected,
  countMoney: unexpected,
  disconnect: unexpected,
  keepLease: async () => undefined,
  isTimeShort: () => false,
  isFresh: false,
  now: () => 7,
  ...members,
});

/** A customer, observed at a time of the provider's clock in seconds. */
export const customer = (id: string, createdAt: number, observed = 1_000): Observation & { kind: "state" } => ({
  kind: "state",
  type: "customers",
  id,
  createdAt,
  observedAt: { from: observed, to: observed + 1 },
  fields: { name: null, email: null, currency: null, delinquent: null },
});

/** An object that cannot be stored. */
export const unusable = (id?: string, type: RecordType = "customers") => ({
  kind: "set_aside" as const,
  type,
  name: id ?? "?",
  reason: "id" as const,
  ...(id !== undefined && { id }),
});
