/**
 * Announces every transition to the rest of the service at least once, and once if nothing fails. The write that makes a
 * transition also stores it in the item, where it stays until it is marked as announced. So if the instance crashes in
 * between, the next reader of the circuit announces it.
 */
import type { Clock } from "../runtime/clock.ts";
import { asSideWork } from "../runtime/deadline.ts";
import { writeLog } from "../runtime/log.ts";
import type { Origin } from "../terms/requester.ts";
import { type Circuit, type Transition, unannounced } from "./circuit.ts";
import type { CircuitStore } from "./circuit-store.ts";
import { createLruCache } from "./lru-cache.ts";

/**
 * Records a transition once, however often it is called with it. Rejects if the transition could not be recorded.
 * @param origin the request of the operator whose action the transition is, if known.
 */
export type OnTransition = (transition: Transition, origin?: Origin) => Promise<void>;

/** A reader leaves a transition for this time to the instance that made it. */
const ANNOUNCE_GRACE_MS = 10_000;

/** Transitions kept while they cannot be announced: an outage elsewhere must not make the item grow. */
const MAX_UNANNOUNCED = 16;

const MARK_ATTEMPTS = 3;

export type Announcer = ReturnType<typeof createAnnouncer>;

export const createAnnouncer = (dependencies: {
  store: Pick<CircuitStore, "markAnnounced">;
  onTransition: OnTransition;
  clock: Clock;
}) => {
  const { store, onTransition, clock } = dependencies;
  /** By organization: one instance announces in order, and nothing twice. */
  const underWay = new Map<string, Promise<void>>();
  const announcedUpTo = createLruCache<number>();

  const mark = async (organizationId: string, circuit: Circuit, upTo: number): Promise<void> => {
    let latest = circuit;
    for (let attempt = 0; attempt < MARK_ATTEMPTS && latest.announced < upTo; attempt++) {
      const answer = await store.markAnnounced(organizationId, latest, upTo);
      if (answer.applied) return;
      latest = answer.circuit;
    }
  };

  const announceAll = async (organizationId: string, circuit: Circuit, origin: Origin | undefined): Promise<void> => {
    let upTo = Math.max(circuit.announced, announcedUpTo.get(organizationId) ?? 0);
    const lastAction = circuit.starts.findLast(({ by }) => by !== undefined)?.generation;
    try {
      for (const transition of unannounced(organizationId, circuit)) {
        if (transition.generation <= upTo) continue;
        await onTransition(transition, transition.generation === lastAction ? origin : undefined);
        upTo = transition.generation;
        announcedUpTo.set(organizationId, upTo);
      }
    } catch (error) {
      writeLog("error", "Announcing a transition of a circuit failed; the next reader of the circuit retries.", {
        cause: String(error),
      });
    }
    const oldestKept = circuit.generation - MAX_UNANNOUNCED;
    if (oldestKept > upTo) {
      writeLog("error", "Transitions of a circuit were dropped unannounced.", { count: oldestKept - upTo });
    }
    await mark(organizationId, circuit, Math.max(upTo, oldestKept));
  };

  const announce = (organizationId: string, circuit: Circuit, origin?: Origin): void => {
    if (circuit.announced >= circuit.generation) return;
    const announcing = (underWay.get(organizationId) ?? Promise.resolve())
      .then(() => asSideWork(() => announceAll(organizationId, circuit, origin)))
      .catch((error) =>
        writeLog("warn", "Marking transitions of a circuit as announced failed.", { cause: String(error) }),
      )
      .finally(() => {
        if (underWay.get(organizationId) === announcing) underWay.delete(organizationId);
      });
    underWay.set(organizationId, announcing);
  };

  return {
    /**
     * Starts to announce what is not announced yet. Never throws, and does not wait.
     * @param origin the operator's request that made the circuit's last operator action.
     */
    announce,

    /** The same after a mere read: a recent transition is left to the instance that made it. */
    announceOverdue(organizationId: string, circuit: Circuit): void {
      const oldest = circuit.starts.find(({ generation }) => generation > circuit.announced);
      if (oldest !== undefined && oldest.at <= clock() - ANNOUNCE_GRACE_MS) announce(organizationId, circuit);
    },

    /** Waits for announcements under way. Call it before the invocation ends, because the instance may be frozen then. */
    async settle(): Promise<void> {
      await Promise.all(underWay.values());
    },
  };
};
