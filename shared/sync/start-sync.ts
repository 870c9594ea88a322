/** Starts a run at a client's request. Decisions: docs/sync.md, "On demand". */

import * as z from "zod/mini";
import { effectiveState } from "../circuit-breaker/circuit.ts";
import type { CircuitStore } from "../circuit-breaker/circuit-store.ts";
import { CircuitOpenError } from "../circuit-breaker/guard.ts";
import type { ConnectionStore } from "../connection/connection-store.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { IdempotencyStore } from "../runtime/idempotency-store.ts";
import { organizationKey } from "../terms/keys.ts";
import { requesterOf, type UserRequest } from "../terms/requester.ts";
import { modeOf, type StartRun } from "./start-run.ts";
import type { SyncState } from "./sync-item.ts";
import { noProgress, type SyncRequest, SyncRun } from "./sync-run.ts";
import type { SyncRunStore } from "./sync-run-store.ts";

export type StartSyncDependencies = {
  connections: Pick<ConnectionStore, "read">;
  circuits: Pick<CircuitStore, "read">;
  runs: Pick<SyncRunStore, "readState" | "findEnded" | "withdraw">;
  startRun: StartRun;
  keys: Pick<IdempotencyStore, "reserve" | "release">;
  clock: Clock;
  /** An id that is in order of time; epoch ms. */
  newRunId: (now: number) => string;
};

export type StartSync = (
  request: SyncRequest | undefined,
  by: UserRequest & { idempotencyKey: string | undefined },
) => Promise<SyncRun>;

/** The value of an Idempotency-Key: the run that was promised first. The answer depends on nothing else. */
const Promised = z.pick(SyncRun, { id: true, mode: true, startedAt: true });
type Promised = z.output<typeof Promised>;

const answerOf = (promised: Promised): SyncRun => ({
  ...{ ...promised, trigger: "manual", status: "running", progress: noProgress() },
});

export const createStartSync = (dependencies: StartSyncDependencies): StartSync => {
  const { connections, circuits, runs, startRun, keys, clock, newRunId } = dependencies;

  const requireConnection = async (organizationId: string): Promise<void> => {
    const { status } = await connections.read(organizationId);
    if (status === "connected") return;
    throw new DomainError(
      "not_connected",
      status === "disconnected"
        ? "The organization is not connected to the provider."
        : "The connection to the provider must be made anew.",
    );
  };

  const requireCircuit = async (organizationId: string): Promise<void> => {
    const now = clock();
    const circuit = effectiveState(await circuits.read(organizationId), now);
    if (circuit.state === "open") throw new CircuitOpenError(circuit.retryAt, now);
  };

  /** Whether a promised run was started; it may have ended since. */
  const isStarted = async (organizationId: string, { id }: Promised, { run }: SyncState): Promise<boolean> =>
    run?.id === id || (await runs.findEnded(organizationId, id)) !== undefined;

  const start = async (promised: Promised, state: SyncState, by: Parameters<StartSync>[1]): Promise<void> => {
    const { organizationId } = by.caller;
    await requireConnection(organizationId);
    await requireCircuit(organizationId);
    const wanted = { ...promised, organizationId, trigger: "manual", askedBy: requesterOf(by) } as const;
    const { isRequested } = await startRun(wanted, state);
    // The bus did not take the request: withdraw the run, so that the client may try again. Keep it if it has a worker.
    if (!isRequested && (await runs.withdraw(organizationId, promised.id))) {
      throw new DomainError("store_unavailable", "The run could not be handed to a worker. Try again.");
    }
  };

  /**
   * @throws DomainError `not_connected`, `sync_running`, `idempotency_conflict`, `store_unavailable`; CircuitOpenError.
   * A failure frees the Idempotency-Key.
   */
  return async (request = {}, by) => {
    const { caller, idempotencyKey } = by;
    const { organizationId } = caller;
    const now = clock();
    const state = await runs.readState(organizationId);
    const own: Promised = { id: newRunId(now), mode: modeOf(request.mode, state), startedAt: now };
    if (idempotencyKey === undefined) {
      await start(own, state, by);
      return answerOf(own);
    }
    const key = { scope: organizationKey(organizationId), idempotencyKey };
    const content = { ...key, request: `startSync ${request.mode ?? ""}` };
    const { isNew, value } = await keys.reserve(content, JSON.stringify(own), now);
    const promised = Promised.parse(JSON.parse(value));
    if (isNew || !(await isStarted(organizationId, promised, state))) {
      await start(promised, state, by).catch(async (error: unknown) => {
        // Another request with the key may be ahead: only the request that reserved the key frees it.
        if (isNew) await keys.release(key, value).catch(() => undefined);
        throw error;
      });
    }
    return answerOf(promised);
  };
};
