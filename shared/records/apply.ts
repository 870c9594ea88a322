/**
 * The one way in which what was seen at the provider reaches the records: of sync runs and of webhooks, at the same
 * time and in any order. docs/sync.md, "Applying what was seen".
 */

import { inParallel } from "../runtime/in-parallel.ts";
import { type ApplyOneParts, createApplyOne, type Reread } from "./apply-one.ts";
import { coalesce } from "./coalesce.ts";
import type { Observation } from "./observation.ts";
import type { RecordType } from "./record.ts";
import type { RecordStore } from "./record-store.ts";

/** Objects that are worked on at once. */
const PLACES = 25;

/** How many records of each type changed; a record that was merely seen again is none. */
export type Written = Record<RecordType, number>;
export type ApplyResult = { written: Written };

export type ApplyOptions = {
  reread: Reread;
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

type Parts = ApplyOneParts & { store: Pick<RecordStore, "getMany"> };

const nothingWritten = (): Written => ({ customers: 0, subscriptions: 0, invoices: 0, payments: 0 });

/**
 * Applies observations of any objects. Applied again, or beside others of the same objects, they change nothing more.
 * Costs half a read unit per object (one with `recordsSightings`), and per changed record a write unit for itself and
 * one for each index that it is in.
 * @throws DomainError `store_unavailable`, also where a record was changed by others in every round; what `reread`
 *   throws. A part may then be written, and all can be applied again.
 */
export const createApply = (parts: Parts): Apply => {
  const applyOne = createApplyOne(parts);
  return async (organizationId, observations, { reread, recordsSightings }) => {
    const sightings = coalesce(observations);
    // What is kept because of what was read is right only if that is current; lists leave that to the events.
    const isCurrent = recordsSightings;
    const records = await parts.store.getMany(organizationId, sightings, { strongly: isCurrent });
    const known = new Map(records.map((stored) => [`${stored.type}#${stored.id}`, stored]));
    const written = nothingWritten();
    await inParallel(sightings, PLACES, async (sighting) => {
      const { type, id } = sighting;
      const place = { organizationId, type, id };
      const first = { stored: known.get(`${type}#${id}`), isCurrent };
      if (await applyOne(place, sighting, first, { reread, recordsSightings })) written[type]++;
    });
    return { written };
  };
};
