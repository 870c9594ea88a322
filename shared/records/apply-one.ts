/**
 * How what was seen of one object reaches its record while others apply what they saw of it.
 *
 * Every write is conditional on the version that was decided upon. Where an order cannot be told the provider is asked,
 * and what it says is later than all that was stored when it was asked. Others may meanwhile see that the record is
 * right as it is, which leaves no trace; so it is put in question before, and then they write.
 */

import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { type Sighting, sightingOf } from "./coalesce.ts";
import { decideAnswered, decideApply, type RecordWrite } from "./decide-apply.ts";
import type { ObjectDeleted, ObjectState } from "./observation.ts";
import type { RecordType } from "./record.ts";
import type { StoredRecord } from "./record-item.ts";
import type { RecordKey } from "./record-keys.ts";
import type { RecordStore } from "./record-store.ts";

/** A record that changes under our hands this often is left to the next try of whoever applies. */
const MAX_ROUNDS = 12;

/** Reads an object at the provider, as it is when asked; at most once for an object and round. */
export type Reread = (type: RecordType, id: string) => Promise<ObjectState | ObjectDeleted>;

export type ApplyOneParts = {
  store: Pick<RecordStore, "get" | "put">;
  now: Clock;
  newToken: () => string;
  /** Waits before another round, given how many there were. */
  pause?: (rounds: number) => Promise<void>;
};

type Place = RecordKey & { organizationId: string };

/** What is known of a stored record, and whether it was read strongly. */
export type Known = { stored: StoredRecord | undefined; isCurrent: boolean };

/** What a round came to; after one that was lost the provider's answer may say more than was seen before. */
type Round = { isOver: true; isChange: boolean } | { isOver: false; sighting: Sighting };

const NOTHING: Round = { isOver: true, isChange: false };

export const createApplyOne = ({ store, now, newToken, pause = pauseBeforeRetry }: ApplyOneParts) => {
  /** @returns undefined where another wrote the record meanwhile. */
  const putInQuestion = async (place: Place, stored: StoredRecord): Promise<StoredRecord | undefined> => {
    if (stored.isInQuestion) return stored;
    const questioned = { ...stored, isInQuestion: true, version: newToken() };
    return (await store.put(place.organizationId, questioned, stored.version)) ? questioned : undefined;
  };

  const write = async (
    { organizationId, type, id }: Place,
    stored: StoredRecord | undefined,
    { content, isChange }: RecordWrite,
    sighting: Sighting,
  ): Promise<Round> => {
    const updatedAt = (isChange ? undefined : stored?.updatedAt) ?? now();
    const record = { type, id, ...content, updatedAt, isInQuestion: false, version: newToken() };
    const isWritten = await store.put(organizationId, record, stored?.version);
    return isWritten ? { isOver: true, isChange } : { isOver: false, sighting };
  };

  const ask = async (
    place: Place,
    sighting: Sighting,
    stored: StoredRecord | undefined,
    reread: Reread,
  ): Promise<Round> => {
    const questioned = stored && (await putInQuestion(place, stored));
    if (stored !== undefined && questioned === undefined) return { isOver: false, sighting };
    const answer = sightingOf(await reread(place.type, place.id), sighting.invoiceId);
    const decision = decideAnswered(questioned, answer);
    return decision.kind === "write" ? write(place, questioned, decision, answer) : NOTHING;
  };

  /**
   * @returns whether the record changed.
   * @throws DomainError `store_unavailable`, also where others changed the record in every round; what `reread` throws.
   */
  return async (
    place: Place,
    seen: Sighting,
    first: Known,
    { reread, recordsSightings }: { reread: Reread; recordsSightings: boolean },
  ): Promise<boolean> => {
    let sighting = seen;
    let { stored, isCurrent } = first;
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const decision = decideApply(stored, sighting, { recordsSightings });
      if (decision.kind === "keep") return false;
      // What was overtaken a moment ago may still be read, but the provider is not asked on its account.
      if (decision.kind === "write" || isCurrent) {
        const result =
          decision.kind === "write"
            ? await write(place, stored, decision, sighting)
            : await ask(place, sighting, stored, reread);
        if (result.isOver) return result.isChange;
        sighting = result.sighting;
        await pause(round);
      }
      stored = await store.get(place.organizationId, place);
      isCurrent = true;
    }
    throw new DomainError("store_unavailable", "A record was changed by others all the time. Try again.");
  };
};
