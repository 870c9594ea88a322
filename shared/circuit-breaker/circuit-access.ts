/**
 * How one instance comes to the circuits: by its copy of a closed one, by the store, or, while the store is out of
 * reach, by circuits of its own. The store's trouble never becomes the caller's.
 */
import { type Clock, systemClock } from "../runtime/clock.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { writeLog } from "../runtime/log.ts";
import type { Announcer } from "./announce.ts";
import type { Circuit } from "./circuit.ts";
import type { CircuitStore } from "./circuit-store.ts";
import type { Admission, Outcome } from "./decide.ts";
import { effectiveState } from "./effective-state.ts";
import { createLocalCircuits } from "./local-circuits.ts";
import { createRecent } from "./recent.ts";
import { type AdmissionAnswer, admit, type Circuits, report } from "./rounds.ts";

/** Decisions: within work already started, the copy of a closed circuit may be so old. */
export const CACHE_MS = 5_000;

/** All that a call waits for the store before it is made. */
export const STORE_BUDGET_MS = 200;

/**
 * Where exactness is worth a longer wait, which a cold connection may take: for a call that starts work, and for
 * bringing an end into the circuit, since a failure that is not counted in time is lost to all others.
 */
export const EXACT_BUDGET_MS = 1_000;

/** After the store failed to answer, so long nobody asks it, and then one at a time. */
export const STORE_PAUSE_MS = 5_000;

/** `isLocal`: given by the instance itself, so that the store's circuit hears nothing of its end. */
export type Ticket = Admission & { isLocal: boolean };

export type AccessAnswer = { do: "admit"; ticket: Ticket } | Extract<AdmissionAnswer, { do: "refuse" }>;

export type CircuitAccess = ReturnType<typeof createCircuitAccess>;

export const createCircuitAccess = (dependencies: {
  store: Pick<CircuitStore, "read" | "write">;
  announcer: Pick<Announcer, "announce" | "announceOverdue">;
  clock: Clock;
}) => {
  const { store, announcer, clock } = dependencies;
  const known = createRecent<{ circuit: Circuit; readAt: number }>();
  const local = createLocalCircuits((organizationId) => known.get(organizationId)?.circuit);
  /** Calls are named by instance and number: a random name each would cost more than all the rest. */
  const instance = newRequestToken();
  let calls = 0;
  let awayUntil = 0;
  let isTrying = false;

  /** The store within the budget, all rounds together. */
  const withinBudget = (budgetMs: number): Circuits => {
    const endsAt = systemClock() + budgetMs;
    const remaining = () => Math.max(0, endsAt - systemClock());
    return {
      async read(organizationId) {
        const readAt = clock();
        const circuit = await store.read(organizationId, remaining());
        known.set(organizationId, { circuit, readAt });
        announcer.announceOverdue(organizationId, circuit);
        return circuit;
      },
      async write(organizationId, write) {
        const readAt = clock();
        const answer = await store.write(organizationId, write, remaining());
        known.set(organizationId, { circuit: answer.circuit, readAt });
        const hasBegun = answer.applied && answer.circuit.generation > write.generation;
        if (hasBegun) announcer.announce(organizationId, answer.circuit);
        return answer;
      },
    };
  };

  /** Does something with the store's circuits, or with the instance's own where the store does not answer. */
  const reach = async <Answer>(
    budgetMs: number,
    work: (circuits: Circuits, isLocal: boolean) => Promise<Answer>,
  ): Promise<Answer> => {
    if (isTrying || clock() < awayUntil) return work(local, true);
    const wasAway = awayUntil > 0;
    isTrying = wasAway;
    try {
      const answer = await work(withinBudget(budgetMs), false);
      if (awayUntil > 0) local.clear();
      awayUntil = 0;
      return answer;
    } catch (error) {
      if (clock() >= awayUntil) {
        writeLog("error", "The circuits' store is out of reach; the instance decides by itself.", {
          cause: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
        });
      }
      awayUntil = clock() + STORE_PAUSE_MS;
      return work(local, true);
    } finally {
      if (wasAway) isTrying = false;
    }
  };

  const nextId = () => `${instance}${(++calls).toString(36)}`;

  return {
    /** The answer of a fresh copy of a closed circuit, without a request; undefined where there is none. */
    admitFromCopy(organizationId: string): Ticket | undefined {
      const copy = known.get(organizationId);
      if (copy === undefined) return undefined;
      const now = clock();
      const age = now - copy.readAt;
      if (age < 0 || age >= CACHE_MS || now < awayUntil) return undefined;
      const { circuit } = copy;
      if (circuit.state !== "closed" && effectiveState(circuit, now).state !== "closed") return undefined;
      return { id: nextId(), generation: circuit.generation, isProbe: false, isLocal: false };
    },

    /** Whether the circuit is on trial, as the instance saw it last; no request. */
    isHalfOpen(organizationId: string): boolean {
      const copy = known.get(organizationId);
      return copy !== undefined && effectiveState(copy.circuit, clock()).state === "half_open";
    },

    /** The answer of the circuit as it is now. */
    admit: (organizationId: string, { isStart }: { isStart: boolean }): Promise<AccessAnswer> =>
      reach(isStart ? EXACT_BUDGET_MS : STORE_BUDGET_MS, async (circuits, isLocal) => {
        const circuit = await circuits.read(organizationId);
        const answer = await admit(circuits, { organizationId, circuit, id: nextId(), clock });
        return answer.do === "admit" ? { do: "admit", ticket: { ...answer.admission, isLocal } } : answer;
      }),

    /** Brings the end of a call into the circuit. */
    report: (organizationId: string, ticket: Ticket, outcome: Outcome): Promise<void> =>
      reach(EXACT_BUDGET_MS, async (circuits, isLocal) => {
        if (ticket.isLocal && !isLocal) return;
        const copy = isLocal ? undefined : known.get(organizationId)?.circuit;
        // A copy from before the admission would hide that the result belongs to the circuit.
        const isUsable = copy !== undefined && copy.generation >= ticket.generation;
        const circuit = isUsable ? copy : await circuits.read(organizationId);
        await report(circuits, { organizationId, circuit, admission: ticket, outcome, clock });
      }),
  };
};
