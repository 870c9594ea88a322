/** Starts a run at a client's request. Decisions: docs/sync.md, "On demand". */

import { effectiveState } from "../circuit-breaker/circuit.ts";
import type { CircuitStore } from "../circuit-breaker/circuit-store.ts";
import { CircuitOpenError } from "../circuit-breaker/guard.ts";
import type { ConnectionStore } from "../connection/connection-store.ts";
import type { Clock } from "../runtime/clock.ts";
import { asSideWork } from "../runtime/deadline.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import { requesterOf, type UserRequest } from "../terms/requester.ts";
import { modeOf, type StartRun } from "./start-run.ts";
import type { SyncState } from "./sync-item.ts";
import { noProgress, type SyncMode, type SyncRequest, type SyncRun } from "./sync-run.ts";
import { RunUnderWayError, type SyncRunStore } from "./sync-run-store.ts";

/** Decisions: for this time, the same request without a key by the same user counts as a repetition. */
const REPEATED_WITHIN_MS = 60_000;

export type StartSyncDependencies = {
  connections: Pick<ConnectionStore, "read">;
  circuits: Pick<CircuitStore, "read">;
  runs: Pick<SyncRunStore, "readState" | "findEnded" | "withdraw">;
  startRun: StartRun;
  clock: Clock;
};

export type StartSync = (
  request: SyncRequest | undefined,
  by: UserRequest & { identity: RequestIdentity },
) => Promise<SyncRun>;

/** The answer depends on nothing else. */
type Promised = Pick<SyncRun, "id" | "mode" | "startedAt">;

const answerOf = ({ id, mode, startedAt }: Promised): SyncRun => ({
  id,
  mode,
  startedAt,
  trigger: "manual",
  status: "running",
  progress: noProgress(),
});

/** A request without a key that was refused, perhaps because of its own run, which the lost answer named. */
type Refused = { error: unknown; mode: SyncMode; by: UserRequest };

export const createStartSync = (dependencies: StartSyncDependencies): StartSync => {
  const { connections, circuits, runs, startRun, clock } = dependencies;

  const requireConnection = async (organizationId: string): Promise<void> => {
    const { status } = await connections.read(organizationId);
    if (status === "connected") return;
    throw new DomainError(
      "not_connected",
      status === "disconnected"
        ? "The organization is not connected to the provider."
        : "The connection to the provider must be made again.",
    );
  };

  const requireCircuit = async (organizationId: string): Promise<void> => {
    const now = clock();
    const circuit = effectiveState(await circuits.read(organizationId), now);
    if (circuit.state === "open") throw new CircuitOpenError(circuit.retryAt, now);
  };

  const start = async (promised: Promised, state: SyncState, by: Parameters<StartSync>[1]): Promise<SyncRun> => {
    const { organizationId } = by.caller;
    const { isKeyed } = by.identity;
    // A run under way was permitted when it began; its own failures may have opened the circuit since.
    if (state.run?.id !== promised.id) {
      await requireConnection(organizationId);
      await requireCircuit(organizationId);
    }
    const wanted = { ...promised, organizationId, trigger: "manual", askedBy: requesterOf(by), isKeyed } as const;
    const { isRequested } = await startRun(wanted, state);
    // The bus did not take the request: withdraw the run, so that the client may try again. Keep it if it has a worker.
    if (!isRequested && (await asSideWork(() => runs.withdraw(organizationId, promised.id)))) {
      throw new DomainError("store_unavailable", "The run could not be handed to a worker. Try again.");
    }
    return answerOf(promised);
  };

  /** The run of an earlier attempt with the same key; it may have ended since. */
  const findOwn = async (organizationId: string, id: string, { run }: SyncState): Promise<Promised | undefined> =>
    run?.id === id ? run : runs.findEnded(organizationId, id);

  /** The state that refused a request; undefined if its own run cannot be the cause. */
  const refusingState = async (error: unknown, organizationId: string): Promise<SyncState | undefined> => {
    if (error instanceof RunUnderWayError) return error.state;
    return error instanceof CircuitOpenError ? runs.readState(organizationId) : undefined;
  };

  /** The run under way, if the same request without a key started it: at the same moment, or the answer to it was lost. */
  const findRepeated = async ({
    error,
    mode,
    by,
  }: Refused): Promise<{ run: Promised; state: SyncState } | undefined> => {
    const { organizationId, userId } = by.caller;
    const state = await refusingState(error, organizationId);
    const run = state?.run;
    if (state === undefined || run === undefined || run.trigger !== "manual" || run.isKeyed) return undefined;
    if (run.askedBy?.userId !== userId || run.mode !== mode) return undefined;
    return clock() - run.startedAt > REPEATED_WITHIN_MS ? undefined : { run, state };
  };

  /**
   * @throws DomainError `not_connected`, `sync_running`, `store_unavailable`; CircuitOpenError.
   */
  return async (request = {}, by) => {
    const { caller, identity } = by;
    const { organizationId } = caller;
    const state = await runs.readState(organizationId);
    const id = eventId(identity.at, identityOf("sync run", organizationId, identity.id));
    const earlier = identity.isRepeated ? await findOwn(organizationId, id, state) : undefined;
    if (earlier !== undefined && state.run?.id !== id) return answerOf(earlier);
    const promised = earlier ?? { id, mode: modeOf(request.mode, state), startedAt: identity.at };
    try {
      return await start(promised, state, by);
    } catch (error) {
      const { mode } = promised;
      const repeated = identity.isKeyed ? undefined : await findRepeated({ error, mode, by });
      if (repeated === undefined) throw error;
      return start(repeated.run, repeated.state, by);
    }
  };
};
