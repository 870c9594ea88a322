/**
 * The one way in which what was seen at the provider reaches the records: of sync runs and of webhooks, at the same
 * time and in any order. docs/sync.md, "Applying what was seen".
 */
import type { ObjectDeleted, ObjectState, Observation } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { coalesce, type Sighting } from "./coalesce.ts";
import { type Decision, decideApply, decideReread } from "./decide-apply.ts";
import type { RecordType } from "./record.ts";
import type { StoredRecord } from "./record-item.ts";
import type { RecordStore } from "./record-store.ts";

/** Objects that are worked on at once. */
const PLACES = 25;
/** A record that changes under our hands this often is left to the next try of whoever applies. */
const MAX_ROUNDS = 12;

/** How many records of each type changed; a record that was merely seen again is none. */
export type Written = Record<RecordType, number>;
export type ApplyResult = { written: Written };

export type ApplyOptions = {
  /** Reads an object at the provider, as it is when asked; at most once for an object and round. */
  reread: (type: RecordType, id: string) => Promise<ObjectState | ObjectDeleted>;
  /**
   * Whether an unchanged record is written when it was seen again later: true for events, false for lists, where an
   * unchanged object then costs no write.
   */
  recordsSightings: boolean;
};

export type Apply = (
  organizationId: string,
  observations: readonly Observation[],
  options: ApplyOptions,
) => Promise<ApplyResult>;

type Parts = {
  store: Pick<RecordStore, "get" | "getMany" | "put">;
  now: Clock;
  newToken: () => string;
  /** Waits before another round, given how many there were. */
  pause?: (rounds: number) => Promise<void>;
};

/** What is known of a stored record, and whether it was read strongly. */
type Known = { stored: StoredRecord | undefined; isCurrent: boolean };

const nothingWritten = (): Written => ({ customers: 0, subscriptions: 0, invoices: 0, payments: 0 });

/**
 * Applies observations of any objects. Applied again, or beside others of the same objects, they change nothing more.
 * Costs half a read unit per object (one with `recordsSightings`), and per changed record a write unit for itself and
 * one for each index that it is in.
 * @throws DomainError `store_unavailable`, also where a record was changed by others in every round; what `reread`
 *   throws. A part may then be written, and all can be applied again.
 */
export const createApply = ({ store, now, newToken, pause = pauseBeforeRetry }: Parts): Apply => {
  /** A record that was overtaken a moment ago may still be read, but nothing may be asked on its account. */
  const decide = async (
    organizationId: string,
    sighting: Sighting,
    known: Known,
    options: ApplyOptions,
  ): Promise<{ stored: StoredRecord | undefined; decision: Decision }> => {
    const decision = decideApply(known.stored, sighting, options);
    if (decision.kind !== "reread") return { stored: known.stored, decision };
    if (!known.isCurrent) {
      const stored = await store.get(organizationId, sighting);
      return decide(organizationId, sighting, { stored, isCurrent: true }, options);
    }
    // The stored record was read before the provider is asked: whatever has been written since makes the put fail.
    const actual = await options.reread(sighting.type, sighting.id);
    return { stored: known.stored, decision: decideReread(known.stored, actual, sighting.invoiceId) };
  };

  /** @returns whether the record changed. */
  const applyOne = async (
    organizationId: string,
    sighting: Sighting,
    first: Known,
    options: ApplyOptions,
  ): Promise<boolean> => {
    let known = first;
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const { stored, decision } = await decide(organizationId, sighting, known, options);
      if (decision.kind !== "write") return false;
      const { type, id } = sighting;
      const { content, isChange } = decision;
      const updatedAt = isChange ? now() : (stored?.updatedAt ?? now());
      const record = { type, id, ...content, updatedAt, version: newToken() };
      if (await store.put(organizationId, record, stored?.version)) return isChange;
      await pause(round);
      known = { stored: await store.get(organizationId, sighting), isCurrent: true };
    }
    throw new DomainError("store_unavailable", "A record was changed by others all the time. Try again.");
  };

  return async (organizationId, observations, options) => {
    const sightings = coalesce(observations);
    // What is kept because of what was read is right only if that is current; lists leave that to the events.
    const isCurrent = options.recordsSightings;
    const records = await store.getMany(organizationId, sightings, { strongly: isCurrent });
    const known = new Map(records.map((stored) => [`${stored.type}#${stored.id}`, stored]));
    const written = nothingWritten();
    await inParallel(sightings, PLACES, async (sighting) => {
      const stored = known.get(`${sighting.type}#${sighting.id}`);
      if (await applyOne(organizationId, sighting, { stored, isCurrent }, options)) written[sighting.type]++;
    });
    return { written };
  };
};
