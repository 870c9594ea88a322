/**
 * How one instance reads and writes circuits: from its copy of a closed circuit, in the store, or, while the store
 * fails, in circuits of its own. A store failure never becomes the caller's error.
 */
import { type Clock, systemClock } from "../runtime/clock.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { writeLog } from "../runtime/log.ts";
import type { Announcer } from "./announce.ts";
import { type Circuit, effectiveState, newCircuit } from "./circuit.ts";
import type { CircuitStore } from "./circuit-store.ts";
import { type Admission, type AdmissionAnswer, admit, type Circuits, type Outcome, report } from "./decide.ts";
import { createLruCache } from "./lru-cache.ts";
import { reduce } from "./reduce.ts";

/** Decisions: maximum age of a copy of a closed circuit, for work that has already started. */
const CACHE_MS = 5_000;

/** Maximum wait for the store before a call is made. */
const STORE_BUDGET_MS = 200;

/**
 * Maximum wait where accuracy is worth it (a new connection may take this long): before a call that starts work, and to
 * report a result, because a failure that is not written in time is lost for all other instances.
 */
const ACCURATE_BUDGET_MS = 1_000;

/** After a store failure no call uses the store for this time; then one call at a time tries again. */
export const STORE_PAUSE_MS = 5_000;

/** `isLocal`: admitted by the instance's own circuit, so the stored circuit does not get the result. */
export type Ticket = Admission & { isLocal: boolean };

type AccessAnswer = { do: "admit"; ticket: Ticket } | Extract<AdmissionAnswer, { do: "refuse" }>;

/**
 * The circuits of one process, by the same rules and limits, for as long as the store fails.
 * @param lastStored the last known stored circuit: an open circuit stays open until its time, a held one stays held.
 */
const createLocalCircuits = (
  lastStored: (organizationId: string) => Circuit | undefined,
): Circuits & { clear(): void } => {
  const circuits = createLruCache<Circuit>();
  const current = (organizationId: string): Circuit =>
    circuits.get(organizationId) ?? lastStored(organizationId) ?? newCircuit;
  return {
    read: async (organizationId) => current(organizationId),
    write: async (organizationId, write) => {
      const before = current(organizationId);
      const after = reduce(before, write);
      // A change in one process is no transition of the organization's circuit, so there is nothing to announce.
      if (after) circuits.set(organizationId, { ...after, starts: [], announced: after.generation });
      return { applied: after !== undefined, circuit: after ?? before, isRepeat: false };
    },
    clear: () => circuits.clear(),
  };
};

export const createCircuitAccess = (dependencies: {
  store: Pick<CircuitStore, "read" | "write">;
  announcer: Pick<Announcer, "announce" | "announceOverdue">;
  clock: Clock;
}) => {
  const { store, announcer, clock } = dependencies;
  const copies = createLruCache<{ circuit: Circuit; readAt: number }>();
  const local = createLocalCircuits((organizationId) => copies.get(organizationId)?.circuit);
  /** A call's id is the instance and a number: a random id per call would cost more than everything else here. */
  const instance = newRequestToken();
  let calls = 0;
  let pausedUntil = 0;
  let isTrying = false;

  /** The store's circuits. All retries together stay within the budget. */
  const withinBudget = (budgetMs: number): Circuits => {
    const endsAt = systemClock() + budgetMs;
    const remaining = () => Math.max(0, endsAt - systemClock());
    return {
      async read(organizationId) {
        const readAt = clock();
        const circuit = await store.read(organizationId, remaining());
        copies.set(organizationId, { circuit, readAt });
        announcer.announceOverdue(organizationId, circuit);
        return circuit;
      },
      async write(organizationId, write) {
        const readAt = clock();
        const answer = await store.write(organizationId, write, remaining());
        copies.set(organizationId, { circuit: answer.circuit, readAt });
        const isTransition = answer.applied && answer.circuit.generation > write.generation;
        if (isTransition) announcer.announce(organizationId, answer.circuit);
        return answer;
      },
    };
  };

  /** Works with the store's circuits, or with the local ones if the store fails. */
  const withCircuits = async <Answer>(
    budgetMs: number,
    work: (circuits: Circuits, isLocal: boolean) => Promise<Answer>,
  ): Promise<Answer> => {
    if (isTrying || clock() < pausedUntil) return work(local, true);
    const hasFailed = pausedUntil > 0;
    isTrying = hasFailed;
    try {
      const answer = await work(withinBudget(budgetMs), false);
      if (pausedUntil > 0) local.clear();
      pausedUntil = 0;
      return answer;
    } catch (error) {
      if (clock() >= pausedUntil) {
        writeLog("error", "The store of circuits does not answer; the instance uses circuits of its own.", {
          cause: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
        });
      }
      pausedUntil = clock() + STORE_PAUSE_MS;
      return work(local, true);
    } finally {
      if (hasFailed) isTrying = false;
    }
  };

  const nextId = () => `${instance}${(++calls).toString(36)}`;

  return {
    /** Admits a call by a fresh copy of a closed circuit, without a request. Undefined if there is no such copy. */
    admitFromCopy(organizationId: string): Ticket | undefined {
      const copy = copies.get(organizationId);
      if (copy === undefined) return undefined;
      const now = clock();
      const age = now - copy.readAt;
      if (age < 0 || age >= CACHE_MS || now < pausedUntil) return undefined;
      const { circuit } = copy;
      if (circuit.state !== "closed" && effectiveState(circuit, now).state !== "closed") return undefined;
      return { id: nextId(), generation: circuit.generation, isProbe: false, isLocal: false };
    },

    /** Whether the instance's copy is half-open. No request. */
    isHalfOpen(organizationId: string): boolean {
      const copy = copies.get(organizationId);
      return copy !== undefined && effectiveState(copy.circuit, clock()).state === "half_open";
    },

    /** Admits or refuses a call by the stored circuit. */
    admit: (organizationId: string, { isStart }: { isStart: boolean }): Promise<AccessAnswer> =>
      withCircuits(isStart ? ACCURATE_BUDGET_MS : STORE_BUDGET_MS, async (circuits, isLocal) => {
        const circuit = await circuits.read(organizationId);
        const answer = await admit(circuits, { organizationId, circuit, id: nextId(), clock });
        return answer.do === "admit" ? { do: "admit", ticket: { ...answer.admission, isLocal } } : answer;
      }),

    /** Reports the result of an admitted call. */
    report: (organizationId: string, ticket: Ticket, outcome: Outcome): Promise<void> =>
      withCircuits(ACCURATE_BUDGET_MS, async (circuits, isLocal) => {
        if (ticket.isLocal && !isLocal) return;
        const copy = isLocal ? undefined : copies.get(organizationId)?.circuit;
        // A copy from before the admission has an older generation: the result would look as if it did not belong.
        const isUsable = copy !== undefined && copy.generation >= ticket.generation;
        const circuit = isUsable ? copy : await circuits.read(organizationId);
        await report(circuits, { organizationId, circuit, admission: ticket, outcome, clock });
      }),
  };
};
