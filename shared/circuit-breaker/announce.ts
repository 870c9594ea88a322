/**
 * Tells the rest of the service of every transition: at least once, and once where nothing breaks. A transition lies
 * in the item, by the very write that made it, until it was told and marked; so whoever dies in between leaves it to
 * the next reader of the circuit.
 */
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import type { Circuit } from "./circuit.ts";
import type { CircuitStore } from "./circuit-store.ts";
import { createRecent } from "./recent.ts";
import { MAX_UNANNOUNCED, type Transition, unannounced } from "./transition.ts";

/** Must record each transition once, however often it is called with it. It rejects where it could not. */
export type OnTransition = (transition: Transition) => Promise<void>;

/** So long a reader leaves an untold transition to the one who made it. */
export const ANNOUNCE_GRACE_MS = 10_000;

const MARK_ROUNDS = 3;

export type Announcer = ReturnType<typeof createAnnouncer>;

export const createAnnouncer = (dependencies: {
  store: Pick<CircuitStore, "markAnnounced">;
  onTransition: OnTransition;
  clock: Clock;
}) => {
  const { store, onTransition, clock } = dependencies;
  /** By organization: one instance tells one after the other, and nothing twice. */
  const underWay = new Map<string, Promise<void>>();
  const told = createRecent<number>();

  const mark = async (organizationId: string, circuit: Circuit, upTo: number): Promise<void> => {
    let known = circuit;
    for (let round = 0; round < MARK_ROUNDS && known.announced < upTo; round++) {
      const answer = await store.markAnnounced(organizationId, known, upTo);
      if (answer.applied) return;
      known = answer.circuit;
    }
  };

  const tell = async (organizationId: string, circuit: Circuit): Promise<void> => {
    let upTo = Math.max(circuit.announced, told.get(organizationId) ?? 0);
    try {
      for (const transition of unannounced(organizationId, circuit)) {
        if (transition.generation <= upTo) continue;
        await onTransition(transition);
        upTo = transition.generation;
        told.set(organizationId, upTo);
      }
    } catch (error) {
      writeLog("error", "A transition of a circuit was not announced; its next reader tries again.", {
        cause: String(error),
      });
    }
    const oldestKept = circuit.generation - MAX_UNANNOUNCED;
    if (oldestKept > upTo) writeLog("error", "Transitions of a circuit were given up.", { count: oldestKept - upTo });
    await mark(organizationId, circuit, Math.max(upTo, oldestKept));
  };

  const announce = (organizationId: string, circuit: Circuit): void => {
    if (circuit.announced >= circuit.generation) return;
    const telling = (underWay.get(organizationId) ?? Promise.resolve())
      .then(() => tell(organizationId, circuit))
      .catch((error) => writeLog("warn", "A circuit's transitions were not marked as told.", { cause: String(error) }))
      .finally(() => {
        if (underWay.get(organizationId) === telling) underWay.delete(organizationId);
      });
    underWay.set(organizationId, telling);
  };

  return {
    /** Begins to tell what is untold. Never throws, and keeps nobody waiting. */
    announce,

    /** The same, for one who only read the circuit: what is recent is its maker's to tell. */
    announceOverdue(organizationId: string, circuit: Circuit): void {
      const oldest = circuit.starts.find(({ generation }) => generation > circuit.announced);
      if (oldest !== undefined && oldest.at <= clock() - ANNOUNCE_GRACE_MS) announce(organizationId, circuit);
    },

    /** Resolves when nothing is under way: at the end of an invocation, after which the instance may be frozen. */
    async settle(): Promise<void> {
      await Promise.all(underWay.values());
    },
  };
};
